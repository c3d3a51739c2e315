-- Random numbers, start weights and orders of examples: those of examples/mnist/starts.h, bit by bit.

local ffi = require "ffi"
local bit = require "bit"

local starts = {}

-- Sequences from here on are orders of epochs, those before are weights.
local kFirstOrder = 16

local function mixed(z)
  z = bit.bxor(z, bit.rshift(z, 30)) * 0xbf58476d1ce4e5b9ULL
  z = bit.bxor(z, bit.rshift(z, 27)) * 0x94d049bb133111ebULL
  return bit.bxor(z, bit.rshift(z, 31))
end

local function start_of(seed, sequence) return mixed(bit.bor(bit.lshift(ffi.cast("uint64_t", seed), 32), sequence)) end

-- The i-th number of a sequence, from 0: 64 bits.
local function at(start, i) return mixed(start + (i + 1) * 0x9e3779b97f4a7c15ULL) end

-- Weights to begin with, uniform between -r and r, r^2 = 6 / inputs. `layer`: 0 hidden, 1 output; `to`: a tensor.
function starts.fill_with_first_weights(seed, layer, inputs, to)
  local start, range = start_of(seed, layer), math.sqrt(6 / inputs)
  for i = 0, to.size - 1 do
    local share = tonumber(bit.rshift(at(start, i), 40)) / 2^24
    to.data[i] = (2 * share - 1) * range
  end
end

-- The order of the examples in an epoch, counted from 1: numbers of examples, as an array from 0.
function starts.order_of(seed, epoch, count)
  local start, numbers, list = start_of(seed, kFirstOrder + epoch), ffi.new("double[?]", count), {}
  for i = 0, count - 1 do
    numbers[i] = tonumber(bit.rshift(at(start, i), 11))
    list[i + 1] = i
  end
  table.sort(list, function(a, b)
    if numbers[a] ~= numbers[b] then return numbers[a] < numbers[b] end
    return a < b
  end)
  local order = ffi.new("int32_t[?]", count, list)
  return order
end

return starts
