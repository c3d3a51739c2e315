# What the tests of tracker/local.sh share: programs, launches, checks. Sourced; $0 is the test.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
local_sh=$here/../../tracker/local.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DMLC_PS_ROOT_URI DMLC_PS_ROOT_PORT DMLC_RANK DMLC_ROLE PS_TRACKER_PREFIX PS_JOB_TOKEN PS_CURVE_DIR
scale=${PS_TEST_TIME_SCALE:-1}

# program NAME: makes an executable of the script on stdin and puts its path into $program.
program() {
  program=$work/$1
  { echo '#!/usr/bin/env bash'; cat; } >"$program"
  chmod +x "$program"
}

# Runs the launcher; leaves its streams in $out and $err and its exit code in $code.
launch() {
  "$local_sh" "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  out=$(<"$work/out")
  err=$(<"$work/err")
}

fail() {
  printf '  line %s: %s\n' "${BASH_LINENO[1]}" "$1" >&2
  failed_checks=$((failed_checks + 1))
}
equal() { [[ $1 == "$2" ]] || fail "wanted '$2', got '$1'"; }
contains() { [[ $1 == *"$2"* ]] || fail "no '$2' in '$1'"; }
contains_not() { [[ $1 != *"$2"* ]] || fail "'$2' in '$1'"; }
within() { ((SECONDS - $1 <= $2 * scale)) || fail "took $((SECONDS - $1)) s, wanted at most $2"; }

# The processes that carry the word $1 in their arguments, apart from this script.
alive() {
  local file text
  for file in /proc/[0-9]*/cmdline; do
    text=$(tr '\0' ' ' 2>/dev/null <"$file") || continue
    [[ $text == *"$1"* && $text != *_test.sh* ]] && echo "$text"
  done
}

# Nothing that carries the word $1 lives; a process that was just killed has a moment to vanish.
nothing_left() {
  local i
  for ((i = 0; i < 100; i++)); do
    [[ -z $(alive "$1") ]] && return
    read -r -t 0.05 <> <(:)
  done
  fail "left behind: $(alive "$1")"
}

# Waits until $2 files match the pattern $1.
wait_for_files() {
  local i files
  for ((i = 0; i < 400; i++)); do
    files=($1)
    [[ -e ${files[0]} ]] && ((${#files[@]} >= $2)) && return
    read -r -t 0.05 <> <(:)
  done
  fail "waited in vain for $2 files $1"
}

# A program whose nodes and their children run until they are stopped; each says so with a file.
endless_program() {
  rm -f "$work"/ready.*
  program endless <<EOF
bash -c ': child; read -r <> <(:)' child "\$@" &
touch $work/ready.\$DMLC_ROLE\${DMLC_RANK-}
wait
EOF
}

# run_tests [name...]: runs the functions test_<name>, or all; fails when one does.
run_tests() {
  local passed=0 failed=0 names name
  ((${#})) && names=("${@/#/test_}") || mapfile -t names < <(compgen -A function test_)
  for name in "${names[@]}"; do
    failed_checks=0
    "$name"
    if ((failed_checks)); then
      failed=$((failed + 1))
      echo "FAILED $name"
    else
      passed=$((passed + 1))
    fi
  done
  echo "$passed passed, $failed failed"
  ((failed == 0))
}
