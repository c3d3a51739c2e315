#!/usr/bin/env bash
# usage: example.sh BUILD NAME: runs an example in its form for GPUs, on the first of them. Exit code: the example's;
# 77: there is none.
set -euo pipefail
program=$1/examples/gpu/$2
case $2 in
  *dist*) # its scheduler and server need no GPU, and would not know that there is none
    "$1/examples/gpu/mshadow_local_sum" 0 >/dev/null || exit
    "$(dirname "$0")/../../tracker/local.sh" --timeout 60 1 3 "$program" 0
    ;;
  mlp*)
    digits=$(mktemp -d)
    trap 'rm -rf "$digits"' EXIT
    "$1/examples/mnist/make_digits" "$digits" 20000 2000
    "$program" 0 "$digits"
    ;;
  *) "$program" 0 ;;
esac
echo "gpu-check: $2: passed"
