#!/bin/bash
# Programs in ps-lite's style, as processes under tracker/local.sh, with several numbers of servers and workers.
# PS_COMPAT_REPEAT (default 1) says how often each runs.
set -u
repeat=${PS_COMPAT_REPEAT:-1}
passed=0
failed=0

# run NAME SERVERS WORKERS [EXPECTED_LINES PATTERN] -- PROGRAM [ARGUMENTS]; options for the launcher in $launch
launch=()
run() {
  local name=$1 servers=$2 workers=$3
  local log=$TMPDIR/$name-$servers-$workers.log
  shift 3
  local lines=0 pattern=
  if [ "$1" != -- ]; then
    lines=$1 pattern=$2
    shift 2
  fi
  shift
  local program=$1
  shift
  for ((i = 0; i < repeat; i++)); do
    "$PS_ROOT/tracker/local.sh" --timeout 60 "${launch[@]}" "$servers" "$workers" "$PS_BUILD/compat/$program" "$@" >"$log" 2>&1
    local code=$?
    local found=0
    [ -n "$pattern" ] && found=$(grep -c "$pattern" "$log")
    if [ $code -eq 0 ] && [ "$found" -eq "$lines" ]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED: $name with $servers servers and $workers workers: exit $code, $found of $lines lines '$pattern'"
      cat "$log"
    fi
  done
}

for shape in "1 1" "2 2" "1 3" "4 4"; do
  read -r servers workers <<<"$shape"
  run connection "$servers" "$workers" -- connection
  run simple_app "$servers" "$workers" -- simple_app
  run kv_app "$servers" "$workers" "$workers" 'error: 0, 0' -- kv_app
  run benchmark "$servers" "$workers" "$workers" 'push of 100000 keys' -- kv_app_benchmark 100000
  run zero_copy_arrays "$servers" "$workers" -- zero_copy_arrays
  run sync_gradient "$servers" "$workers" -- sync_gradient
  run two_apps "$servers" "$workers" -- two_apps
  run tensor_store "$servers" "$workers" -- tensor_store
done

# Two workers in one process: the launcher starts one process, the job counts two workers.
launch=(--env DMLC_NUM_WORKER=2)
for servers in 1 2 4; do
  run multi_workers "$servers" 1 2 'error: 0, 0' -- kv_app_multi_workers
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
