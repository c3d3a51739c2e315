#!/bin/bash
# The program in README.md compiles as it stands there and runs.
set -eu
[ -z "${PS_SAN:-}" ] || exit 77 # the library was built with other flags
sed -n '/^```cpp$/,/^```$/p' "$PS_ROOT/README.md" | sed '/^```/d' >"$TMPDIR/program.cc"
grep -q 'int main' "$TMPDIR/program.cc" || { echo "README.md has no program any more"; exit 1; }
lines=$(wc -l <"$TMPDIR/program.cc")
[ "$lines" -le 30 ] || { echo "the program in README.md has $lines lines: too long for a first look"; exit 1; }
g++ -std=c++17 -Wall -Wextra -Werror -I"$PS_ROOT/include" "$TMPDIR/program.cc" "$PS_BUILD/libps.a" \
  $(pkg-config --libs libzmq protobuf-lite libsodium) -pthread -o "$TMPDIR/program"
timeout 20 "$TMPDIR/program"
