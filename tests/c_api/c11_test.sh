#!/bin/bash
# A C11 program that was linked with libps.so alone uses every kind of function.
set -euo pipefail
program=$PS_BUILD/c_api/c11
needed=$(readelf -d "$program" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
grep -x 'libps.so.1' <<<"$needed" >/dev/null || { echo "it does not use libps.so.1 but $needed"; exit 1; }
if grep -E 'stdc\+\+|zmq|dmlc|protobuf' <<<"$needed"; then
  echo "a C program should not need these"; exit 1
fi
exec "$program"
