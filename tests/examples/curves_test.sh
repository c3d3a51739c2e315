#!/usr/bin/env bash
# examples/curves in its quick form: one epoch on made-up digits, in every language that there is.

. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
[[ -z ${PS_SAN:-} ]] || { echo "other languages can not load a library with a sanitizer"; exit 77; }
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import matplotlib' 2>/dev/null || { echo "there is no matplotlib (make/deps.sh curves)"; exit 77; }
languages=cpp
if [[ -e $root/examples/python/train_mnist.py ]] && "$python" -c 'import numpy' 2>/dev/null; then languages+=,python; fi
if command -v luajit >/dev/null; then languages+=,lua; fi
made=$work/made
check "made-up digits" 0 "$build/examples/mnist/make_digits" "$made" 1000 200
out=$work/out
curves=("$python" "$root/examples/curves/curves.py" --quick --build "$build" --data "$made" --runs "$work/runs" --out "$out"
  --languages "$languages")

check "curves" 0 "${curves[@]}"
count=$(($(tr -cd , <<<"$languages" | wc -c) + 4)) # local, three modes, the other languages
says "all are run" "curves: $count runs, 0 are there"
says "exact" "| 2 | 0.0e+00 | 0.0e+00 |"
says "time" "BSP | not reached"
[[ $(wc -l <"$out/curves.csv") == $((count + 1)) ]] && ok || bad "a line per setting and a header: $(cat "$out/curves.csv")"
for picture in workers $([[ $languages == *,* ]] && echo languages); do
  [[ $(head -c 4 "$out/$picture.png" | tail -c 3) == PNG ]] && ok || bad "$picture.png is no PNG"
  (($(stat -c %s "$out/$picture.png") < 60000)) && ok || bad "$picture.png is too large"
done
grep -F "MNIST" "$out/README.md" >/dev/null && bad "made-up digits are called MNIST" || ok

# The languages begin with the same weights and see the same examples: after an epoch their losses are close.
"$python" - "$out/curves.csv" >"$work/log" 2>&1 <<'END' && ok || bad "the languages are apart"
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if (r["mode"], r["workers"]) == ("dist_sync", "2")]
losses = {r["language"]: float(r["loss"]) for r in rows}
print(losses)
sys.exit(any(abs(loss - losses["cpp"]) > 0.01 * losses["cpp"] for loss in losses.values()))
END

check "again" 0 "${curves[@]}"
says "nothing is run twice" "curves: 0 runs, $count are there"
rm "$work/runs/cpp-dist_async-2-seed1.csv"
sed -i '$d' "$work/runs/cpp-local-1-seed1.csv" # as if it had been interrupted
sed -i '/cpp-dist_sync-2/,/}/s/"of": "/&0/' "$work/runs/runs.json" # as if it had been of another program
check "the rest" 0 "${curves[@]}"
says "what is missing is run" "curves: 3 runs, $((count - 3)) are there"
sed -i 's/^1,\([^,]*\),[^,]*,/1,\1,0.00,/' "$work/runs/cpp-dist_sync-2-seed1.csv"
check "not exact" 1 "${curves[@]}"
says "not exact" "BSP is not what the single process computes"
check "a job that fails" 1 "${curves[@]}" --fresh --data "$work/none"
says "a job that fails" "train-images-idx3-ubyte: can not be opened"
check "usage" 2 "${curves[@]}" --languages lua

echo "$passed passed, $failed failed"
((failed == 0))
