#!/bin/bash
# Each check of `make lint` can complain: every case builds a small tree with one fault (or none) and demands the
# message (or silence).
set -uo pipefail
cd "$PS_ROOT"
python=${PYTHON:-/usr/bin/python3}
tree=
failures=0
cases=0
all_trees=$(mktemp -d)
trap 'rm -rf "$all_trees"' EXIT

fresh() { tree=$(mktemp -d -p "$all_trees"); }
# put FILE: writes stdin to a file of the tree.
put() { mkdir -p "$tree/$(dirname "$1")"; cat > "$tree/$1"; }
fail() { failures=$((failures + 1)); printf 'FAILED: %s\n' "$@"; }

# expect WHAT CHECK PATTERN: the check fails on the tree with a line that matches; PATTERN "" demands silence.
expect() {
  cases=$((cases + 1))
  local output status
  output=$("$python" "tests/lint/$2.py" "$tree" 2>&1)
  status=$?
  if [ -z "$3" ]; then
    [ $status -eq 0 ] || fail "$1: expected no complaint of $2, got:" "$output"
  elif [ $status -ne 1 ]; then
    fail "$1: $2 exited with $status" "$output"
  elif ! grep -qE -- "$3" <<< "$output"; then
    fail "$1: no line of $2 matches '$3':" "$output"
  fi
}

# repeat N TEXT: TEXT on N lines.
repeat() { local i; for ((i = 0; i < $1; i++)); do echo "$2"; done; }

# --- layers ---
fresh
put src/base/clock.h <<< '#include <string>'
put src/van/route.h <<< '#include "base/clock.h"'
put src/van/van.cc <<< '#include "ps/van.h"'
put include/ps/van.h <<< '#include <memory>'
put include/ps/ps.h <<< '#include "ps/van.h"'
put src/app/gather.h <<< '// #include "van/route.h"'
expect "layers in order" layers ""
put src/base/clock.h <<< '#include "van/route.h"'
expect "a lower layer reaches up" layers 'src/base/clock.h:1: base includes "van/route.h" of van, a higher layer'
fresh
put src/van/van.cc <<< ''
put include/ps/van.h <<< '#include <memory>'
put src/app/gather.h <<< '#include "ps/van.h"'
expect "an exception of the table, through a public header" layers 'app must not include van'
fresh
put include/ps/range.h <<< '#include "base/clock.h"'
expect "a public header includes an internal one" layers 'a public header includes public headers only'
fresh
put examples/hello.cc <<< '#include "van/route.h"'
expect "an example includes an internal header" layers 'examples use public headers only'
fresh
put src/van/van.cc <<< '#include <zmq.h>'
expect "zmq.h outside its folder" layers 'ZeroMQ stays'
put src/van/van.cc <<< '#include <sodium.h>'
expect "sodium.h outside its file" layers 'libsodium stays'
fresh
put src/van/van.h <<< '#include "wire.pb.h"'
expect "protobuf outside its file" layers 'protobuf stays'
fresh
put src/van/control.cc <<< '#include "wire.pb.h"'
put src/transport/zmq/socket.cc <<< '#include <zmq.h>'
put src/base/config.cc <<< 'const char* x = getenv("A");'
put src/base/log.cc <<< '// getenv("B"), "getenv"'
expect "the owners of the fences" layers ""
put src/base/log.cc <<< 'const char* x = std::getenv("A");'
expect "getenv elsewhere" layers 'src/base/log.cc:1: calls getenv'
fresh
put src/odd/x.cc <<< '#include "base/clock.h"'
expect "an unknown layer" layers 'no known layer'

# --- sizes ---
fresh
{ echo 'int F() {'; repeat 58 '  x();'; echo '}'; } | put src/base/good.cc
expect "a function of 60 lines" sizes ""
{ echo 'int F() {'; repeat 59 '  x();'; echo '}'; } | put src/base/long.cc
expect "a function of 61 lines" sizes 'long.cc:1: F has lines: 61, more than 60'
fresh
repeat 401 '// x' | put src/base/big.cc
expect "a file of 401 lines" sizes 'file has lines: 401'
fresh
repeat 201 '// x' | put src/base/big.h
expect "a header of 201 lines" sizes 'file has lines: 201'
fresh
put src/base/p.h <<< 'void F(int a, std::map<int, int> b, int c, int d, int e, std::function<void(int, int)> f = {});'
expect "six parameters" sizes 'F has parameters: 6'
fresh
put include/ps/c/p.h <<< 'int F(int a, int b, int c, int d, int e, int f, int g, int h, int i);'
expect "nine parameters in C" sizes ""
put include/ps/c/p.h <<< 'int F(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j);'
expect "ten parameters in C" sizes 'F has parameters: 10, more than 9'
fresh
put src/base/n.cc <<< 'void C::F() { if (a) { for (;;) { while (b) if (c) d(); } } }'
expect "four levels" sizes 'C::F has nesting depth: 4'
fresh
put src/base/n.cc <<'END'
C::C() : a_{1}, text_(R"( { if (x) { )") {
  if (a) { b(); } else if (c) { d(); } else if (e) { f(); }  // if (a) { if (b) { if (c) { if (d)
  run([&] { for (;;) { while (x) y("if ("); } });
}
END
expect "else-if, lambdas, literals and comments add no level" sizes ""
fresh
{ echo 'class Wide {'; echo ' public:'; echo '  Wide();'; for i in {1..13}; do echo "  void M$i();"; done; echo '};'; } |
  put src/base/wide.h
expect "13 public methods" sizes 'Wide has public methods: 13'
put tests/lint/exempt.txt <<< 'sizes | src/base/wide.h Wide | for this test'
expect "an exemption" sizes ""
put src/base/wide.h <<< 'class Wide {};'
expect "an exemption that nothing needs" sizes 'exempt.txt:1: exemption no longer needed'
put tests/lint/exempt.txt <<< 'sizes | src/base/wide.h Wide'
expect "an exemption without a reason" sizes 'exempt.txt:1: expected'

# --- mirrors ---
fresh
put src/van/barrier.cc <<< ''
expect "a source without test" mirrors 'src/van/barrier.cc:1: has no tests/van/barrier_test.cc'
put tests/van/barrier_test.cc <<< ''
put tests/regress/b14_test.cc <<< ''
expect "mirrored" mirrors ""
put tests/van/ghost_test.cc <<< ''
expect "a test of nothing" mirrors 'ghost_test.cc:1: mirrors neither'

# --- variables ---
fresh
put src/base/config.cc <<< 'const char* kNames[] = {"DMLC_ROLE", "PS_VERBOSE"};'
put README.md <<< '| `DMLC_ROLE` | role |'
expect "an undocumented variable" variables "config.cc:1: PS_VERBOSE is not in README.md"
printf '| `DMLC_ROLE`, `PS_VERBOSE` | both |\nPS_OTHER in a text\n' | put README.md
expect "documented" variables ""
printf '| `DMLC_ROLE`, `PS_VERBOSE` | both |\n| `PS_GHOST` | none |\n' | put README.md
expect "a row about nothing" variables 'README.md:2: PS_GHOST'
put README.md <<< '| `DMLC_ROLE`, `PS_VERBOSE` |'
put src/van/van.cc <<< 'Status s("raise PS_START_TIME");'
expect "a message that names an unknown variable" variables 'van.cc:1: names PS_START_TIME'

# --- words ---
fresh
put src/base/a.cc <<< '// see /opt/x and /usr/work/y'
put README.md <<< 'docs'
expect "harmless words" words ""
put src/base/a.cc <<< "// T""ODO: later"
expect "left undone" words 'a.cc:1: .*left undone'
put src/base/a.cc <<< '// in /ro''ot/x'
expect "a machine's path" words 'a path of one machine'
put src/base/a.cc <<< 'void F() { std::this_thread::sleep_for(x); }  // sleep'
expect "a sleep" words 'a.cc:1: sleep_for'
put src/base/a.cc <<< ''
put tests/a.sh <<< 'echo x | gr''ep -q x && echo y | grep x >/dev/null'
expect "a pipe's end that goes early" words "a.sh:1: '. grep -q'"
put tests/a.sh <<< ''
put src/base/string_utils.h <<< ''
expect "a vague name" words 'one concept'
fresh
put notes.txt <<< ''
expect "a stray file at the top" words 'notes.txt:1: the top level'

# --- the checks that need a compiler are rules of make ---
# expect_make WHAT TARGET PATTERN, as expect.
expect_make() {
  cases=$((cases + 1))
  local output status
  ln -sf "$PS_ROOT/Makefile" "$PS_ROOT/make" "$PS_ROOT/.clang-format" "$tree/"
  output=$(MAKEFLAGS='' MAKELEVEL=0 make -C "$tree" BUILD=build "$2" 2>&1)
  status=$?
  if [ -z "$3" ]; then
    [ $status -eq 0 ] || fail "$1: expected success of $2, got:" "$output"
  elif [ $status -eq 0 ] || ! grep -qE -- "$3" <<< "$output"; then
    fail "$1: make $2 ended with $status and no line matches '$3':" "$output"
  fi
}
fresh
put src/base/whole.h <<'END'
#include <string>
inline std::string F() { return ""; }
END
expect_make "a header that compiles alone" lint-headers ""
put src/base/part.h <<< 'inline std::string G() { return ""; }'
expect_make "a header that needs another" lint-headers 'std'
fresh
put src/base/mutex.h <<< "$(cat src/base/mutex.h 2>/dev/null)"
put src/base/race.cc <<'END'
#include "base/mutex.h"
struct S {
  ps::Mutex mu;
  int x PS_GUARDED_BY(mu) = 0;
  void Good() { ps::MutexLock lock(mu); ++x; }
#ifdef BAD
  void Bad() { ++x; }
#endif
};
END
if command -v clang++ >/dev/null; then
  expect_make "guarded members under their lock" lint-safety ""
  { echo '#define BAD'; cat "$tree/src/base/race.cc"; } | put src/base/race.cc.new
  mv "$tree/src/base/race.cc.new" "$tree/src/base/race.cc"
  expect_make "a guarded member without its lock" lint-safety "requires holding mutex"
fi
fresh
put src/base/f.cc <<< 'int   F( ) {return 1 ;}'
if command -v clang-format >/dev/null; then expect_make "bad format" lint-format 'f.cc:1: not formatted'; fi

echo "$cases cases, $failures failed"
[ $failures -eq 0 ]
