# What the scripts that run an example have in common: source it. Defines root, build, work, passed and failed.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${PS_ROOT:-$here/../..}
build=${PS_BUILD:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export -n PS_BUILD PS_ROOT # the nodes need not see them
passed=0
failed=0

ok() { passed=$((passed + 1)); }
bad() {
  failed=$((failed + 1))
  printf 'FAILED %s\n' "$1"
  tail -n 20 "$work/log"
}
# check NAME CODE COMMAND...: the command ends with CODE.
check() {
  "${@:3}" >"$work/log" 2>&1
  local code=$?
  ((code == $2)) && ok || bad "$1: code $code"
}
# says NAME TEXT: the last command said it.
says() { grep -qF -- "$2" "$work/log" && ok || bad "$1: no '$2'"; }
