-- Start weights and orders of examples/lua are those of examples/mnist (tests/examples/mnist_starts_test.cc has the
-- same numbers).

local checks = require "checks"
local ps = require "ps"
local starts = require "starts"

checks.test("weights are those of C++", function()
  local weights = ps.zeros(3)
  starts.fill_with_first_weights(1, 0, 784, weights)
  checks.equal({("%.9g"):format(weights.data[0]), ("%.9g"):format(weights.data[1]), ("%.9g"):format(weights.data[2])},
               {"0.0534385853", "0.0274428427", "0.00638005463"})
end)

checks.test("orders are those of C++", function()
  local order = starts.order_of(1, 1, 60000)
  checks.equal({order[0], order[1], order[59999]}, {29515, 44255, 10006})
end)

checks.finish()
