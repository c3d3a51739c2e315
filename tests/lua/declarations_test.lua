-- What src/lua declares is what the headers say: arg[1] is the folder of the public headers.

local checks = require "checks"
local declarations = require "ps.declarations"

-- Declarations as words with single spaces, each once.
local function split(text)
  text = text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", ""):gsub("\n%s*#[^\n]*", "\n"):gsub("^%s*#[^\n]*", "")
  text = text:gsub('extern%s+"C"%s*{', " "):gsub("PS_C_API", " ")
  local found, order, depth, begin = {}, {}, 0, 1
  for i = 1, #text do
    local c = text:sub(i, i)
    if c == "{" then depth = depth + 1 end
    if c == "}" then depth = depth - 1 end
    if depth < 0 then depth, begin = 0, i + 1 end  -- the end of extern "C"
    if c == ";" and depth == 0 then
      local one = text:sub(begin, i):gsub("([%(%)%*,;{}])", " %1 "):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
      found[one] = true
      order[#order + 1] = one
      begin = i + 1
    end
  end
  return found, order
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local headers = {}
for _, name in ipairs {"base", "runtime", "tensor", "kvstore", "kvstore_settings", "store", "table"} do
  for one in pairs((split(read(arg[1] .. "/" .. name .. ".h")))) do headers[one] = true end
end

checks.test("the headers are understood", function()
  local count = 0
  for _ in pairs(headers) do count = count + 1 end
  assert(count > 80, count .. " declarations")
  assert(headers["int PSRequestFree ( PSRequest request ) ;"])
end)

checks.test("every declaration is one of the headers", function()
  local _, order = split(declarations.text)
  assert(#order > 50)
  for _, one in ipairs(order) do
    if not headers[one] then error("not in the headers: " .. one, 0) end
  end
end)

checks.test("one that is a little different would be found", function()
  local found = split("int PSRequestFree(PSRequest a);")
  for one in pairs(found) do assert(not headers[one]) end
end)

checks.test("the number of the interface is that of the headers", function()
  checks.equal(declarations.abi_version,
               tonumber(read(arg[1] .. "/base.h"):match("#define%s+PS_ABI_VERSION%s+(%d+)")))
end)

checks.test("codes, dtypes and groups are those of the headers", function()
  local errors, tensor = require "ps.errors", require "ps.tensor"
  local count = 0
  for name, number in read(arg[1] .. "/base.h"):match("enum PSCode {(.-)}"):gmatch("PS_([%u_]+) = (%d+)") do
    checks.equal(errors.codes[name], tonumber(number))
    count = count + 1
  end
  for name, number in read(arg[1] .. "/tensor.h"):match("enum PSDType {(.-)}"):gmatch("PS_(%w+) = (%d+)") do
    checks.equal(tensor.dtypes[name:lower()].code, tonumber(number))
    count = count + 1
  end
  assert(count == 10 + 13, count)
end)

checks.finish()
