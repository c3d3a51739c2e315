#!/usr/bin/env bash
# src/lua as a user of LuaJIT runs it: alone, and as a job of all roles.

. "$(dirname "${BASH_SOURCE[0]}")/../examples/checks.sh"
luajit=${LUAJIT:-luajit}
command -v "$luajit" >/dev/null || { echo "there is no luajit (make/deps.sh lua)"; exit 77; }
[[ -z ${PS_SAN:-} ]] || { echo "luajit can not load a library with a sanitizer"; exit 77; }
export PS_LIBRARY=$build/libps.so.1 LUA_PATH="$root/src/lua/?.lua;$root/tests/lua/?.lua;$root/examples/lua/?.lua;;"
job() { "$root/tracker/local.sh" --timeout 100 "$@"; }
tests=$root/tests/lua

check "declarations" 0 "$luajit" "$tests/declarations_test.lua" "$root/include/ps/c"
check "no drift" 1 "$luajit" "$tests/declarations_test.lua" "$work"
for name in tensor kvstore table starts; do check "$name" 0 "$luajit" "$tests/${name}_test.lua"; done

check "a job" 0 job 2 2 "$luajit" "$tests/job.lua" --finalize
says "a job" "[W1] job.lua: 5 passed, 0 failed"
check "a job that ends without finalize" 0 job 1 1 "$luajit" "$tests/job.lua"

# Memory stays until what is under way is done, also where the program ends before.
check "an end amid operations" 0 job 1 2 "$luajit" -e 'local ps = require "ps"; ps.serve()
  local ffi, kv = require "ffi", ps.KVStore("dist_sync")
  kv:init("w", ps.zeros(1000000))
  for i = 1, 5 do kv:pushpull_async("w", ps.tensor(ffi.new("float[1000000]", i)), ps.zeros(1000000)) end'

# A worker that fails takes the job with it, and servers end.
check "an error of a worker" 1 job 1 2 "$luajit" -e 'local ps = require "ps"; ps.serve()
  local kv = ps.KVStore("dist_sync")
  kv:init("w", {0})
  kv:push("w", {1, 2})'
says "an error of a worker" "ps: InvalidArgument: "
check "no library" 1 env PS_LIBRARY="$work/none.so" "$luajit" -e 'require "ps"'
says "no library" "$work/none.so"
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

# From anywhere, without variables: the library is that of the sources' build folder.
if [[ $build -ef $root/build ]]; then
  check "without variables" 0 env -u PS_LIBRARY -u LUA_PATH -C "$work" "$luajit" -e "
    package.path = '$root/src/lua/?.lua;' .. package.path
    assert(require('ps').KVStore('local'):num_workers() == 1)"
fi
mkdir -p "$work/share/lua" "$work/lib"
cp -r "$root/src/lua" "$work/share/lua/5.1"
ln -s "$build/libps.so.1" "$work/lib/"
check "installed" 0 env -u PS_LIBRARY -u LUA_PATH -C "$work" "$luajit" -e '
  package.path = "share/lua/5.1/?.lua;" .. package.path
  assert(require("ps").version)'

echo "$passed passed, $failed failed"
((failed == 0))
