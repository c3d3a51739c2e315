-- Pictures of digits, as in examples/mnist/digits.h.

local ffi = require "ffi"

local digits = {}

local function read_idx(path, magic)
  local file = io.open(path, "rb")
  if not file then error(path .. ": can not be opened; examples/mnist/get_data.sh fetches it", 0) end
  local bytes = file:read("*a")
  file:close()
  local function number(place)
    local a, b, c, d = bytes:byte(place, place + 3)
    if not d then error(path .. ": ends within its header", 0) end
    return ((a * 256 + b) * 256 + c) * 256 + d
  end
  if number(1) ~= magic then error(path .. ": is no IDX file of the kind that its name says", 0) end
  local lengths, size = {}, 1
  for i = 1, magic % 256 do
    lengths[i] = number(1 + 4 * i)
    size = size * lengths[i]
  end
  local header = 4 + 4 * #lengths
  if #bytes ~= header + size then
    error(("%s: has %d bytes of data, and its header says %d"):format(path, #bytes - header, size), 0)
  end
  -- The text stays as long as the pointer into it: `bytes` is kept beside it.
  return {lengths = lengths, bytes = bytes, data = ffi.cast("const uint8_t*", bytes) + header}
end

-- `pixels`: of all pictures, one after the other, 0 is paper and 255 is ink; `labels`; `count`; `num_pixels`.
function digits.read(folder, name)
  local images = read_idx(folder .. "/" .. name .. "-images-idx3-ubyte", 0x0803)
  local labels = read_idx(folder .. "/" .. name .. "-labels-idx1-ubyte", 0x0801)
  local count = images.lengths[1]
  if labels.lengths[1] ~= count or count == 0 then
    error(("%s: %d labels for %d pictures of %s"):format(folder, labels.lengths[1], count, name), 0)
  end
  for i = 0, count - 1 do
    if labels.data[i] > 9 then error(("%s: label %d is %d, no digit"):format(folder, i, labels.data[i]), 0) end
  end
  return {pixels = images.data, labels = labels.data, count = count, num_pixels = images.lengths[2] * images.lengths[3],
          files = {images, labels}}
end

return digits
