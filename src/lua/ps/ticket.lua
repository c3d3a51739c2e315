--- Tickets: operations under way.
--
-- The library reads and writes the program's arrays until an operation is done. So whatever an operation uses is
-- referred to from here until then, though the program may have dropped the array and the ticket; and a program
-- that ends waits for what is under way before its memory goes.

local ffi = require "ffi"
local library = require("ps.declarations").library
local errors = require "ps.errors"

local ticket = {}

local Ticket = {}
Ticket.__index = Ticket

-- Operations in the order of their begin: pending[first .. last], without those that were waited for.
local pending, first, last = {}, 1, 0

local done_now = ffi.new("int[1]")

-- Takes the outcome, frees the request and lets go of what the operation used.
local function finish(operation)
  local code = library.PSRequestError(operation.request)
  if code ~= 0 then operation.failure = errors.last(code) end
  library.PSRequestFree(operation.request)
  operation.request, operation.uses = nil, nil
end

local function is_done(operation)
  if not operation.request then return true end
  errors.check(library.PSRequestDone(operation.request, done_now))
  if done_now[0] == 0 then return false end
  finish(operation)
  return true
end

-- Forgets the oldest operations that are done.
local function sweep()
  while first <= last and is_done(pending[first]) do
    pending[first] = nil
    first = first + 1
  end
end

--- Of this package: the ticket of `request`, a PSRequest, which becomes the ticket's. `uses`: whatever has to stay
-- until it is done.
function ticket.new(request, uses)
  sweep()
  local operation = {request = request, uses = uses}
  last = last + 1
  pending[last] = operation
  return setmetatable({operation = operation}, Ticket)
end

--- Waits until the operation is done. `seconds` (default: as long as it takes): DEADLINE_EXCEEDED after them, which
-- does not end the operation; wait again. Throws what the operation failed with. Returns the ticket.
function Ticket:wait(seconds)
  local operation = self.operation
  if operation.request then
    local code = library.PSRequestWait(operation.request, seconds and math.floor(seconds * 1000) or -1)
    local late = code ~= 0 and errors.last(code)
    if not is_done(operation) then errors.raise(late) end
  end
  if operation.failure then errors.raise(operation.failure) end
  return self
end

--- Whether the operation is done, well or not.
function Ticket:done() return is_done(self.operation) end

--- What the operation failed with; nil: it did not, or is under way.
function Ticket:error()
  is_done(self.operation)
  return self.operation.failure
end

--- Waits for several tickets, and then throws what the first of them that failed has failed with.
function ticket.wait_all(tickets)
  local failure
  for _, one in ipairs(tickets) do
    local ok, err = pcall(one.wait, one)
    if not ok then failure = failure or err end
  end
  if failure then errors.raise(failure) end
end

--- Waits until nothing is under way any more. Outcomes stay with the tickets.
function ticket.drain()
  for i = first, last do
    local operation = pending[i]
    if operation.request then
      library.PSRequestWait(operation.request, -1)
      finish(operation)
    end
  end
  sweep()
end

--- How many operations are referred to: for tests.
function ticket.count()
  sweep()
  return last - first + 1
end

-- Lives until the program ends, when Lua frees all memory right after this.
ticket.at_exit = newproxy(true)
getmetatable(ticket.at_exit).__gc = ticket.drain

return ticket
