#!/bin/bash
# run_tests.py tells passed from failed, crashed, hung, empty and untidy programs. Small scripts play the programs.
set -uo pipefail
cd "$PS_ROOT"
python=${PYTHON:-/usr/bin/python3}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
failures=0

# program NAME: stdin is the body of build/tests/NAME; $report is where GoogleTest would write its report.
program() {
  mkdir -p "$build/tests/$(dirname "$1")"
  { printf '#!/bin/bash\nfor a in "$@"; do case $a in --gtest_output=json:*) report=${a#*:};; esac; done\n'; cat; } \
    > "$build/tests/$1"
  chmod +x "$build/tests/$1"
}
# test_json FIELDS...: the report of a program with one test for each argument.
test_json() { local IFS=,; echo "{\"testsuites\":[{\"testsuite\":[$*]}]}"; }
ok='{"status":"RUN","result":"COMPLETED"}'
skipped='{"status":"RUN","result":"SKIPPED"}'
bad='{"status":"RUN","result":"COMPLETED","failures":[{"failure":"x"}]}'

# expect STATUS PATTERN PROGRAM... [-- OPTION...]: what the runner says about these programs.
expect() {
  local status=$1 pattern=$2 output code programs=()
  shift 2
  while [ $# -gt 0 ] && [ "$1" != -- ]; do programs+=("$build/tests/$1"); shift; done
  output=$("$python" tests/run_tests.py --build "$build" --timeout 1 "${@:2}" ${programs[@]+"${programs[@]}"} 2>&1)
  code=$?
  if [ $code -ne "$status" ] || ! grep -qE -- "$pattern" <<< "$output"; then
    failures=$((failures + 1))
    printf 'FAILED: %s: exit code %s (expected %s), expected a line like "%s" in:\n%s\n' \
      "${programs[*]-}" "$code" "$status" "$pattern" "$output"
  fi
}

program a/good_test <<< "echo '$(test_json "$ok" "$ok" "$skipped")' > \$report"
program a/bad_test <<< "echo '$(test_json "$ok" "$bad")' > \$report; echo says why; exit 1"
program a/crash_test <<< 'kill -SEGV $$'
program a/late_crash_test <<< "echo '$(test_json "$ok")' > \$report; kill -SEGV \$\$"
program a/late_exit_test <<< "echo '$(test_json "$ok")' > \$report; exit 66"
program a/hang_test <<< 'echo before the hang; while :; do :; done'
program a/none_test <<< "echo '$(test_json)' > \$report"
program a/left_test <<< "echo '$(test_json "$ok")' > \$report; setsid sleep 1000 >/dev/null 2>&1 & echo \$! > $build/left_pid"
program a/script_test.sh <<< '[ "$PS_ROOT" = "$PWD" ] && [ -d "$PS_BUILD" ] && [ -d "$TMPDIR" ]'
program a/skip_test.sh <<< 'exit 77'
program a/fail_test.sh <<< 'exit 3'
program process/p_test <<< "echo '$(test_json "$ok")' > \$report"

expect 0 '^2 passed, 0 failed$' a/good_test
expect 0 '^1 skipped$' a/good_test
expect 1 '^3 passed, 1 failed$' a/good_test a/bad_test
expect 1 '^says why$' a/bad_test
expect 1 'a/crash: CRASH: signal 11' a/crash_test
expect 1 '^0 passed, 1 failed$' a/late_crash_test
expect 1 'exit code 66 although every test passed' a/late_exit_test
expect 1 'a/hang: HANG: killed after 1' a/hang_test
expect 1 '^before the hang$' a/hang_test
expect 1 'no test ran' a/none_test
expect 1 'a/left: left processes behind: sleep' a/left_test
expect 0 '^1 passed, 0 failed$' a/script_test.sh a/skip_test.sh
expect 1 'exit code 3' a/fail_test.sh
# Files of pytest are counted by their tests.
if "$python" -c 'import pytest' 2>/dev/null; then
  printf 'import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip()\n' > "$build/tests/a/py_test.py"
  printf 'def test_a(): pass\ndef test_b(): assert 1 == 2\n' > "$build/tests/a/py_bad_test.py"
  printf 'import time\ndef test_a(): time.sleep(1000)\n' > "$build/tests/a/py_hang_test.py"
  echo > "$build/tests/a/py_none_test.py"
  expect 0 '^ok   .*a/py: 1 ok, 1 skipped' a/py_test.py -- --timeout 60
  expect 0 '^ok   .*a/py_bad: 1 ok' a/py_bad_test.py -- --timeout 60 --filter a/py_bad:test_a
  expect 1 '^1 passed, 1 failed$' a/py_bad_test.py -- --timeout 60
  expect 1 'a/py_hang: HANG: killed after 3' a/py_hang_test.py -- --timeout 3
  expect 1 'a/py_none: no test ran' a/py_none_test.py -- --timeout 60
fi
expect 1 '^0 passed, 0 failed$'
expect 1 'no test ran for T=odd' -- --filter odd
expect 0 'SAN=thread: not run: process/p' a/good_test process/p_test -- --san thread
state=$(ps -o stat= -p "$(cat "$build/left_pid")")
case $state in ''|Z*) ;; *) echo "FAILED: the process left behind still runs"; failures=$((failures + 1)) ;; esac

echo "$failures expectations failed"
[ $failures -eq 0 ]
