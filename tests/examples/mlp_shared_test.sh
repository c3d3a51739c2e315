#!/usr/bin/env bash
# examples/mlp_shared as a user runs it: on made-up digits, and on the real ones where get_data.sh has fetched them.
# PS_TEST_LONG=1: the errors that examples/README.md promises; what steps take is printed, and decides nothing.

. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
program=$build/examples/mlp_shared/mlp_shared
job() { "$root/tracker/local.sh" --timeout 100 2 2 "$program" "$@"; }
# The test errors of the last command, without the times.
errors() { sed -n 's/^\[W0\] //; s/^\(round .* %\)  step.*/\1/p' "$work/log"; }
# same NAME: the last command had the errors of the first.
same() { [[ $(errors) == "$alone" ]] && ok || bad "$1: $(errors) and not $alone"; }

[[ -x $program ]] || { echo "$program is not built"; exit 1; }
made=$work/made
check "made-up digits" 0 "$build/examples/mnist/make_digits" "$made" 3000 500
settings=(--data "$made" --rounds 3 --rate 2)
check "one device" 0 "$program" "${settings[@]}"
alone=$(errors)
[[ $(wc -l <<<"$alone") == 3 ]] && ok || bad "a line per round"
says "one device" "overlap"
for devices in 2 4; do
  check "$devices devices" 0 "$program" "${settings[@]}" --devices $devices
  same "$devices devices"
done
check "no overlap" 0 "$program" "${settings[@]}" --devices 2 --overlap off
same "no overlap"
check "dist" 0 job "${settings[@]}" --type dist --devices 2
same "dist"

check "allreduce" 0 "$root/tracker/local.sh" --timeout 100 0 2 "$program" "${settings[@]}" --type allreduce --devices 2
same "allreduce"

check "worse than it should be" 1 "$program" --data "$made" --rounds 1 --max_error 0
says "worse than it should be" "wanted a test error of at most 0.00 %"
check "no data" 1 "$program" --data "$work"
says "no data" "train-images-idx3-ubyte: can not be opened"
check "three devices" 2 "$program" "${settings[@]}" --devices 3
says "three devices" "3 devices can not share equally"
check "local as a job" 2 job --type local
says "local as a job" "is started without tracker/local.sh"
check "another type" 2 "$program" --type lokal
check "steps" 0 "$program" --devices 2 --layers 2 --weights 10000 --steps 3 --simulate_compute 2
says "steps" "2 layers of 10000 weights"

real=$build/data/mnist
if [[ -e $real/t10k-labels-idx1-ubyte ]]; then
  check "MNIST" 0 "$program" --data "$real" --rounds 1 --max_error 10
  alone=$(errors)
  check "MNIST, four devices" 0 "$program" --data "$real" --rounds 1 --devices 4
  same "MNIST, four devices"
  if [[ -n ${PS_TEST_LONG:-} ]]; then
    check "MNIST, 8 rounds" 0 "$program" --data "$real" --rounds 8 --devices 2 --max_error 3
    echo "FIGURE mlp_shared: $(tail -n 1 "$work/log")"
    check "steps of 4 x 4 M weights" 0 "$program" --devices 2 --layers 4 --slices 4
    echo "FIGURE mlp_shared: $(tail -n 1 "$work/log")"
  fi
fi

echo "$passed passed, $failed failed"
((failed == 0))
