#!/bin/bash
# The programs in README.md compile as they stand there and run.
set -eu
[ -z "${PS_SAN:-}" ] || exit 77 # the library was built with other flags
awk -v folder="$TMPDIR" '/^```cpp$/ { ++count; inside = 1; end = ".cc"; next } /^```c$/ { ++count; inside = 1; end = ".c"; next }
  /^```$/ { inside = 0 } inside { print > (folder "/program" count end) }' "$PS_ROOT/README.md"
programs=("$TMPDIR"/program*.c*)
[ ${#programs[@]} -eq 5 ] || { echo "README.md has ${#programs[@]} programs, not 5"; exit 1; }
for program in "${programs[@]}"; do
  grep -q 'int main' "$program" || { echo "README.md has a program without main"; exit 1; }
  lines=$(wc -l <"$program")
  [ "$lines" -le 30 ] || { echo "a program in README.md has $lines lines: too long for a first look"; exit 1; }
  compile=(g++ -std=c++17)
  [ "${program##*.}" = cc ] || compile=(gcc -std=c11 -pedantic)
  "${compile[@]}" -Wall -Wextra -Werror -I"$PS_ROOT/include" "$program" -L"$PS_BUILD" -lps -Wl,-rpath,"$PS_BUILD" -pthread \
    -o "${program%.c*}"
  timeout 20 "${program%.c*}"
done
# The one with a KVStore is a job, too, and the one in C.
"$PS_ROOT/tracker/local.sh" --timeout 30 1 2 "$(grep -l ps/kvstore.h "${programs[@]}" | sed 's/\.cc$//')" dist_sync
"$PS_ROOT/tracker/local.sh" --timeout 30 1 2 "$(grep -l ps/c_api.h "${programs[@]}" | sed 's/\.c$//')" | tee "$TMPDIR/sums"
[ "$(grep -c '2 4 6 8' "$TMPDIR/sums")" = 2 ] || { echo "the two workers' sums are not 2 4 6 8"; exit 1; }
