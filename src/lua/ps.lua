--- Caravan from Lua: LuaJIT's FFI over the C interface.
--
--   local ps = require "ps"                     -- LUA_PATH="<sources>/src/lua/?.lua;;"
--   ps.serve()                                  -- scheduler and servers stay in here
--   local kv = ps.KVStore("dist_sync")
--   local w, g = ps.zeros {2, 3}, ps.zeros {2, 3}
--   kv:init("w", w)
--   kv:set_optimizer("sgd", {lr = 0.1})
--   kv:pushpull("w", g, w)                      -- w.data[0], ..., w.data[5]
--   ps.finalize()                               -- or all of it in ps.main(function() ... end)
--
-- Alone (`local`, or tables without a cluster) it is `luajit program.lua`, as a job
-- `tracker/local.sh 2 4 luajit program.lua`. The library is the one that PS_LIBRARY names, or that of the build folder
-- of these sources, or the system's.
--
-- What fails is a Lua error with a code and a text (ps/errors.lua). Arrays stay until nothing uses them any more,
-- whatever the program drops (ps/ticket.lua). Lua states share nothing, so that one thread of the process calls; rules,
-- controllers and callbacks of the program's own, which the library calls on its threads, can not be written in Lua.

local ffi = require "ffi"
local declarations = require "ps.declarations"
local errors = require "ps.errors"
local kvstore = require "ps.kvstore"
local tables = require "ps.table"
local tensor = require "ps.tensor"
local ticket = require "ps.ticket"

local library = declarations.library
local number = ffi.new("int[1]")

local ps = {
  codes = errors.codes,                     -- of errors
  version = ffi.string(library.PSVersion()),
  tensor = tensor.new,                      -- ps.tensor(array, shape, dtype), see ps/tensor.lua
  zeros = tensor.zeros,                     -- ps.zeros(shape, dtype)
  wait_all = ticket.wait_all,               -- ps.wait_all {ticket, ...}
  KVStore = kvstore.new,                    -- ps.KVStore(type, options), see ps/kvstore.lua
  is_distributed = kvstore.is_distributed,  -- ps.is_distributed(type)
  ArrayTable = tables.array,                -- ps.ArrayTable {name =, size =, ...}, see ps/table.lua
  MatrixTable = tables.matrix,              -- ps.MatrixTable {name =, rows =, cols =, ...}
  store = tables.store,                     -- ps.store()
  local_stores = tables.local_stores,       -- ps.local_stores(servers, workers)
}

--- Groups of nodes, for ps.barrier; sums are groups, too.
ps.SCHEDULER, ps.SERVERS, ps.WORKERS = 1, 2, 4

local roles = {[0] = "server", "worker", "scheduler", "joint"}

--- What this process is, by DMLC_ROLE: "worker" (also without one), "server", "scheduler", "joint".
function ps.role()
  errors.check(library.PSGetRole(number))
  return roles[number[0]]
end

--- Where DMLC_ROLE says scheduler or server: serves until the job ends, and then ends the process, with 0 if the job
-- went well. Elsewhere it returns at once.
function ps.serve()
  local role = ps.role()
  if role ~= "scheduler" and role ~= "server" then return end
  local code = library.PSRunServer(nil, nil, nil, 0, nil)
  if code ~= 0 then io.stderr:write(tostring(errors.last(code)), "\n") end
  os.exit(code == 0 and 0 or 1)
end

--- Joins the cluster, and returns when all nodes have (PS_START_TIMEOUT). Stores do it themselves: this is for programs
-- that need their rank before.
function ps.init() errors.check(library.PSStart(nil, nil)) end

local function started()
  errors.check(library.PSIsStarted(nil, number))
  return number[0] ~= 0
end

--- Closes tables and stores when what is under way is done, and leaves the cluster, which waits for the other nodes: a
-- program's last call. Without it stores are closed when the program ends; one that has called ps.init and ends without
-- this is an error for the others.
function ps.finalize()
  ticket.drain()
  tables.close_all()
  kvstore.close_all()
  if started() then errors.check(library.PSFinalize(nil, 1)) end
end

--- Runs a program, and finalizes: ps.main(function() ... end). One that fails waits for nobody: what it raised is said
-- with where, the node leaves, and the process ends with 1. Without ps.main the end of a program that failed is as any
-- other's, and waits for the other nodes.
function ps.main(program, ...)
  local arguments, num = {...}, select("#", ...)
  local ok, failure = xpcall(function()
    program(unpack(arguments, 1, num))
    ps.finalize()
  end, function(raised) return debug.traceback(tostring(raised), 2) end)
  if ok then return end
  io.stderr:write(failure, "\n")
  if started() then library.PSFinalize(nil, 0) end
  os.exit(1)  -- leaves the Lua state as it is: nothing is closed, and no array goes
end

--- This node's rank among those of its role, from 0.
function ps.rank()
  errors.check(library.PSMyRank(nil, number))
  return number[0]
end

function ps.num_workers()
  errors.check(library.PSNumWorkers(nil, number))
  return number[0]
end

function ps.num_servers()
  errors.check(library.PSNumServers(nil, number))
  return number[0]
end

--- Meets all nodes of a group (default: the workers), of which this is one. `seconds`: default PS_BARRIER_TIMEOUT.
function ps.barrier(group, seconds)
  errors.check(library.PSBarrier(nil, group or ps.WORKERS, seconds and math.floor(seconds * 1000) or -1))
end

--- How many operations are under way, whose arrays are kept.
ps.pending = ticket.count

return ps
