#!/usr/bin/env bash
# Programs in Lua as a user runs them: the one in README.md, and examples/lua.

. "$(dirname "${BASH_SOURCE[0]}")/../examples/checks.sh"
luajit=${LUAJIT:-luajit}
command -v "$luajit" >/dev/null || { echo "there is no luajit (make/deps.sh lua)"; exit 77; }
[[ -z ${PS_SAN:-} ]] || { echo "luajit can not load a library with a sanitizer"; exit 77; }
export PS_LIBRARY=$build/libps.so.1 LUA_PATH="$root/src/lua/?.lua;;"
job() { "$root/tracker/local.sh" --timeout 100 "$@"; }

# The program in README.md runs as it stands there, alone and as a job.
awk '/^```lua$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/README.md" >"$work/readme.lua"
cd "$root" || exit 1
check "README.md" 0 "$luajit" "$work/readme.lua"
says "README.md" "-0.1000"
check "README.md as a job" 0 job 1 2 "$luajit" "$work/readme.lua" dist_sync
says "README.md as a job" "[W1] -0.2000"

# The example: one process and two workers are one curve, in all bits.
made=$work/made
check "made-up digits" 0 "$build/examples/mnist/make_digits" "$made" 1500 300
train=("$luajit" "$root/examples/lua/train_mnist.lua" --data "$made" --epochs 3 --seed 5)
columns() { cut -d, -f1,3,4 "$work/$1.csv"; }
check "train" 0 "${train[@]}" --csv "$work/alone.csv" --min_accuracy 60
[[ $(columns alone | wc -l) == 4 ]] && ok || bad "a line per epoch, and a header"
check "train, dist_sync" 0 job 1 2 "${train[@]}" --csv "$work/two.csv" --mode dist_sync
[[ $(columns two) == "$(columns alone)" ]] && ok || bad "dist_sync: $(columns two) and not $(columns alone)"
check "train, dist_ssp" 0 job 1 2 "${train[@]}" --mode dist_ssp:2
check "worse than it should be" 1 "${train[@]}" --min_accuracy 100
says "worse than it should be" "wanted an accuracy of 100.00 %"
check "no data" 1 "${train[@]}" --data "$work"
says "no data" "train-images-idx3-ubyte: can not be opened; examples/mnist/get_data.sh"
check "usage" 2 "${train[@]}" --speed 9
check "blocks that can not be shared" 1 job 1 2 "${train[@]}" --mode dist_sync --blocks 3
says "blocks that can not be shared" "3 blocks can not be shared equally by 2 workers"

echo "$passed passed, $failed failed"
((failed == 0))
