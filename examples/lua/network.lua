-- The network of examples/mnist/network.h: pixels - 128 rectified units - 10 classes, softmax and cross entropy. Plain
-- loops, which LuaJIT compiles; nothing here knows of other workers.

local ffi = require "ffi"
local ps = require "ps"

local network = {HIDDEN = 128, CLASSES = 10}
local kHidden, kClasses = network.HIDDEN, network.CLASSES

local Network = {}
Network.__index = Network

-- Arrays in the order hidden weights [pixel][unit], hidden bias, output weights [unit][class], output bias; all zeros.
local function arrays(num_pixels)
  return {ps.zeros {num_pixels, kHidden}, ps.zeros {kHidden}, ps.zeros {kHidden, kClasses}, ps.zeros {kClasses}}
end

function network.new(num_pixels)
  return setmetatable({weights = arrays(num_pixels), gradients = arrays(num_pixels), of_block = arrays(num_pixels),
                       hidden = ffi.new("float[?]", kHidden), outputs = ffi.new("float[?]", kClasses),
                       errors = ffi.new("float[?]", kHidden)}, Network)
end

-- to += factor * from, several at a time: that is the loop that training spends its time in.
local function add_scaled(factor, from, to, size)
  for i = 0, size - 8, 8 do
    to[i] = to[i] + factor * from[i]
    to[i + 1] = to[i + 1] + factor * from[i + 1]
    to[i + 2] = to[i + 2] + factor * from[i + 2]
    to[i + 3] = to[i + 3] + factor * from[i + 3]
    to[i + 4] = to[i + 4] + factor * from[i + 4]
    to[i + 5] = to[i + 5] + factor * from[i + 5]
    to[i + 6] = to[i + 6] + factor * from[i + 6]
    to[i + 7] = to[i + 7] + factor * from[i + 7]
  end
end

-- Hidden units and probabilities of a picture; adds to the score.
local function forward(self, digits, example, score)
  local weights, hidden, outputs = self.weights, self.hidden, self.outputs
  local picture = digits.pixels + example * digits.num_pixels
  ffi.copy(hidden, weights[2].data, 4 * kHidden)
  local rows = weights[1].data
  for pixel = 0, digits.num_pixels - 1 do
    local ink = picture[pixel]
    if ink ~= 0 then add_scaled(ink / 255, rows + pixel * kHidden, hidden, kHidden) end
  end
  for unit = 0, kHidden - 1 do hidden[unit] = math.max(hidden[unit], 0) end
  ffi.copy(outputs, weights[4].data, 4 * kClasses)
  for unit = 0, kHidden - 1 do
    local row, value = weights[3].data + unit * kClasses, hidden[unit]
    if value ~= 0 then
      for class = 0, kClasses - 1 do outputs[class] = outputs[class] + value * row[class] end
    end
  end
  local best = 0
  for class = 1, kClasses - 1 do
    if outputs[class] > outputs[best] then best = class end
  end
  local label, largest, sum = digits.labels[example], outputs[best], 0
  score.loss = score.loss - (outputs[label] - largest)
  for class = 0, kClasses - 1 do
    outputs[class] = math.exp(outputs[class] - largest)
    sum = sum + outputs[class]
  end
  for class = 0, kClasses - 1 do outputs[class] = outputs[class] / sum end
  score.loss = score.loss + math.log(sum)
  score.correct = score.correct + (best == label and 1 or 0)
  score.count = score.count + 1
end

-- Adds the gradients of a picture, whose outputs are those of the loss by the logits.
local function backward(self, digits, example)
  local of_block, hidden, outputs, errors = self.of_block, self.hidden, self.outputs, self.errors
  local rows, gradients = self.weights[3].data, of_block[3].data
  for unit = 0, kHidden - 1 do
    local value, sum = hidden[unit], 0
    if value > 0 then
      local row, gradient = rows + unit * kClasses, gradients + unit * kClasses
      for class = 0, kClasses - 1 do
        sum = sum + outputs[class] * row[class]
        gradient[class] = gradient[class] + value * outputs[class]
      end
    end
    errors[unit] = sum
  end
  local bias = of_block[4].data
  for class = 0, kClasses - 1 do bias[class] = bias[class] + outputs[class] end
  add_scaled(1, errors, of_block[2].data, kHidden)
  local picture, hidden_gradients = digits.pixels + example * digits.num_pixels, of_block[1].data
  for pixel = 0, digits.num_pixels - 1 do
    local ink = picture[pixel]
    if ink ~= 0 then add_scaled(ink / 255, errors, hidden_gradients + pixel * kHidden, kHidden) end
  end
end

-- Adds how well the network does on these examples to a score {loss, correct, count}.
function Network:judge(digits, examples, score)
  for _, example in ipairs(examples) do forward(self, digits, example, score) end
end

-- To the nearest multiple of 2^-14, so that sums are exact in any order: in single precision the last place of numbers
-- near 768 is that.
local shifted = ffi.new("float[1]")
local function add_rounded(from, to, size)
  for i = 0, size - 1 do
    shifted[0] = from[i] + 768
    to[i] = to[i] + (shifted[0] - 768)
  end
end

-- Sets `gradients` to those of the loss, sums over blocks of examples, and adds to the score.
function Network:differentiate(digits, blocks, score)
  for array = 1, 4 do ffi.fill(self.gradients[array].data, 4 * self.gradients[array].size) end
  for _, block in ipairs(blocks) do
    for array = 1, 4 do ffi.fill(self.of_block[array].data, 4 * self.of_block[array].size) end
    for _, example in ipairs(block) do
      forward(self, digits, example, score)
      local label = digits.labels[example]
      self.outputs[label] = self.outputs[label] - 1
      backward(self, digits, example)
    end
    for array = 1, 4 do add_rounded(self.of_block[array].data, self.gradients[array].data, self.gradients[array].size) end
  end
end

return network
