#!/bin/bash
# The points of the protocol at which tests kill processes (base/test_point.h) are in the tests' programs alone.
set -euo pipefail

build=${PS_BUILD:-build}
# points FILE: how many references to the hook are in it.
points() { nm -C "$1" 2>/dev/null | grep -c OnTestPoint || true; }

[ "$(points "$build/process/trainer")" -gt 0 ] || { echo "process/trainer has no points: this test sees nothing"; exit 1; }
for shipped in libps.a libps.so.1; do
  [ -e "$build/$shipped" ] || { echo "$shipped is missing"; exit 1; }
  [ "$(points "$build/$shipped")" -eq 0 ] || { echo "$shipped contains test points"; exit 1; }
  ! grep -aq 'chunk\.after_send' "$build/$shipped" || { echo "$shipped contains the name of a test point"; exit 1; }
done
