-- Tables in one process.

local ffi = require "ffi"
local checks = require "checks"
local ps = require "ps"

local INVALID = ps.codes.INVALID_ARGUMENT

checks.test("an array is added to and read as a whole", function()
  local array = ps.ArrayTable {name = "array", size = 3}
  array:add {1, 2, 3}
  array:add(ffi.new("float[3]", 1))
  checks.equal(array:get():totable(), {2, 3, 4})
  local out = ffi.new("float[3]")
  checks.equal(array:get(out), out)
  checks.equal(out[2], 4)
  array:set {0, 0, 7}
  checks.equal(array:get():totable(), {0, 0, 7})
end)

checks.test("a matrix as a whole and by rows", function()
  local matrix = ps.MatrixTable {name = "matrix", rows = 4, cols = 2, dtype = "f64"}
  matrix:add_rows({3, 0, 3}, {1, 2, 3, 4, 5, 6})
  checks.equal(matrix:get_rows({0, 3, 1}):totable(), {3, 4, 6, 8, 0, 0})
  local all = matrix:get()
  checks.equal(all.shape, {4, 2})
  checks.equal(all:totable(), {3, 4, 0, 0, 0, 0, 6, 8})
  matrix:set_rows({1}, {9, 9})
  local out = ps.zeros({1, 2}, "f64")
  checks.equal(matrix:get_rows({1}, out):totable(), {9, 9})
end)

checks.test("a rule has its options, for all and from a call on", function()
  local array = ps.ArrayTable {name = "rule", size = 1, updater = "sgd lr=0.5", init = "1"}
  array:add {1}
  checks.equal(array:get():totable(), {0.5})
  array:add({1}, "lr=0.25")
  checks.equal(array:get():totable(), {0.25})
end)

checks.test("a start may be a number, and texts go to C whole or not at all", function()
  checks.equal(ps.ArrayTable({name = "start", size = 2, init = 0.5}):get():totable(), {0.5, 0.5})
  checks.fails(INVALID, "0 byte", ps.ArrayTable, {name = "a\0b", size = 1})
  checks.fails(INVALID, "mode", ps.ArrayTable, {name = "mode", size = 1, mode = {}})
  checks.fails(INVALID, "0 byte", ps.KVStore("local").init, ps.KVStore("local"), "a\0b", {1})
end)

checks.test("tickets of tables", function()
  local matrix = ps.MatrixTable {name = "tickets", rows = 100, cols = 10}
  local tickets = {}
  for row = 0, 99 do tickets[#tickets + 1] = matrix:add_rows_async({row}, ffi.new("float[10]", row)) end
  collectgarbage()
  ps.wait_all(tickets)
  local ticket, rows = matrix:get_rows_async({99, 5})
  ticket:wait(10)
  checks.equal({rows.data[0], rows.data[10]}, {99, 5})
  local whole, all = matrix:get_async()
  whole:wait()
  checks.equal(all.data[999], 99)
  checks.equal(ps.pending(), 0)
end)

checks.test("stores of this process share their tables", function()
  local stores = ps.local_stores(2, 2)
  checks.equal({stores[1]:rank(), stores[2]:rank(), stores[1]:num_workers()}, {0, 1, 2})
  local first = ps.ArrayTable {name = "shared", size = 4, store = stores[1], dtype = "i64"}
  local second = ps.ArrayTable {name = "shared", size = 4, store = stores[2], dtype = "i64"}
  first:add {1, 2, 3, 4}
  stores[1]:flush()
  checks.equal(second:get():totable(), {1, 2, 3, 4})
  checks.fails(ps.codes.ALREADY_EXISTS, "shared", ps.ArrayTable,
               {name = "shared", size = 5, store = stores[2], dtype = "i64"})
  first:close()
  second:close()
  stores[1]:close()
  stores[2]:close()
end)

checks.test("misuse is an error that says what is wrong", function()
  local matrix = ps.MatrixTable {name = "misuse", rows = 4, cols = 2}
  checks.fails(INVALID, "misuse", matrix.add, matrix, {1, 2, 3})
  checks.fails(INVALID, "misuse", matrix.add_rows, matrix, {4}, {1, 2})
  checks.fails(INVALID, "values of f64 for a table of f32", matrix.add, matrix, ffi.new("double[8]"))
  checks.fails(INVALID, "are read into an array or a tensor", matrix.get, matrix, {})
  checks.fails(INVALID, "dtype f8", ps.ArrayTable, {name = "x", size = 1, dtype = "f8"})
  checks.fails(INVALID, "", ps.ArrayTable, {size = 1})
  matrix:close()
  checks.fails(INVALID, "PSTable", matrix.get, matrix)
end)

checks.finish()
