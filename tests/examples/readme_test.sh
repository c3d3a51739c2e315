#!/bin/bash
# The programs in README.md compile as they stand there and run.
set -eu
[ -z "${PS_SAN:-}" ] || exit 77 # the library was built with other flags
awk -v folder="$TMPDIR" '/^```cpp$/ { ++count; inside = 1; next } /^```$/ { inside = 0 }
  inside { print > (folder "/program" count ".cc") }' "$PS_ROOT/README.md"
programs=("$TMPDIR"/program*.cc)
[ ${#programs[@]} -eq 2 ] || { echo "README.md has ${#programs[@]} programs, not 2"; exit 1; }
for program in "${programs[@]}"; do
  grep -q 'int main' "$program" || { echo "README.md has a program without main"; exit 1; }
  lines=$(wc -l <"$program")
  [ "$lines" -le 30 ] || { echo "a program in README.md has $lines lines: too long for a first look"; exit 1; }
  g++ -std=c++17 -Wall -Wextra -Werror -I"$PS_ROOT/include" "$program" "$PS_BUILD/libps.a" \
    $(pkg-config --libs libzmq protobuf-lite libsodium libxxhash) -ldmlc -pthread -o "${program%.cc}"
  timeout 20 "${program%.cc}"
done
