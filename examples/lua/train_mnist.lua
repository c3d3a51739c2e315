-- A network that learns to read the digits of MNIST: examples/mnist in Lua. Start weights, orders, batches and rates are
-- those of the program in C++ with the same options.
--
--   LUA_PATH="src/lua/?.lua;;" luajit examples/lua/train_mnist.lua --mode local
--   LUA_PATH="src/lua/?.lua;;" tracker/local.sh 2 2 luajit examples/lua/train_mnist.lua --mode dist_sync
--
-- options: --mode TYPE (of KVStore) --data FOLDER --epochs N --batch N --lr X --lr_decay X --seed N --blocks N
--          --csv FILE --min_accuracy PERCENT

local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. here .. "/../../src/lua/?.lua;" .. package.path

local digits = require "digits"
local network = require "network"
local ps = require "ps"
local starts = require "starts"

local options = {mode = "local", data = "build/data/mnist", epochs = 5, batch = 100, lr = 0.1, lr_decay = 0.7, seed = 1,
                 blocks = 4, csv = "", min_accuracy = 0}

local function parse(words)
  for i = 1, #words, 2 do
    local name, value = words[i]:match("^%-%-(.+)$"), words[i + 1]
    local default = options[name]
    if type(default) == "number" then value = tonumber(value) end
    if default == nil or value == nil then
      io.stderr:write("train_mnist.lua: ", words[i], ": see the options at its top\n")
      os.exit(2)
    end
    options[name] = value
  end
end

-- Seconds of a clock that only goes on.
local ffi = require "ffi"
ffi.cdef [[
struct timespec { long tv_sec; long tv_nsec; };
int clock_gettime(int clock, struct timespec* now);
]]
local function seconds()
  local now = ffi.new("struct timespec")
  ffi.C.clock_gettime(1, now)
  return tonumber(now.tv_sec) + 1e-9 * tonumber(now.tv_nsec)
end

-- Sums over the workers: what all have pushed in this round.
local function make_totals()
  local totals = ps.KVStore(ps.is_distributed(options.mode) and "dist_sync" or "local", {name = "totals"})
  local numbers = ps.zeros({3}, "f64")
  totals:init("score", numbers)
  return function(score)
    numbers.data[0], numbers.data[1], numbers.data[2] = score.loss, score.correct, score.count
    totals:pushpull("score", numbers, numbers)
    return {loss = numbers.data[0], correct = numbers.data[1], count = numbers.data[2]}
  end
end

-- Examples of a batch that this worker has, block by block.
local function blocks_of(order, batch, rank, num_workers)
  local blocks = {}
  for block = rank, options.blocks - 1, num_workers do
    local examples = {}
    for i = block, options.batch - 1, options.blocks do examples[#examples + 1] = order[batch * options.batch + i] end
    blocks[#blocks + 1] = examples
  end
  return blocks
end

local function train()
  local training, test = digits.read(options.data, "train"), digits.read(options.data, "t10k")
  local kv = ps.KVStore(options.mode)
  local rank, num_workers = kv:rank(), kv:num_workers()
  if options.blocks % num_workers ~= 0 then
    error(("%d blocks can not be shared equally by %d workers"):format(options.blocks, num_workers), 0)
  end
  local total = make_totals()
  local net = network.new(training.num_pixels)
  starts.fill_with_first_weights(options.seed, 0, training.num_pixels, net.weights[1])
  starts.fill_with_first_weights(options.seed, 1, network.HIDDEN, net.weights[3])
  local keys = {"hidden.weight", "hidden.bias", "output.weight", "output.bias"}
  kv:init(keys, net.weights)
  kv:set_optimizer("sgd", {lr = options.lr, momentum = 0.9, rescale = 1 / options.batch})

  -- Every worker tests its part.
  local mine = {}
  for i = rank, test.count - 1, num_workers do mine[#mine + 1] = i end
  local csv
  if rank == 0 and options.csv ~= "" then
    csv = assert(io.open(options.csv, "w"))
    csv:write("epoch,seconds,test_error,loss\n")
  end

  local taken, accuracy = 0, 0
  for epoch = 1, options.epochs do
    local begin = seconds()
    local order = starts.order_of(options.seed, epoch, training.count)
    if epoch > 1 and rank == 0 then kv:set_hyper {lr = options.lr * options.lr_decay ^ (epoch - 1)} end
    local own = {loss = 0, correct = 0, count = 0}
    for batch = 0, math.floor(training.count / options.batch) - 1 do
      net:differentiate(training, blocks_of(order, batch, rank, num_workers), own)
      kv:pushpull(keys, net.gradients, net.weights)
    end
    -- Where workers do not wait for each other, the last gradients of all are in after this.
    kv:barrier()
    kv:pull(keys, net.weights)
    taken = taken + seconds() - begin
    local score, tested = total(own), {loss = 0, correct = 0, count = 0}
    net:judge(test, mine, tested)
    tested = total(tested)
    accuracy = 100 * tested.correct / tested.count
    if rank == 0 then
      print(("epoch %d/%d  loss %.8f  test accuracy %.2f %%  %.0f samples/s"):format(
        epoch, options.epochs, score.loss / score.count, accuracy, epoch * score.count / taken))
    end
    if csv then
      csv:write(("%d,%.4f,%.6f,%.8f\n"):format(epoch, taken, 1 - accuracy / 100, score.loss / score.count))
      csv:flush()
    end
  end
  if csv then csv:close() end
  return rank ~= 0 or accuracy >= options.min_accuracy
end

parse(arg)
if ps.is_distributed(options.mode) then ps.serve() end
if not train() then
  io.stderr:write(("train_mnist.lua: worse than it should be: wanted an accuracy of %.2f %%\n"):format(
    options.min_accuracy))
  os.exit(1)
end
ps.finalize()
