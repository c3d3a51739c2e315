#!/usr/bin/env bash
# examples/logistic_regression as a user runs it, on made-up mails whose best possible AUC is known.

. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
program=$build/examples/logistic_regression/logistic_regression
job() { "$root/tracker/local.sh" --timeout 60 "$@"; }

for needed in logistic_regression/logistic_regression spam_filter/make_synthetic; do
  [[ -x $build/examples/$needed ]] || { echo "$build/examples/$needed is not built"; exit 1; }
done
check "made-up mails" 0 "$build/examples/spam_filter/make_synthetic" "$work/mails"
cat >"$work/settings" <<END
train = $work/mails/train.libsvm
test = $work/mails/held_out.libsvm
epochs = 3
beta = 0.5
lambda1 = 0.5
lambda2 = 1
min_auc = $(awk '{ print $1 - 0.01 }' "$work/mails/best_auc.txt")
END

check "alone" 0 "$program" "$work/settings" checkpoint="$work/checkpoint"
says "alone" "test, 4000 examples: AUC 0.9"
[[ $(grep -c '^epoch ./3 ' "$work/log") == 3 ]] && ok || bad "a line per epoch"
check "the checkpoint" 0 "$build/bin/ps_ckpt" list "$work/checkpoint"
says "the checkpoint" "1 tables"
check "two workers" 0 job 2 2 "$program" "$work/settings"
says "two workers" "test, 4000 examples: AUC 0.9"
check "more workers than servers" 0 job 1 3 "$program" "$work/settings"

check "words win over the file" 1 "$program" "$work/settings" epochs=1 min_auc=0.999
says "words win over the file" "worse than it should be: wanted AUC 0.999"
check "no such setting" 2 "$program" "$work/settings" speed=9
says "no such setting" "'speed=9' is not an option"
check "no data" 1 "$program" train="$work/none" test="$work/none"
says "no data" "$work/none"
check "nothing" 2 "$program"
says "nothing" "train and test are required"
says "nothing" "get_data.sh"
check "help" 0 "$program" --help
says "help" "max_pending="

echo "$passed passed, $failed failed"
((failed == 0))
