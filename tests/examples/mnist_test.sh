#!/usr/bin/env bash
# examples/mnist as a user runs it: on made-up digits, and on the real ones where get_data.sh has fetched them.
# PS_TEST_LONG=1: the real ones for five epochs, with the accuracies that examples/README.md promises.

. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
program=$build/examples/mnist/mnist
job() { "$root/tracker/local.sh" --timeout 100 2 2 "$program" "$@"; }
# Losses and accuracies of the last command, without the speed.
curve() { sed -n 's/^\[W0\] //; s/^\(epoch .* %\).*/\1/p' "$work/log"; }

[[ -x $program ]] || { echo "$program is not built"; exit 1; }
made=$work/made
check "made-up digits" 0 "$build/examples/mnist/make_digits" "$made" 3000 500
settings=(--data "$made" --epochs 3 --min_accuracy 90)

check "local" 0 "$program" "${settings[@]}" --devices 2
alone=$(curve)
[[ $(wc -l <<<"$alone") == 3 ]] && ok || bad "a line per epoch"
check "device" 0 "$program" "${settings[@]}" --devices 2 --kvstore device
[[ $(curve) == "$alone" ]] && ok || bad "device: $(curve) and not $alone"
# Two workers of one device add up what two devices of one worker do, in the same order: the same bits.
check "dist_sync" 0 job "${settings[@]}" --kvstore dist_sync
[[ $(curve) == "$alone" ]] && ok || bad "dist_sync: $(curve) and not $alone"
check "dist_async" 0 job "${settings[@]}" --kvstore dist_async
check "dist_ssp" 0 job "${settings[@]}" --kvstore dist_ssp:2 --devices 2

# With blocks the gradients' sums are exact: one process and any number of workers are one curve, in all bits.
columns() { cut -d, -f1,3,4 "$work/$1.csv"; }
exact=(--data "$made" --epochs 3 --seed 7 --blocks 4)
check "one process" 0 "$program" "${exact[@]}" --csv "$work/alone.csv"
[[ $(columns alone | wc -l) == 4 ]] && ok || bad "a line per epoch, and a header"
for workers in 1 2 4; do
  check "$workers workers" 0 "$root/tracker/local.sh" --timeout 100 2 $workers "$program" "${exact[@]}" --mode dist_sync \
    --csv "$work/$workers.csv"
  [[ $(columns $workers) == "$(columns alone)" ]] && ok || bad "$workers workers: $(columns $workers) and not $(columns alone)"
done
check "blocks that can not be shared" 2 "$program" --data "$made" --devices 3 --blocks 4
says "blocks that can not be shared" "4 blocks can not be shared equally by 3 devices"
check "a table that can not be written" 1 "$program" --data "$made" --epochs 1 --csv "$work/none/x.csv"
says "a table that can not be written" "$work/none/x.csv: can not be written"

check "worse than it should be" 1 "$program" --data "$made" --epochs 1 --min_accuracy 100
says "worse than it should be" "wanted an accuracy of 100.00 %"
check "no data" 1 "$program" --data "$work"
says "no data" "train-images-idx3-ubyte: can not be opened; examples/mnist/get_data.sh"
check "local as a job" 2 job --kvstore local
says "local as a job" "is started without tracker/local.sh"
if [[ ! -e /dev/nvidiactl ]]; then
  check "no GPU" 1 "$program" --data "$made" --gpus 1
  says "no GPU" "cuda:0: "
fi

real=$build/data/mnist
if [[ -e $real/t10k-labels-idx1-ubyte ]]; then
  if [[ -n ${PS_TEST_LONG:-} ]]; then
    for type in dist_sync dist_async dist_ssp:2; do
      least=97
      [[ $type == dist_sync ]] && least=97.5
      check "MNIST, $type" 0 job --data "$real" --kvstore $type --min_accuracy $least
      echo "FIGURE mnist $type: $(curve | tail -n 1)"
    done
  fi
  check "MNIST alone" 0 "$program" --data "$real" --epochs 1 --devices 2
  alone=$(curve)
  check "MNIST" 0 job --data "$real" --epochs 1 --kvstore dist_sync --min_accuracy 96
  [[ $(curve) == "$alone" ]] && ok || bad "MNIST: $(curve) and not $alone"
fi

echo "$passed passed, $failed failed"
((failed == 0))
