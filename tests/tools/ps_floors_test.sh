#!/usr/bin/env bash
# Every floor of ps_floors measures when it is told to, and leaves nothing behind.
set -uo pipefail
floors=$PS_BUILD/bin/ps_floors
failed=0

fail() { echo "$1" >&2; failed=1; }

[[ $PS_SAN != thread ]] || exit 77 # it does not see from process to process

usage=$("$floors" 2>&1)
[[ $? == 2 ]] || fail "no usage without arguments"
names=${usage##*NAME:}
[[ $(wc -w <<<"$names") -ge 13 ]] || fail "floors are missing in: $usage"

for name in $names; do
  out=$(printf 'go\ngo\n' | "$floors" "$name" total_bytes=1000000 count=20 seconds=0.05 2>&1) || fail "$name: $out"
  [[ $(head -1 <<<"$out") == ready && $(wc -l <<<"$out") == 3 ]] || fail "$name printed: $out"
  for figure in $(tail -n +2 <<<"$out"); do
    [[ $figure =~ ^[a-z0-9_]+=[0-9.e+-]+$ && ! $figure =~ =-|=0$ ]] || fail "$name: '$figure' is no positive figure"
  done
done

for bytes in 64 65536 1048576; do # streams of several pieces and messages
  for name in ring ring-cold tcp-stream zmq-stream; do
    out=$(echo go | "$floors" "$name" bytes=$bytes total_bytes=4000000 2>&1) || fail "$name of $bytes bytes: $out"
  done
done

"$floors" no-such-floor 2>/dev/null && fail "a floor that does not exist"
out=$("$floors" tick what=1 2>&1 </dev/null)
[[ $? == 2 && $out == *"there is no 'what'"* ]] || fail "what=1: $out"
out=$(echo stop | "$floors" tick 2>&1)
[[ $? == 1 && $out == *"'stop' instead of 'go'"* ]] || fail "stop: $out"
exit "$failed"
