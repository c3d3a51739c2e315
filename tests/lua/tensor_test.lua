-- Tensors, tickets and errors, in one process.

local ffi = require "ffi"
local checks = require "checks"
local ps = require "ps"

local INVALID = ps.codes.INVALID_ARGUMENT

checks.test("an array is used where it lies, with the dtype that it is of", function()
  for element, dtype in pairs {float = "f32", double = "f64", int8_t = "i8", uint8_t = "u8", int16_t = "i16",
                               uint16_t = "u16", int32_t = "i32", uint32_t = "u32", int64_t = "i64",
                               uint64_t = "u64", bool = "bool"} do
    local array = ffi.new(element .. "[?]", 6)
    local tensor = ps.tensor(array, {2, 3})
    checks.equal(tensor.dtype, dtype)
    checks.equal(tensor.size, 6)
    array[5] = 1
    checks.equal(tensor:totable(), dtype == "bool" and {false, false, false, false, false, true} or {0, 0, 0, 0, 0, 1})
    local fixed = ps.tensor(ffi.new(element .. "[4]"))
    checks.equal(fixed.shape, {4})
    checks.equal(fixed.dtype, dtype)
  end
end)

checks.test("16-bit floats are named", function()
  local array = ffi.new("uint16_t[2]", 0x3f80, 0x4000)
  checks.equal(ps.tensor(array, nil, "bf16").dtype, "bf16")
  checks.equal(ps.tensor(array).dtype, "u16")
end)

checks.test("a pointer needs a shape", function()
  local array = ffi.new("double[6]")
  checks.equal(ps.tensor(ffi.cast("double*", array), {3}).size, 3)
  checks.fails(INVALID, "shape is needed", ps.tensor, ffi.cast("double*", array))
end)

checks.test("a table of numbers is copied", function()
  local tensor = ps.tensor {1, 2.5}
  checks.equal(tensor:totable(), {1, 2.5})
  checks.equal(tensor.dtype, "f32")
  checks.equal(ps.tensor({1, 2}, {2, 1}, "i64").dtype, "i64")
  checks.equal(tostring(ps.zeros {2, 3}), "ps.tensor(f32, {2, 3})")
end)

checks.test("what is no array is refused", function()
  checks.fails(INVALID, "is no array of numbers", ps.tensor, ffi.new("struct { int a; }"))
  checks.fails(INVALID, "and not of nil", ps.tensor, nil)
  checks.fails(INVALID, "element 2 is no number", ps.tensor, {1, "x"})
  checks.fails(INVALID, "a shape of 7 elements for an array of 6", ps.tensor, ffi.new("float[6]"), {7})
  checks.fails(INVALID, "shape[1] is 1.5", ps.tensor, ffi.new("float[6]"), {1.5, 4})
  checks.fails(INVALID, "dtype f8", ps.zeros, {1}, "f8")
end)

checks.test("errors have a code, a name, a text and the line that called", function()
  local err = checks.fails(INVALID, "nonsense", ps.KVStore, "nonsense")
  checks.equal(err.name, "InvalidArgument")
  local line = debug.getinfo(1, "l").currentline + 1
  local _, other = pcall(function() ps.KVStore("nonsense") end)
  checks.contains(other, "tensor_test.lua:" .. line .. ": ps: InvalidArgument: ")
end)

checks.test("handles that nobody uses any more are given back", function()
  checks.leaks_nothing(8e6, function()
    for _ = 1, 50000 do ps.zeros({1000}) end
  end)
end)

checks.finish()
