-- One job of all roles: KVStore and tables over processes. tests/lua/lua_test.sh starts it.

local ffi = require "ffi"
local checks = require "checks"
local ps = require "ps"

ps.serve()
checks.equal(ps.role(), "worker")
local finalizes = arg[1] == "--finalize"
if finalizes then ps.init() end
local kv = ps.KVStore("dist_sync")
local rank, num_workers = ps.rank(), ps.num_workers()

checks.test("ranks and numbers", function()
  checks.equal({kv:rank(), kv:num_workers()}, {rank, num_workers})
  assert(ps.num_servers() >= 1 and rank < num_workers)
end)

checks.test("what all workers push is added up", function()
  for _, key in ipairs {"text", "another"} do
    kv:init(key, ps.zeros(100000))
    local sum = kv:pushpull(key, ps.tensor(ffi.new("float[100000]", rank + 1)), ps.zeros(100000))
    checks.equal(sum.data[99999], num_workers * (num_workers + 1) / 2)
  end
  local numbered = ps.KVStore("dist_sync", {name = "numbers"})
  numbered:init(7, ps.zeros(3))
  checks.equal(numbered:pushpull(7, {rank, 1, 0}, ps.zeros(3)):totable(),
               {num_workers * (num_workers - 1) / 2, num_workers, 0})
  numbered:close()
end)

checks.test("arrays stay until operations are done, whatever the program drops", function()
  kv:init("dropped", ps.zeros(100000))
  for round = 1, 30 do
    kv:push_async("dropped", ps.tensor(ffi.new("float[100000]", round)))
    kv:pull_async("dropped", ps.zeros(100000))
    collectgarbage()
    collectgarbage()
  end
  local out = kv:pull("dropped", ps.zeros(100000))
  checks.equal({out.data[0], out.data[99999]}, {30 * num_workers, 30 * num_workers})
end)

checks.test("a pull that nobody can answer yet is waited for, and says so", function()
  kv:init("late", ps.zeros(1))
  kv:barrier()
  if rank == 0 then
    local ticket = kv:pushpull_async("late", {1}, ps.zeros(1))
    if num_workers > 1 then
      checks.equal(ticket:done(), false)
      checks.fails(ps.codes.DEADLINE_EXCEEDED, "", ticket.wait, ticket, 0.05)
      checks.equal(ticket:error(), nil)
    end
    ps.barrier()
    ticket:wait()
  else
    ps.barrier()
    kv:pushpull("late", {1}, ps.zeros(1))
  end
end)

checks.test("tables are shared, and a barrier makes what was added seen", function()
  local store = ps.store()
  local array = ps.ArrayTable {name = "counts", size = 10, dtype = "i64"}
  local matrix = ps.MatrixTable {name = "rows", rows = 50, cols = 4, store = store}
  array:add {1, 0, 0, 0, 0, 0, 0, 0, 0, rank}
  matrix:add_rows_async({rank, 49}, {1, 1, 1, 1, 2, 2, 2, 2})
  store:barrier()
  checks.equal({tonumber(array:get().data[0]), tonumber(array:get().data[9])},
               {num_workers, num_workers * (num_workers - 1) / 2})
  checks.equal(matrix:get_rows({49, 0}):totable(), {2 * num_workers, 2 * num_workers, 2 * num_workers,
                                                    2 * num_workers, 1, 1, 1, 1})
  store:barrier()
end)

checks.finish()
if finalizes then ps.finalize() end
