#!/usr/bin/env bash
# ps_bench: every row comes out with positive figures, wrong arguments are refused by name, nothing is left
# behind, and a running job that is pinged goes on. How fast anything is decides nothing here.
set -uo pipefail
bench=$PS_BUILD/bin/ps_bench
failed=0
export BENCH_TEST_MARK=$$ # in the environment of everything that is started here

fail() { echo "line ${BASH_LINENO[1]}: $1" >&2; failed=1; }
equal() { [[ $1 == "$2" ]] || fail "wanted '$2', got '$1'"; }
contains() { [[ $1 == *"$2"* ]] || fail "no '$2' in '$1'"; }
run() { out=$("$bench" "$@" 2>"$TMPDIR/err"); code=$?; err=$(<"$TMPDIR/err"); }

mkfifo "$TMPDIR/never"
[[ $PS_SAN != thread ]] || exit 77 # it sees neither into libzmq nor across processes

# The number of processes that a ps_bench of this test has started.
num_started() {
  local file first count=0
  for file in $(grep -lzs "^BENCH_TEST_MARK=$$\$" /proc/[0-9]*/environ); do
    first=
    IFS= read -r -d '' first 2>/dev/null <"${file%environ}cmdline"
    [[ $first != */ps_floors && $first != ps_floors && $first != /proc/self/exe ]] || ((++count))
  done
  REPLY=$count
}
# await TEST: until the number of those processes passes it, 20 s at most.
await() {
  local end=$((SECONDS + 20))
  num_started
  until (($REPLY $1)); do
    ((SECONDS < end)) || { fail "$REPLY processes, not $1"; return; }
    read -r -t 0.05 <>"$TMPDIR/never" # leaves the cores to them
    num_started
  done
}

# --- rows ---

rows=latency,rate,dense,keys,store,kvstore,collective,urgent,start,idle,memory,floors
[[ -z $PS_SAN ]] || rows=${rows/,memory/} # a sanitizer keeps memory of its own
run --quick --transport zmq --rows "$rows" --csv "$TMPDIR/out.csv"
equal "$code" 0
equal "$err" ""
contains "$out" "pull 1 x 16: p50"
contains "$out" " x floor: "
run --quick --rows dense,keys,store --servers 2 --workers 2 --csv "$TMPDIR/several.csv"
equal "$code" 0
equal "$err" ""
for file in out several; do
  "${PYTHON:-/usr/bin/python3}" - "$TMPDIR/$file.csv" "$rows" <<'PYTHON' || fail "$file.csv"
import csv, sys
lines = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
wanted = set(sys.argv[2].split(",")) if "out.csv" in sys.argv[1] else {"dense", "keys", "store"}
assert {line["row"] for line in lines} == wanted, lines
for line in lines:
    assert None not in line and line["unit"] is not None, line
    may_be_zero = line["row"] == "idle" or line["label"].startswith("growth")
    assert float(line["figure"]) > 0 or may_be_zero, line
    assert float(line["figure_min"]) <= float(line["figure"]) <= float(line["figure_max"]), line
    assert not line["floor"] or float(line["floor"]) > 0, line
    assert line["verdict"] == "" if line["bar"] == "" else line["verdict"] in ("met", "missed"), line
assert any(line["floor"] for line in lines)
PYTHON
done
num_started
equal "$REPLY" 0

# --- what is refused ---

for arguments in "--what" "--rows latency,speed" "--transport pigeon" "--pairs 0" "--servers 0" "ping --count x"; do
  run $arguments
  equal "$code" 2
  [[ -n $err && -z $out ]] || fail "'$arguments' said '$out' and '$err'"
done
run --rows latency,speed
contains "$err" speed
run --help
equal "$code" 0
contains "$out" --rows
run --quick --rows idle --csv "$TMPDIR/no/such/folder.csv"
equal "$code" 1
contains "$err" "$TMPDIR/no/such/folder.csv"
# A job that can not start fails its row by name.
out=$(PS_CHUNK_BYTES=x "$bench" --quick --rows idle 2>&1)
equal $? 1
contains "$out" "PS_CHUNK_BYTES"
contains "$out" "idle, busiest node: "

# --- signals ---

for signal in TERM INT KILL; do
  "$bench" --transport zmq --rows idle --pairs 1000 >/dev/null 2>"$TMPDIR/err" &
  pid=$!
  await ">= 4" # a floor and three nodes
  kill -$signal $pid
  wait $pid 2>/dev/null
  equal $? $((128 + $(kill -l $signal)))
  [[ $signal == KILL ]] || { num_started; equal "$REPLY" 0; }
  await "== 0"
done

# --- ping ---

run ping --scheduler 127.0.0.1:1 --timeout 0.2
equal "$code" 1
contains "$err" "127.0.0.1:1"
run ping --scheduler nonsense
equal "$code" 1
contains "$err" nonsense

# ping_job PORT TOKEN EXPECTED: a job that is pinged before and after it is complete goes on, and ends well.
ping_job() {
  export DMLC_NUM_SERVER=1 DMLC_NUM_WORKER=1 DMLC_PS_ROOT_URI=127.0.0.1 DMLC_PS_ROOT_PORT=$1 PS_JOB_TOKEN=$2
  mkfifo "$TMPDIR/in" "$TMPDIR/out"
  local pids=()
  DMLC_ROLE=scheduler "$bench" node idle >/dev/null 2>"$TMPDIR/log" &
  pids+=($!)
  PS_JOB_TOKEN= run ping --scheduler "127.0.0.1:$1" --timeout 20
  equal "$code" 0
  contains "$out" "$3"
  contains "$out" "then 4 round trips: "
  DMLC_ROLE=server "$bench" node idle >/dev/null 2>&1 &
  pids+=($!)
  DMLC_ROLE=worker "$bench" node idle <"$TMPDIR/in" >"$TMPDIR/out" &
  pids+=($!)
  exec {in}>"$TMPDIR/in" {told}<"$TMPDIR/out"
  read -r -t 60 line <&"$told"
  equal "$line" ready
  run ping # as the environment says
  equal "$code" 0
  contains "$out" "$3"
  echo go >&"$in"
  read -r -t 60 line <&"$told" || fail "the worker does not go on"
  exec {in}>&-
  local pid
  for pid in "${pids[@]}"; do wait "$pid" || fail "a node of the job that was pinged has failed"; done
  exec {told}<&-
  rm "$TMPDIR/in" "$TMPDIR/out"
  unset PS_JOB_TOKEN DMLC_NUM_SERVER DMLC_NUM_WORKER DMLC_PS_ROOT_URI DMLC_PS_ROOT_PORT
}

port=$((10000 + $$ * 7 % 20000))
ping_job $port "" "a job without PS_JOB_TOKEN"
contains "$(<"$TMPDIR/log")" "ps-bench-ping"
ping_job $((port + 1)) secret-4711 "a job with a PS_JOB_TOKEN"
equal "$(<"$TMPDIR/log")" ""
exit "$failed"
