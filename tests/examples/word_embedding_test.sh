#!/usr/bin/env bash
# examples/word_embedding as a user runs it, on a made-up text and, where get_data.sh has fetched it, on a part of the
# real one. PS_TEST_LONG=1: on all of it, and one, two and four workers reach the same loss within 2 %.

. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
program=$build/examples/word_embedding/word_embedding
job() { "$root/tracker/local.sh" --timeout 600 2 "$1" "$program" "${@:2}"; }
# The held-out loss after the last epoch of the last command.
loss() { sed -n 's/.*held-out loss \([0-9.]*\) .*/\1/p' "$work/log" | tail -n 1; }
# near NAME A B: within 2 %.
near() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a > 0 && b > 0 && a / b < 1.02 && b / a < 1.02) }' && ok || bad "$1: $2 and $3"; }

[[ -x $program ]] || { echo "$program is not built"; exit 1; }
# Two subjects with words of their own.
awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++) { s = rand() < .5 ? "sea" : "land"
  for (j = 0; j < 10; j++) printf "%s%c ", s, 97 + int(rand() * 8); print "." } }' >"$work/text"
settings=(--text "$work/text" --dim 16 --window 3 --epochs 3 --lr 0.1 --block 200 --words seaa,landb,sky)

for softmax in negative --hs; do
  more=("${settings[@]}")
  [[ $softmax == --hs ]] && more+=(--hs)
  check "alone, $softmax" 0 "$program" "${more[@]}" --loss-csv "$work/loss.csv" --vectors "$work/vectors"
  alone=$(loss)
  says "alone, $softmax" "19000 words to learn from, 16 different ones; 1000 held out"
  says "a word that is not there" "is not among the words that were learnt"
  [[ $(grep -c '^epoch ' "$work/log") == 3 ]] && ok || bad "a line per epoch"
  [[ $(sed -n 's/^seaa *//p' "$work/log" | grep -o 'sea[a-h]' | wc -l) -ge 7 ]] && ok || bad "neighbours, $softmax"
  [[ $(head -n 1 "$work/loss.csv") == epochs,train_loss,held_out_loss ]] && ok || bad "the loss is written"
  [[ $(head -n 1 "$work/vectors") == "16 16" && $(wc -l <"$work/vectors") == 17 ]] && ok || bad "the vectors are written"
  check "two workers, $softmax" 0 job 2 "${more[@]}"
  near "two workers, $softmax" "$(loss)" "$alone"
done
check "a part of the text" 0 "$program" "${settings[@]}" --max-words 1000
says "a part of the text" "950 words to learn from"

check "worse than it should be" 1 "$program" "${settings[@]}" --max-loss 0.1
says "worse than it should be" "wanted a held-out loss of at most 0.1"
check "no text" 1 "$program" --text "$work/none"
says "no text" "$work/none: can not be opened; examples/word_embedding/get_data.sh fetches a text"
echo "once upon a time" >"$work/short"
check "a text that is too short" 2 "$program" --text "$work/short"
says "a text that is too short" "there are not two words that occur 5 times"
check "a file that can not be written" 1 "$program" "${settings[@]}" --loss-csv "$work/none/loss.csv"
says "a file that can not be written" "$work/none/loss.csv: can not be written"
check "usage" 2 "$program" --dim 0
check "usage: a job" 2 job 1 --window x

# A plot is a PNG where there is matplotlib; elsewhere the script says what to install.
plot=("${PYTHON:-/usr/bin/python3}" "$root/examples/word_embedding/plot_loss.py")
if "${plot[0]}" -c 'import matplotlib' 2>/dev/null; then
  check "plot" 0 "${plot[@]}" "$work/loss.csv" "$work/loss.png"
  [[ $(head -c 4 "$work/loss.png" | tail -c 3) == PNG ]] && ok || bad "the plot is no PNG"
else
  check "no matplotlib" 3 "${plot[@]}" "$work/loss.csv" "$work/loss.png"
  says "no matplotlib" "apt-get install python3-matplotlib"
fi
check "plot of nothing" 1 "${plot[@]}" "$work/none" "$work/loss.png"
check "plot of something else" 1 "${plot[@]}" "$work/text" "$work/loss.png"

real=$build/data/kjv/kjv.txt
if [[ -e $real ]]; then
  check "the real text" 0 "$program" --text "$real" --max-words 100000 --epochs 1 --dim 32
  if [[ -n ${PS_TEST_LONG:-} ]]; then
    for more in "" --hs; do
      for workers in 1 2 4; do
        check "$workers workers $more" 0 job $workers --text "$real" $more
        echo "FIGURE word_embedding $more $workers workers: $(grep 'epoch 10/10' "$work/log")"
        ((workers == 1)) && alone=$(loss)
        near "$workers workers $more" "$(loss)" "$alone"
      done
    done
  fi
fi

echo "$passed passed, $failed failed"
((failed == 0))
