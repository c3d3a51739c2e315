#!/bin/bash
# What the C headers declare is what libps.so offers: no more, no less.
set -euo pipefail
declared=$(sed -n 's/.*\bPS_C_API\b.*[ *]\(PS[A-Za-z]*\)(.*/\1/p' "$PS_ROOT"/include/ps/c/*.h | sort)
offered=$(nm -D --defined-only "$PS_BUILD/libps.so" | sed -n 's/.* T \(PS[A-Za-z]*\)$/\1/p' | sort)
[ "$(wc -w <<<"$declared")" -ge 120 ] || { echo "only $(wc -w <<<"$declared") declarations were found"; exit 1; }
# Each declaration is found by the pattern above.
[ "$(cat "$PS_ROOT"/include/ps/c/*.h | grep -v '#define' | grep -c '\bPS_C_API\b')" = "$(wc -w <<<"$declared")" ] ||
  { echo "a declaration is written in another way than the others"; exit 1; }
diff <(echo "$declared") <(echo "$offered") >&2 ||
  { echo "declared (<) and offered (>) are not the same" >&2; exit 1; }
