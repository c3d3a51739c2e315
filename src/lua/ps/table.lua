--- Tables: arrays and matrices that all workers share (ps/table.h), after Multiverso's; and the store that has them.
--
-- Methods wait, those whose names end with _async return a ticket at once. What is added has then been copied; what is
-- read is there when the ticket is done. Values are arrays of the FFI of the table's dtype, tensors, or tables of
-- numbers; what is read into an array or tensor of the program's is returned, else a new tensor.

local ffi = require "ffi"
local library = require("ps.declarations").library
local errors = require "ps.errors"
local tensor = require "ps.tensor"
local ticket = require "ps.ticket"

local tables = {}

local Store = {}
Store.__index = Store

local open = {stores = setmetatable({}, {__mode = "k"}), tables = setmetatable({}, {__mode = "k"})}
local number = ffi.new("int[1]")
local request = ffi.new("PSRequest[1]")

local function store_of(handle)
  local self = setmetatable({handle = ffi.gc(handle, library.PSStoreFree)}, Store)
  open.stores[self] = true
  return self
end

--- A worker's end of the servers' tables: of the cluster, whose node is started where it is not.
function tables.store()
  local handle = ffi.new("PSStore[1]")
  errors.check(library.PSStoreCreate(nil, handle))
  return store_of(handle[0])
end

--- Stores of `workers` workers (default 1) on the same `servers` (1) in this process, without a cluster: a list.
function tables.local_stores(servers, workers)
  workers = workers or 1
  local handles = ffi.new("PSStore[?]", math.max(workers, 1))
  errors.check(library.PSStoreLocal(servers or 1, workers, 0, handles))
  local stores = {}
  for i = 1, workers do stores[i] = store_of(handles[i - 1]) end
  return stores
end

function Store:rank()
  errors.check(library.PSStoreGetRank(self.handle, number))
  return number[0]
end

function Store:num_workers()
  errors.check(library.PSStoreGetNumWorkers(self.handle, number))
  return number[0]
end

--- Returns when all that this worker has added is ordered at its servers.
function Store:flush() errors.check(library.PSStoreFlush(self.handle)) end

--- Flushes, and meets the other workers. `seconds`: default PS_BARRIER_TIMEOUT.
function Store:barrier(seconds)
  errors.check(library.PSStoreBarrier(self.handle, seconds and math.floor(seconds * 1000) or -1))
end

local function close(self, kind, free, null)
  if not open[kind][self] then return end
  open[kind][self] = nil
  ffi.gc(self.handle, nil)
  local handle = self.handle
  self.handle = null
  errors.check(free(handle))
end

--- Closes it, after its tables; the last store of a node leaves the cluster.
function Store:close() close(self, "stores", library.PSStoreFree, ffi.new("PSStore")) end

local default_store

-- Where tables are whose program does not say: in the cluster, or, without one, in this process.
local function find_default_store()
  if default_store and open.stores[default_store] then return default_store end
  local function is_set(name) return (os.getenv(name) or "") ~= "" end
  errors.check(library.PSIsStarted(nil, number))
  local has_cluster = number[0] ~= 0 or is_set("DMLC_ROLE") or is_set("DMLC_PS_ROOT_URI")
  default_store = has_cluster and tables.store() or tables.local_stores()[1]
  return default_store
end

--- Of this package: closes all that are open.
function tables.close_all()
  for one in pairs(open.tables) do one:close() end
  for one in pairs(open.stores) do one:close() end
end

local Table = {}
Table.__index = Table
local Matrix = setmetatable({}, {__index = Table})
Matrix.__index = Matrix

local kARRAY, kMATRIX = 1, 2

-- Members of PSTableOptions that are taken as they are.
local texts = {"updater", "mode", "init", "push_codec", "pull_codec"}
local flags = {"merged", "mean", "multi_precision", "delta"}

local function create(kind, options, class)
  local dtype = tensor.dtype(options.dtype or "f32")
  local store = options.store or find_default_store()
  local handle = ffi.new("PSTable[1]")
  local c = ffi.new("PSTableOptions", {ffi.sizeof("PSTableOptions")})
  c.kind, c.name, c.dtype = kind, errors.text(options.name, "the table's name"), dtype.code
  c.rows, c.cols = options.rows or options.size or 0, options.cols or 0
  local kept = {}  -- C's struct keeps no text: this does, since the table has it below
  for _, name in ipairs(texts) do
    local value = options[name]
    kept[name] = errors.text(type(value) == "number" and tostring(value) or value, name)
    c[name] = kept[name]
  end
  for _, name in ipairs(flags) do c[name] = options[name] and 1 or 0 end
  c.min_split, c.buffers = options.min_split or 0, options.buffers or 0
  errors.check(library.PSTableCreate(store.handle, c, handle))
  local self = setmetatable({handle = ffi.gc(handle[0], library.PSTableFree), store = store, dtype = dtype.name,
                             rows = tonumber(c.rows), cols = tonumber(c.cols), options = kept}, class)
  open.tables[self] = true
  return self
end

--- Makes or opens an array. `options`:
--   name      its identity in the cluster; needed
--   size      elements; needed
--   dtype     "f32" (default), "f64", "i32", ...
--   store     of ps.store or ps.local_stores; default: that of the cluster, without one (DMLC_ROLE, DMLC_PS_ROOT_URI) of this process
--   updater   rule and options, as "adagrad lr=0.1" (ps/updater.h); add
--   mode      "asp" (default), "bsp", "bsp:<backup>", "ssp:<bound>"
--   init      a number, "uniform:<low>:<high>:<seed>", "first_write"; 0
--   push_codec, pull_codec, merged, mean, multi_precision, min_split: see include/ps/c/table.h
function tables.array(options) return create(kARRAY, options, Table) end

--- Makes or opens a matrix: `rows` and `cols` instead of size, and `delta`, `buffers`.
function tables.matrix(options) return create(kMATRIX, options, Matrix) end

-- What the C interface is told: `ids` (nil: all) and values, `count` of them where they are to be read.
local function what(self, ids, values, rule)
  local c = ffi.new("PSTableValues", {ffi.sizeof("PSTableValues")})
  local uses = {values = values}
  if ids then
    uses.ids = ffi.new("int64_t[?]", math.max(#ids, 1), ids)
    c.ids, c.num_ids = uses.ids, #ids
  end
  errors.need(values.dtype == self.dtype, "values of %s for a table of %s", values.dtype, self.dtype)
  c.values, c.num_values = values.data, values.size
  c.rule = rule
  return c, uses
end

-- Numbers of a table become the table's dtype.
local function given(self, values)
  return tensor.new(values, nil, type(values) == "table" and not tensor.is(values) and self.dtype or nil)
end

local function call(self, f, ids, values, rule, to)
  local c, uses = what(self, ids, values, rule)
  errors.check(f(self.handle, c, to))
  return to and ticket.new(to[0], uses) or nil
end

-- Where to read to: the program's array, or a new tensor of `shape`.
local function target(self, out, shape)
  errors.need(out == nil or type(out) == "cdata" or tensor.is(out), "values are read into an array or a tensor, not %s",
              tostring(out))
  return out and tensor.new(out) or tensor.zeros(shape, self.dtype)
end

local function shape_of(self) return self.cols > 0 and {self.rows, self.cols} or {self.rows} end

--- Adds to the whole table. `rule`: options of the rule that hold from now on, as "lr=0.1".
function Table:add(values, rule) call(self, library.PSTableAdd, nil, given(self, values), rule, nil) end
function Table:add_async(values, rule)
  return call(self, library.PSTableAdd, nil, given(self, values), rule, request)
end

--- Reads the whole table, into `out` or a new tensor, which is returned.
function Table:get(out)
  local values = target(self, out, shape_of(self))
  call(self, library.PSTableGet, nil, values, nil, nil)
  return out or values
end

--- Returns a ticket and what will be filled.
function Table:get_async(out)
  local values = target(self, out, shape_of(self))
  return call(self, library.PSTableGet, nil, values, nil, request), out or values
end

--- Writes values as they are, whatever the rule.
function Table:set(values) call(self, library.PSTableSet, nil, given(self, values), nil, nil) end

--- Closes it; others keep theirs, and what is in it stays.
function Table:close() close(self, "tables", library.PSTableFree, ffi.new("PSTable")) end

--- The same of some rows: a list of their numbers, from 0, in any order, which may repeat. Values are row after row.
function Matrix:add_rows(ids, values, rule)
  call(self, library.PSTableAdd, ids, given(self, values), rule, nil)
end
function Matrix:add_rows_async(ids, values, rule)
  return call(self, library.PSTableAdd, ids, given(self, values), rule, request)
end
function Matrix:get_rows(ids, out)
  local values = target(self, out, {#ids, self.cols})
  call(self, library.PSTableGet, ids, values, nil, nil)
  return out or values
end
function Matrix:get_rows_async(ids, out)
  local values = target(self, out, {#ids, self.cols})
  return call(self, library.PSTableGet, ids, values, nil, request), out or values
end
function Matrix:set_rows(ids, values) call(self, library.PSTableSet, ids, given(self, values), nil, nil) end

return tables
