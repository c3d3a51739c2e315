#!/bin/bash
# The programs in README.md compile as they stand there and run.
set -eu
[ -z "${PS_SAN:-}" ] || exit 77 # the library was built with other flags
awk -v folder="$TMPDIR" '/^```cpp$/ { ++count; inside = 1; next } /^```$/ { inside = 0 }
  inside { print > (folder "/program" count ".cc") }' "$PS_ROOT/README.md"
programs=("$TMPDIR"/program*.cc)
[ ${#programs[@]} -eq 4 ] || { echo "README.md has ${#programs[@]} programs, not 4"; exit 1; }
for program in "${programs[@]}"; do
  grep -q 'int main' "$program" || { echo "README.md has a program without main"; exit 1; }
  lines=$(wc -l <"$program")
  [ "$lines" -le 30 ] || { echo "a program in README.md has $lines lines: too long for a first look"; exit 1; }
  g++ -std=c++17 -Wall -Wextra -Werror -I"$PS_ROOT/include" "$program" -L"$PS_BUILD" -lps -Wl,-rpath,"$PS_BUILD" -pthread \
    -o "${program%.cc}"
  timeout 20 "${program%.cc}"
done
# The one with a KVStore is a job, too.
"$PS_ROOT/tracker/local.sh" --timeout 30 1 2 "$(grep -l ps/kvstore.h "${programs[@]}" | sed 's/\.cc$//')" dist_sync
