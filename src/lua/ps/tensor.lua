--- Tensors: arrays of the FFI with a shape, which the library uses where they lie.

local ffi = require "ffi"
local library = require("ps.declarations").library
local errors = require "ps.errors"

local tensor = {}

-- Name, code (PSDType) and type in C; 16-bit floats are bits.
local kinds = {
  {"f32", 0, "float"}, {"f64", 1, "double"}, {"f16", 2, "uint16_t"}, {"u8", 3, "uint8_t"}, {"i32", 4, "int32_t"},
  {"i8", 5, "int8_t"}, {"i64", 6, "int64_t"}, {"bool", 7, "bool"}, {"i16", 8, "int16_t"}, {"u16", 9, "uint16_t"},
  {"u32", 10, "uint32_t"}, {"u64", 11, "uint64_t"}, {"bf16", 12, "uint16_t"},
}

--- By name and by code: {name=, code=, size= bytes, array= type of an array, pointer=}.
tensor.dtypes = {}
local by_element = {}  -- the same by the FFI's name of a pointer to the element

for _, kind in ipairs(kinds) do
  local name, code, element = kind[1], kind[2], kind[3]
  local dtype = {name = name, code = code, size = ffi.sizeof(element), array = ffi.typeof(element .. "[?]"),
                 pointer = ffi.typeof(element .. "*")}
  tensor.dtypes[name], tensor.dtypes[code] = dtype, dtype
  if name ~= "f16" and name ~= "bf16" then by_element[tostring(dtype.pointer)] = dtype end
end

--- The dtype of a name, as "f32".
function tensor.dtype(name)
  return errors.need(type(name) == "string" and tensor.dtypes[name],
                     "dtype %s: one of f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool", tostring(name))
end

-- The dtype of an array or pointer of the FFI, and how many elements an array has.
local function look_at(array, name)
  local text = tostring(ffi.typeof(array))
  local element = text:gsub(" %(&%)", " "):gsub("%s*%[[%d%?]+%]>$", " *>")
  local dtype = name and tensor.dtype(name) or by_element[element]
  errors.need(dtype, "%s is no array of numbers; say which dtype it is", text)
  local count = not text:find("*", 1, true) and ffi.sizeof(array) / dtype.size or nil
  return dtype, count
end

local Tensor = {}
Tensor.__index = Tensor

local function make(array, dtype, shape)
  local lengths = ffi.new("int64_t[?]", math.max(#shape, 1), shape)
  local info = ffi.new("PSTensorInfo", {ffi.sizeof("PSTensorInfo"), dtype.code, 0, 0, #shape, lengths})
  local handle = ffi.new("PSTensor[1]")
  errors.check(library.PSTensorFromPtr(ffi.cast("void*", array), info, nil, nil, handle))
  local size = 1
  for _, length in ipairs(shape) do size = size * length end
  return setmetatable({handle = ffi.gc(handle[0], library.PSTensorFree), array = array,
                       data = ffi.cast(dtype.pointer, array), dtype = dtype.name, shape = shape, size = size}, Tensor)
end

--- A tensor of an array of the FFI (`ffi.new("float[?]", n)`), which is used where it lies, and stays as long as
-- anything uses it; or of a table of numbers, which are copied. A tensor is itself.
--   shape  lengths, the last dimension fastest; default: one dimension. Of a pointer it is needed, and the program
--          keeps its memory until every operation on it is done.
--   dtype  "f32", ...; default: what the array is of, for a table f32. 16-bit floats (f16, bf16) are uint16_t, and
--          have to be named.
-- It has `data`, a pointer to the elements, `shape`, `size`, `dtype` and `array`.
function tensor.new(array, shape, dtype)
  if getmetatable(array) == Tensor then return array end
  if type(array) == "table" then
    local kind = tensor.dtype(dtype or "f32")
    for i, value in ipairs(array) do
      errors.need(type(value) == "number" or type(value) == "cdata", "element %d is no number: %s", i, tostring(value))
    end
    array, dtype = kind.array(#array, array), kind.name
  end
  errors.need(type(array) == "cdata", "a tensor is of an array of the FFI or a table of numbers, and not of %s",
              tostring(array))
  local kind, count = look_at(array, dtype)
  shape = shape or {errors.need(count, "a pointer does not say how many elements there are: shape is needed")}
  local size = 1
  for i, length in ipairs(shape) do
    errors.need(length >= 0 and length == math.floor(length), "shape[%d] is %s", i, tostring(length))
    size = size * length
  end
  errors.need(not count or size == count, "a shape of %d elements for an array of %d", size, count or 0)
  return make(array, kind, shape)
end

--- A tensor of new memory, all zeros.
function tensor.zeros(shape, dtype)
  if type(shape) == "number" then shape = {shape} end
  local size = 1
  for _, length in ipairs(shape) do size = size * length end
  local kind = tensor.dtype(dtype or "f32")
  return make(kind.array(size), kind, shape)
end

--- Returns when what writes the tensor is done.
function Tensor:wait()
  errors.check(library.PSTensorWait(self.handle))
  return self
end

--- The elements as a table: numbers, or true and false.
function Tensor:totable()
  local values = {}
  for i = 0, self.size - 1 do
    local value = self.data[i]
    values[i + 1] = type(value) == "cdata" and tonumber(value) or value
  end
  return values
end

function Tensor:__tostring()
  return ("ps.tensor(%s, {%s})"):format(self.dtype, table.concat(self.shape, ", "))
end

function tensor.is(value) return getmetatable(value) == Tensor end

return tensor
