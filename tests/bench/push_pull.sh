#!/bin/bash
# What a push and pull of 4 MB costs in Python against C++, in jobs of one server and one worker on this machine: the
# two in turns, so that other work on it meets both. push_pull.sh [turns] [rounds]
set -euo pipefail
turns=${1:-7} rounds=${2:-300}
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${PS_BUILD:-build}" && pwd)
export PYTHONPATH=$build/python
figures=$(mktemp -d)
trap 'rm -rf "$figures"' EXIT

# one_job NAME COMMAND...: the median time of a round, and the worker's processor time for one.
one_job() {
  local name=$1
  shift
  "$here/../../tracker/local.sh" --no-prefix --timeout 300 1 1 "$@" "$rounds" >> "$figures/$name"
}

# nth NAME COLUMN N: the N-th of the figures of the jobs, from the least on.
nth() { cut -d' ' -f"$2" "$figures/$1" | sort -n | sed -n "$3p"; }

for ((i = 0; i < turns; i++)); do
  one_job cpp "$build/bench/push_pull"
  one_job python "${PYTHON:-/usr/bin/python3}" "$here/push_pull.py"
done
echo "push-pull of 4 MB, dist_sync, 1 server, 1 worker, $turns jobs of $rounds rounds each, in microseconds:"
for column in 1 2; do
  what=$([ $column = 1 ] && echo 'a round (median of a job)' || echo 'processor time of the worker for a round')
  for place in "$(((turns + 1) / 2))" 1; do
    which=$([ "$place" = 1 ] && echo 'least disturbed job' || echo 'median of the jobs')
    awk -v what="$what, $which" -v c="$(nth cpp $column "$place")" -v p="$(nth python $column "$place")" \
      'BEGIN { printf "%s: C++ %.0f, Python %.0f, Python / C++ = %.3f\n", what, c, p, p / c }'
  done
done
