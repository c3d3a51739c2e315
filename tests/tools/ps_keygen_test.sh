#!/usr/bin/env bash
# ps_keygen makes a pair that only its owner can read, and replaces none unless asked.
set -uo pipefail
keygen=$PS_BUILD/bin/ps_keygen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() { echo "line ${BASH_LINENO[1]}: $1" >&2; failed=1; }
equal() { [[ $1 == "$2" ]] || fail "wanted '$2', got '$1'"; }
contains() { [[ $1 == *"$2"* ]] || fail "no '$2' in '$1'"; }
run() { out=$("$keygen" "$@" 2>"$work/err"); code=$?; err=$(<"$work/err"); }

umask 000 # the tool's own modes count
run "$work/keys"
equal "$code" 0
equal "$err" ""
contains "$out" PS_CURVE_DIR
equal "$(stat -c %a "$work/keys")" 700
equal "$(stat -c %a "$work/keys/job.key" "$work/keys/job.pub" | sort -u)" 600
equal "$(ls "$work/keys")" $'job.key\njob.pub'
for file in job.key job.pub; do
  [[ $(<"$work/keys/$file") =~ ^[^[:space:]]{40}$ ]] || fail "$file holds no key"
done
contains_not_secret() { [[ $1 != *"$(<"$work/keys/job.key")"* ]] || fail "the secret is shown"; }
contains_not_secret "$out$err"

first=$(cat "$work/keys"/*)
run "$work/keys"
equal "$code" 1
contains "$err" "job.pub is there already"
contains "$err" "--force"
equal "$(cat "$work/keys"/*)" "$first"

run --force "$work/keys"
equal "$code" 0
[[ $(cat "$work/keys"/*) != "$first" ]] || fail "--force made no new pair"
equal "$(stat -c %a "$work/keys/job.key" "$work/keys/job.pub" | sort -u)" 600

run "$work/no/such/place"
equal "$code" 1
contains "$err" "$work/no/such/place"
equal "$(wc -l <<<"$err")" 1

run --help
equal "$code" 0
contains "$out" DIR
contains "$out" --force
for arguments in "" "--what" "one two"; do
  run $arguments
  equal "$code" 2
  [[ -n $err ]] || fail "nothing is said about '$arguments'"
done
[[ ! -e one ]] || fail "made a pair although the arguments were wrong"
exit "$failed"
