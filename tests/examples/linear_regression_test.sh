#!/usr/bin/env bash
# Linear regression with every type of store: the program itself fails when it has not found the weights.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${PS_ROOT:-$here/../..}
build=${PS_BUILD:-$root/build}
program=$build/examples/linear_regression
export -n PS_BUILD PS_ROOT # the nodes need not see them
passed=0
failed=0

check() {
  local name=$1 out code
  out=$("${@:2}" 2>&1)
  code=$?
  if ((code == 0)) && [[ $out == *"distance from the truth: 0.00"*" samples/s"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: code %s\n%s\n' "$name" "$code" "$out"
  fi
}

[[ -x $program ]] || { echo "$program is not built"; exit 1; }
for type in local device; do
  check "$type" "$program" --kvstore $type
done
for type in dist_sync dist_async dist_ssp:2 dist_device_sync; do
  check "$type" "$root/tracker/local.sh" --timeout 60 2 2 "$program" --kvstore $type
done
check "more workers than servers" "$root/tracker/local.sh" --timeout 60 1 3 "$program" --kvstore dist_sync

"$program" >/dev/null 2>&1
[[ $? == 2 ]] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAILED no arguments are not a usage error"; }

# says NAME TEXT COMMAND...: fails, and says so.
says() {
  local out
  if out=$("${@:3}" 2>&1) || [[ $out != *"$2"* ]]; then
    failed=$((failed + 1))
    printf 'FAILED %s: %s\n' "$1" "$out"
  else
    passed=$((passed + 1))
  fi
}
says "a misspelt type" "there are local, " "$program" --kvstore dist_synk
says "a distributed type without a job" "tracker/local.sh" env -u DMLC_ROLE "$program" --kvstore dist_sync

echo "$passed passed, $failed failed"
((failed == 0))
