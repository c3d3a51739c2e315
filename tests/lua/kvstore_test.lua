-- KVStore in one process.

local ffi = require "ffi"
local checks = require "checks"
local ps = require "ps"

local INVALID = ps.codes.INVALID_ARGUMENT

checks.test("a store knows who and what it is", function()
  local kv = ps.KVStore("local")
  checks.equal({kv:rank(), kv:num_workers(), kv:type()}, {0, 1, "local"})
  checks.equal({ps.is_distributed("local"), ps.is_distributed("dist_sync")}, {false, true})
  checks.equal(ps.role(), "worker")
end)

checks.test("what is pushed is pulled, for numbers and for texts", function()
  for _, key in ipairs {3, "weight"} do
    local kv = ps.KVStore("local")
    kv:init(key, {0, 0, 0})
    kv:push(key, {1, 2, 3})
    local out = ffi.new("float[3]")
    checks.equal(kv:pull(key, out), out)
    checks.equal({out[0], out[1], out[2]}, {1, 2, 3})
    kv:close()
  end
end)

checks.test("int64_t of the FFI is a key, also where doubles end", function()
  local kv = ps.KVStore("local")
  kv:init({2^53, 9007199254740993LL}, {{1}, {2}})
  local out = ps.zeros(1)
  checks.equal(kv:pull(9007199254740993LL, out):totable(), {2})
  checks.equal(kv:pull(2^53, out):totable(), {1})
end)

checks.test("lists of keys go together, and values of several devices are added up", function()
  local kv = ps.KVStore("local")
  kv:init({"a", "b"}, {ps.zeros(2), ps.zeros {2, 2}})
  kv:push({"a", "b"}, {{1, 2}, ps.tensor({1, 2, 3, 4}, {2, 2})})
  local a, b = ps.zeros(2), ps.zeros {2, 2}
  kv:pull({"a", "b"}, {a, b})
  checks.equal({a:totable(), b:totable()}, {{1, 2}, {1, 2, 3, 4}})
  local first, second = ps.zeros(2), ps.zeros(2)
  kv:pushpull("a", {ps.tensor {1, 2}, ps.tensor {10, 20}}, {first, second})
  checks.equal({first:totable(), second:totable()}, {{11, 22}, {11, 22}})
end)

checks.test("an optimizer makes new values, and its options change", function()
  local kv = ps.KVStore("local")
  kv:init("w", {1, 1})
  kv:set_optimizer("sgd", {lr = 0.5})
  local w = ps.zeros(2)
  checks.equal(kv:pushpull("w", {1, 2}, w):totable(), {0.5, 0})
  kv:set_hyper {lr = 0.25}
  checks.equal(kv:pushpull("w", {1, 2}, w):totable(), {0.25, -0.5})
  kv:barrier()
end)

checks.test("values of every dtype come back as they were", function()
  local kv = ps.KVStore("local")
  for i, dtype in ipairs {"f64", "i32", "i64", "u8", "i8"} do
    kv:init(i, ps.tensor({0, 0}, nil, dtype))
    kv:push(i, ps.tensor({3, 4}, nil, dtype))
    checks.equal(kv:pull(i, ps.zeros({2}, dtype)):totable(), {3, 4})
  end
end)

checks.test("tickets are waited for, in any order, and let go of what was used", function()
  local kv = ps.KVStore("local")
  kv:init("w", ps.zeros(1000))
  local pushed = kv:push_async("w", ps.tensor(ffi.new("float[1000]", 1)))
  local out = ps.zeros(1000)
  local pulled = kv:pull_async("w", out)
  pulled:wait()
  checks.equal(out.data[999], 1)
  ps.wait_all {pushed, pulled, kv:pushpull_async("w", out, out)}
  checks.equal({pushed:done(), pushed:error()}, {true})
  checks.equal(ps.pending(), 0)
end)

checks.test("arrays stay until operations are done, whatever the program drops", function()
  local kv = ps.KVStore("local")
  kv:init("w", ps.zeros(50000))
  for i = 1, 200 do
    kv:push_async("w", ps.tensor(ffi.new("float[50000]", i)))
    kv:pull_async("w", ps.zeros(50000))
    if i % 20 == 0 then collectgarbage() end
  end
  local out = ps.zeros(50000)
  kv:pull("w", out)
  checks.equal({out.data[0], out.data[49999]}, {200, 200})
end)

checks.test("100,000 calls leak nothing, whether their tickets are waited for or not", function()
  local kv = ps.KVStore("local")
  kv:init("w", ps.zeros(10))
  local value, out = ps.zeros(10), ps.zeros(10)
  checks.leaks_nothing(4e6, function()
    for _ = 1, 10000 do
      kv:push("w", value)
      kv:push_async("w", value)
      kv:pull_async("w", out)
      kv:pull_async("w", out):wait()
      pcall(kv.push, kv, "unknown", value)
    end
  end)
  kv:pull("w", out)
  checks.equal(ps.pending(), 0)
end)

checks.test("misuse is an error that says what is wrong", function()
  local kv = ps.KVStore("local")
  kv:init("w", ps.zeros(2))
  checks.fails(INVALID, "2 keys and 1 values", kv.push, kv, {"w", "v"}, {ps.zeros(2)})
  checks.fails(INVALID, "a list of keys needs a list of values", kv.push, kv, {"w", "v"}, ps.zeros(2))
  checks.fails(INVALID, "of one kind", kv.push, kv, {"w", 3}, {ps.zeros(2), ps.zeros(2)})
  checks.fails(INVALID, "key 1.5 is no integer", kv.push, kv, 1.5, ps.zeros(2))
  checks.fails(INVALID, "and not nil", kv.push, kv, nil, ps.zeros(2))
  checks.fails(INVALID, "out 1 is a table", kv.pull, kv, "w", {1, 2})
  checks.fails(INVALID, "", kv.set_optimizer, kv, "sgd", {speed = 1})
  checks.fails(INVALID, "", kv.push, kv, "w", ps.zeros(3))
  checks.equal(pcall(kv.push, kv, "unknown", ps.zeros(2)), false)
  kv:close()
  kv:close()
  checks.fails(INVALID, "PSKVStore", kv.push, kv, "w", ps.zeros(2))
end)

checks.finish()
