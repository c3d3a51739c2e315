--- KVStore: synchronisation by key (ps/kvstore.h), after MXNet's.
--
-- A key is a number (an integer; or int64_t of the FFI) or a text; a store has one kind. Where a method takes a key
-- and a value it takes, too, a list of keys and a list of as many values; and for one key a list of tensors: its values
-- of several devices. Values are tensors, arrays of the FFI, or tables of numbers (ps.tensor).
--
-- Methods wait, those whose names end with _async return a ticket at once. What is pushed has then been copied; outs
-- are filled when the ticket is done. `priority` (default 0): higher goes first.

local ffi = require "ffi"
local library = require("ps.declarations").library
local errors = require "ps.errors"
local tensor = require "ps.tensor"
local ticket = require "ps.ticket"

local kvstore = {}

local KVStore = {}
KVStore.__index = KVStore

local open = setmetatable({}, {__mode = "k"})  -- all that may have to be closed

--- A store of a type: local, device, nccl, dist_sync, dist_async, dist_ssp:<bound>, ... Distributed ones start the
-- node of this process, a worker. `options` (may be left out):
--   name            of the name space of the keys; kv
--   mean            synchronous: the workers' values are averaged
--   bigarray_bound  elements from which on a key is shared by the servers
--   slice_bytes     of slices; -1: whole
--   timeout         seconds of calls that wait; default: PS_REQUEST_TIMEOUT
function kvstore.new(type_, options)
  options = options or {}
  local c = ffi.new("PSKVStoreOptions", {ffi.sizeof("PSKVStoreOptions")})
  c.name = errors.text(options.name, "the store's name")
  c.mean = options.mean and 1 or 0
  c.bigarray_bound = options.bigarray_bound or 0
  c.slice_bytes = options.slice_bytes or 0
  c.timeout_ms = math.floor((options.timeout or 0) * 1000)
  local handle = ffi.new("PSKVStore[1]")
  errors.check(library.PSKVStoreCreate(type_ or "local", c, handle))
  local self = setmetatable({handle = ffi.gc(handle[0], library.PSKVStoreFree)}, KVStore)
  open[self] = true
  return self
end

--- Whether stores of a type have servers, so that the program runs in roles.
function kvstore.is_distributed(type_)
  local answer = ffi.new("int[1]")
  errors.check(library.PSKVStoreIsDistributed(type_, answer))
  return answer[0] ~= 0
end

--- Of this package: closes all that are open.
function kvstore.close_all()
  for store in pairs(open) do store:close() end
end

local int64 = ffi.typeof("int64_t")

local function is_key(value)
  return type(value) == "number" or type(value) == "string" or type(value) == "cdata" and ffi.istype(int64, value)
end

-- Keys of one kind as an array of C; the second result says whether they are texts.
local function c_keys(keys)
  local texts = type(keys[1]) == "string"
  local array = ffi.new(texts and "const char*[?]" or "int64_t[?]", #keys)
  for i, key in ipairs(keys) do
    errors.need(is_key(key) and texts == (type(key) == "string"),
                "key %d is %s: the keys of a call are numbers or texts, of one kind", i, tostring(key))
    errors.need(type(key) ~= "number" or key == math.floor(key) and math.abs(key) <= 2^53,
                "key %s is no integer", tostring(key))
    array[i - 1] = texts and errors.text(key, "a key") or key
  end
  return array, texts
end

-- A list of values for `num` keys, nil: one key.
local function list_of(values, num)
  local is_list = type(values) == "table" and not tensor.is(values) and type(values[1]) ~= "number"
  errors.need(is_list or not num, "a list of keys needs a list of values")
  if not is_list then return {values} end
  errors.need(#values > 0, "there are no values")
  errors.need(not num or #values == num, "%d keys and %d values", num or 0, #values)
  return values
end

-- What keys and values are in C: {num, keys, texts, tensors, uses}. `values` may be several of one key.
local function pairs_of(keys, values)
  local one = is_key(keys)
  errors.need(one or type(keys) == "table" and #keys > 0, "a key is a number or a text, and not %s", tostring(keys))
  local list = list_of(values, not one and #keys or nil)
  local names = keys
  if one then
    names = {}
    for i = 1, #list do names[i] = keys end
  end
  local array, texts = c_keys(names)
  local tensors = ffi.new("PSTensor[?]", #list)
  local uses = {}
  for i, value in ipairs(list) do
    uses[i] = tensor.new(value)
    tensors[i - 1] = uses[i].handle
  end
  return {num = #list, keys = array, texts = texts, tensors = tensors, uses = uses, names = names}
end

-- Outs that the library writes to: a table of numbers would be lost.
local function outs_of(keys, outs)
  local of = pairs_of(keys, outs)
  local list = is_key(keys) and list_of(outs) or outs
  for i = 1, of.num do
    errors.need(of.uses[i] == list[i] or type(list[i]) == "cdata", "out %d is a table: it has to be a tensor or an array",
                i)
  end
  return of
end

--- Gives keys their first values: those of worker 0. All workers together; waits for all.
function KVStore:init(keys, values)
  local of = pairs_of(keys, values)
  local f = of.texts and library.PSKVStoreInitStr or library.PSKVStoreInit
  errors.check(f(self.handle, of.num, of.keys, of.tensors))
end

local request = ffi.new("PSRequest[1]")

local function push(self, keys, values, priority, to)
  local of = pairs_of(keys, values)
  local f = of.texts and library.PSKVStorePushStr or library.PSKVStorePush
  errors.check(f(self.handle, of.num, of.keys, of.tensors, priority or 0, to))
  return of
end

--- Adds values up over devices and workers, for the optimizer or, without one, for who pulls.
function KVStore:push(keys, values, priority) push(self, keys, values, priority, nil) end
function KVStore:push_async(keys, values, priority)
  local of = push(self, keys, values, priority, request)
  return ticket.new(request[0], of)
end

local function pull(self, keys, outs, priority, to)
  local of = outs_of(keys, outs)
  local f = of.texts and library.PSKVStorePullStr or library.PSKVStorePull
  errors.check(f(self.handle, of.num, of.keys, of.tensors, priority or 0, to))
  return of
end

--- Reads values into outs: tensors, or arrays of the FFI. Returns the outs.
function KVStore:pull(keys, outs, priority)
  pull(self, keys, outs, priority, nil)
  return outs
end
function KVStore:pull_async(keys, outs, priority)
  local of = pull(self, keys, outs, priority, request)
  return ticket.new(request[0], of)
end

local function pushpull(self, keys, values, outs, priority, to)
  local given, taken = pairs_of(keys, values), outs_of(keys, outs)
  local f = given.texts and library.PSKVStorePushPullStr or library.PSKVStorePushPull
  errors.check(f(self.handle, given.num, given.keys, taken.num, taken.keys, given.tensors, taken.tensors,
                 priority or 0, to))
  return {given, taken}
end

--- A push and the pull of what becomes of it. Values may be the outs.
function KVStore:pushpull(keys, values, outs, priority)
  pushpull(self, keys, values, outs, priority, nil)
  return outs
end
function KVStore:pushpull_async(keys, values, outs, priority)
  local uses = pushpull(self, keys, values, outs, priority, request)
  return ticket.new(request[0], uses)
end

-- Options as texts: names in their order, and values.
local function texts_of(options)
  local names, values = {}, {}
  for name in pairs(options) do names[#names + 1] = tostring(name) end
  table.sort(names)
  for i, name in ipairs(names) do
    local value = options[name]
    values[i] = type(value) == "number" and ("%.17g"):format(value) or tostring(value)
  end
  return names, values
end

--- The rule that makes new values of pushed ones, for all keys: `set_optimizer("sgd lr=.1")` or
-- `set_optimizer("sgd", {lr = .1})`. Its rules and options stand in ps/updater.h. All workers may call it; it waits.
function KVStore:set_optimizer(spec, options)
  local names, values = texts_of(options or {})
  for i, name in ipairs(names) do spec = spec .. " " .. name .. "=" .. values[i] end
  errors.check(library.PSKVStoreSetOptimizer(self.handle, spec))
end

--- Changes options of the rule (`{lr = .01}`), for all keys, from a round on (default 0: at once). By one worker.
function KVStore:set_hyper(options, from_round)
  local names, values = texts_of(options)
  self.texts = {names, values}  -- C has pointers to them until the call is over
  errors.check(library.PSKVStoreSetHyper(self.handle, #names, ffi.new("const char*[?]", #names, names),
                                         ffi.new("const char*[?]", #values, values), from_round or 0, 0, nil))
end

--- Meets the other workers, when all that this one has pushed has come. `seconds`: default PS_BARRIER_TIMEOUT.
function KVStore:barrier(seconds)
  errors.check(library.PSKVStoreBarrier(self.handle, seconds and math.floor(seconds * 1000) or -1, 0))
end

local number = ffi.new("int[1]")

--- This worker's rank, from 0.
function KVStore:rank()
  errors.check(library.PSKVStoreGetRank(self.handle, number))
  return number[0]
end

function KVStore:num_workers()
  errors.check(library.PSKVStoreGetNumWorkers(self.handle, number))
  return number[0]
end

--- As it was asked for.
function KVStore:type()
  local text = ffi.new("const char*[1]")
  errors.check(library.PSKVStoreGetType(self.handle, text))
  return ffi.string(text[0])
end

--- Closes the store; other calls fail from then on. The last one of a node leaves the cluster, and waits for the other
-- nodes. Without it: when Lua collects the store, or ps.finalize.
function KVStore:close()
  if not open[self] then return end
  open[self] = nil
  ffi.gc(self.handle, nil)
  local handle = self.handle
  self.handle = ffi.new("PSKVStore")
  errors.check(library.PSKVStoreFree(handle))
end

return kvstore
