-- What the tests in Lua share: each is a sentence and a function; all run, and the process fails if one has.

local checks = {passed = 0, failed = 0}

function checks.test(sentence, f)
  local ok, err = xpcall(f, function(failure) return tostring(failure) .. "\n" .. debug.traceback("", 2) end)
  if ok then
    checks.passed = checks.passed + 1
  else
    checks.failed = checks.failed + 1
    print("FAILED " .. sentence .. ": " .. err)
  end
end

local function text_of(value)
  if type(value) ~= "table" or getmetatable(value) then return tostring(value) end
  local parts = {}
  for i, part in ipairs(value) do parts[i] = text_of(part) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- Numbers, texts and lists of them.
function checks.equal(found, wanted)
  if text_of(found) ~= text_of(wanted) then error(text_of(found) .. " and not " .. text_of(wanted), 2) end
end

function checks.contains(text, part)
  if not tostring(text):find(part, 1, true) then error(("no '%s' in: %s"):format(part, tostring(text)), 2) end
end

-- `f` fails with an error of the code that contains the text. Returns the error.
function checks.fails(code, part, f, ...)
  local ok, err = pcall(f, ...)
  if ok then error("did not fail", 2) end
  if type(err) ~= "table" or err.code ~= code then error("failed otherwise: " .. tostring(err), 2) end
  checks.contains(err.message, part)
  return err
end

-- Fails where `f` has taken more than `bytes` of memory that it does not give back. It is called once before.
function checks.leaks_nothing(bytes, f)
  local function resident()
    collectgarbage()
    collectgarbage()
    local file = assert(io.open("/proc/self/statm"))
    local pages = tonumber(file:read("*a"):match("%d+ (%d+)"))
    file:close()
    return pages * 4096
  end
  f()
  local before = resident()
  f()
  local grown = resident() - before
  if grown > bytes then error(grown .. " bytes more", 2) end
end

function checks.finish()
  print(("%s: %d passed, %d failed"):format(arg[0]:match("[^/]*$"), checks.passed, checks.failed))
  if checks.failed > 0 then os.exit(1) end
end

return checks
