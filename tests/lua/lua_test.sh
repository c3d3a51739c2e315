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
# One in ps.main ends at once, where the other's push is waited for.
check "ps.main" 0 job 1 2 "$luajit" -e 'local ps = require "ps"; ps.serve()
  ps.main(function(size) ps.KVStore("dist_sync"):init("w", ps.zeros(size)) end, 3)'
check "a failure in ps.main" 1 env DMLC_ROLE=worker "$luajit" -e 'local ps = require "ps"
  ps.main(function() error("why") end)'
says "a failure in ps.main" "why"
check "a failure amid a job" 1 job 1 2 "$luajit" -e 'local ps = require "ps"; ps.serve()
  ps.main(function()
    local kv = ps.KVStore("dist_sync")
    kv:init("w", {0})
    kv:pull("w")
    if kv:rank() == 0 then error("the first gives up") end
    kv:push("w", {1})
    kv:pull("w")
  end)'
says "a failure amid a job" "the first gives up"
check "no library" 1 env PS_LIBRARY="$work/none.so" "$luajit" -e 'require "ps"'
says "no library" "$work/none.so"
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
