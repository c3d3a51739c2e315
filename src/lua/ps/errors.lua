--- What fails is a Lua error whose value is a table:
--
--   code     number of ps::StatusCode, as in ps.codes
--   name     its name, as "InvalidArgument"
--   message  who, what, how long, which variable to set
--   where    the line of the program that called
--
-- tostring gives all of it. `local ok, err = pcall(...)`, then `err.code == ps.codes.NOT_FOUND`.

local ffi = require "ffi"
local library = require("ps.declarations").library

local errors = {}

--- Numbers of the codes (include/ps/c/base.h).
errors.codes = {
  OK = 0, INVALID_ARGUMENT = 1, DEADLINE_EXCEEDED = 2, UNAVAILABLE = 3, CANCELLED = 4, NOT_FOUND = 5,
  ALREADY_EXISTS = 6, RESOURCE_EXHAUSTED = 7, FAILED_PRECONDITION = 8, INTERNAL = 9,
}

local Error = {}
Error.__index = Error

function Error:__tostring() return ("%sps: %s: %s"):format(self.where, self.name, self.message) end

local folder = debug.getinfo(1, "S").source:match("^(.*)/[^/]*$")

-- The innermost line that is not of this package.
local function caller()
  local level = 3
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info then return "" end
    local source = info.source
    local inside = source:sub(1, #folder + 1) == folder .. "/" or source == folder .. ".lua"
    if not inside and info.currentline > 0 then return info.short_src .. ":" .. info.currentline .. ": " end
    level = level + 1
  end
end

--- An error value of a code and a text.
function errors.new(code, message)
  return setmetatable({code = code, name = ffi.string(library.PSCodeName(code)), message = message,
                       where = caller()}, Error)
end

--- The error value of the last call that failed on this thread.
function errors.last(code) return errors.new(code, ffi.string(library.PSGetLastError())) end

--- Throws an error value of before, from here.
function errors.raise(failure)
  failure.where = caller()
  error(failure)
end

--- Throws what a function of the C interface returned, unless it is 0.
function errors.check(code)
  if code ~= 0 then error(errors.last(code)) end
end

--- Throws INVALID_ARGUMENT with a text, unless `condition`.
function errors.need(condition, text, ...)
  if not condition then error(errors.new(errors.codes.INVALID_ARGUMENT, text:format(...))) end
  return condition
end

--- A text for C, which would end it at a 0 byte; nil stays nil. `what` it is, for the error.
function errors.text(value, what)
  if value == nil then return nil end
  errors.need(type(value) == "string", "%s is no text but %s", what, tostring(value))
  errors.need(not value:find("\0", 1, true), "%s has a 0 byte in it: %q", what, value)
  return value
end

return errors
