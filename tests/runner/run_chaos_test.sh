#!/bin/bash
# The runner of make chaos: its table, and that it can say FAIL.
set -euo pipefail
cd "$PS_ROOT"

mkdir -p "$TMPDIR/build/tests/fake"
fake() { printf '#!/bin/bash\n%s\n' "$2" > "$TMPDIR/build/tests/fake/$1_test"; chmod +x "$TMPDIR/build/tests/fake/$1_test"; }
fake good 'echo "FIGURE G 7 of $PS_TEST_LONG"; echo "FIGURE OTHER no"; echo "[  PASSED  ] 1 test."'
fake bad 'echo "FIGURE B 3"; exit 1'
fake skipping 'echo "[  PASSED  ] 0 tests."; echo "[  SKIPPED ] 1 test"'
fake empty 'echo "[  PASSED  ] 0 tests."'
fake stuck 'exec sleep 1000'

cat > "$TMPDIR/rows.py" <<'PYTHON'
import sys
sys.path.insert(0, "tests/chaos")
import run_chaos
Row = run_chaos.Row
rows = {row.name: row for row in (Row("G", "good", "fake/good", env=run_chaos.LONG), Row("B", "bad", "fake/bad"),
                                  Row("S", "skipping", "fake/skipping"), Row("E", "empty", "fake/empty"),
                                  Row("H", "hangs", "fake/stuck", limit_s=0.2))}
run_chaos.ROWS = tuple(rows[name] for name in sys.argv.pop(1).split(","))
sys.exit(run_chaos.main())
PYTHON

# expect ROWS EXIT_CODE LINE
expect() {
  local code=0
  /usr/bin/env "${PYTHON:-/usr/bin/python3}" "$TMPDIR/rows.py" "$1" --build "$TMPDIR/build" > "$TMPDIR/out" 2> "$TMPDIR/err" || code=$?
  sed 's/ ([0-9]* s)//' "$TMPDIR/out" > "$TMPDIR/table"
  [ "$code" = "$2" ] || { echo "rows $1: exit code $code instead of $2"; cat "$TMPDIR/out" "$TMPDIR/err"; exit 1; }
  grep -qxF "$3" "$TMPDIR/table" || { echo "rows $1: no line '$3'"; cat "$TMPDIR/out"; exit 1; }
}

expect G 0 '| G | good | 7 of 1 | pass |'
expect B 1 '| B | bad | 3; exit code 1 | FAIL |'
expect G,B 1 '| G | good | 7 of 1 | pass |'
expect S 1 '| S | skipping | skipped | FAIL |'
expect E 1 '| E | empty | no test ran | FAIL |'
expect H 1 '| H | hangs | not done after 0.2 s | FAIL |'

# A row that does not exist is an error, and every row's program does.
! "${PYTHON:-/usr/bin/python3}" tests/chaos/run_chaos.py --only NOSUCHROW > "$TMPDIR/out" 2>&1 || { echo "an unknown row passed"; exit 1; }
for program in $("${PYTHON:-/usr/bin/python3}" tests/chaos/run_chaos.py --build B --programs); do
  source=${program#B/}
  [ -e "$source.cc" ] || { echo "$source.cc is not there"; exit 1; }
done
