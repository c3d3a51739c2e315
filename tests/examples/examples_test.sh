#!/usr/bin/env bash
# The example programs as a user runs them, each with several shapes of the job, and the demo on made-up mails.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${PS_ROOT:-$here/../..}
build=${PS_BUILD:-$root/build}
local_sh=$root/tracker/local.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SPAM_DATA=$work/data
export -n PS_BUILD PS_ROOT # the nodes need not see them
passed=0
failed=0

# check NAME COMMAND...: the command ends with 0.
check() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name"
    tail -n 20 "$work/log"
  fi
}

# says NAME TEXT: the last command said it.
says() {
  if grep -qF -- "$2" "$work/log"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1: no '$2'"
    tail -n 20 "$work/log"
  fi
}

for program in hello_kv hello_cluster hello_store asgd model_averaging custom_handle spam_filter/spam_filter spam_filter/make_synthetic; do
  [[ -x $build/examples/$program ]] || { echo "$build/examples/$program is not built"; exit 1; }
done

check "hello_cluster" "$build/examples/hello_cluster"
check "hello_store" "$build/examples/hello_store"
check "asgd" "$build/examples/asgd"
check "asgd, both roles" "$local_sh" --timeout 30 --joint 3 "$build/examples/asgd"
says "asgd tells of its workers" "worker 2 of 3: the largest error"
check "asgd, roles apart" "$local_sh" --timeout 30 2 2 "$build/examples/asgd"
bad_asgd() { ! "$build/examples/asgd" -steps=2; }
check "asgd that has not learned fails" bad_asgd
check "model_averaging" "$build/examples/model_averaging"
check "model_averaging, three workers" "$local_sh" --timeout 30 0 3 "$build/examples/model_averaging"
says "model_averaging tells of its workers" "worker 2 of 3: accuracy"
says "and that they have one model" "the same model everywhere"
check "model_averaging, both roles" "$local_sh" --timeout 30 --joint 2 "$build/examples/model_averaging"
bad_averaging() { ! "$build/examples/model_averaging" -rounds=1 -steps=1; }
check "a model that has not learned fails" bad_averaging
for shape in "1 1" "2 2" "1 3" "3 4"; do
  for program in hello_kv custom_handle; do
    check "$program $shape" "$local_sh" --timeout 30 $shape "$build/examples/$program"
  done
done
says "custom_handle tells why NaN was refused" "NaN has no place in a maximum"

check "demo on made-up mails" env PS_BUILD="$build" "$root/examples/spam_filter/demo.sh" --synthetic 2 2
says "demo prints the held-out figures" "held out, 4000 mails: AUC 0.9"
says "demo prints words" "most like spam"

files=("train=$work/data/synthetic/train.libsvm" "held_out=$work/data/synthetic/held_out.libsvm")
check "more workers than one server" "$local_sh" --timeout 60 1 3 "$build/examples/spam_filter/spam_filter" "${files[@]}" min_auc=0.945
fails_when_bad() {
  ! "$local_sh" --timeout 60 1 1 "$build/examples/spam_filter/spam_filter" "${files[@]}" epochs=1 min_auc=0.999
}
check "a bad model fails the run" fails_when_bad
says "and says so" "worse than it should be"

echo "$passed passed, $failed failed"
((failed == 0))
