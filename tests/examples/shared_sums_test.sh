#!/usr/bin/env bash
# local_sum and dist_async_sum as a user runs them, and as programs in mshadow-ps' shape.

. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
# count NAME TEXT N: the last command said it N times at least.
count() { (($(grep -cF -- "$2" "$work/log") >= $3)) && ok || bad "$1: '$2' fewer than $3 times"; }

for prefix in "" mshadow_; do
  local_sum=$build/examples/${prefix}local_sum
  dist_sum=$build/examples/${prefix}dist_async_sum
  for program in "$local_sum" "$dist_sum"; do
    [[ -x $program ]] || { echo "$program is not built"; exit 1; }
  done

  check "${prefix}local_sum, three devices" 0 "$local_sum" 0 1 2
  count "${prefix}local_sum, three devices" ": 3 3 3 6 6 6" 3
  check "${prefix}local_sum, four devices" 0 "$local_sum" 0 1 2 3
  count "${prefix}local_sum, four devices" ": 4 4 4 10 10 10" 4
  check "${prefix}local_sum, one device" 0 "$local_sum" 7
  check "${prefix}local_sum, a device twice" 1 "$local_sum" 1 1
  check "${prefix}local_sum, no device" 2 "$local_sum"

  check "${prefix}dist_async_sum" 0 "$root/tracker/local.sh" --timeout 60 1 3 "$dist_sum" 1 2
  count "${prefix}dist_async_sum" "key 1 is 9 after its push" 1
  count "${prefix}dist_async_sum" ": 9 at last" 3
  check "${prefix}dist_async_sum, two servers" 0 "$root/tracker/local.sh" --timeout 60 2 2 "$dist_sum" 5
  count "${prefix}dist_async_sum, two servers" ": 10 at last" 2
done

echo "$passed passed, $failed failed"
((failed == 0))
