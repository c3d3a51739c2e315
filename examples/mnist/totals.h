#ifndef PS_EXAMPLES_MNIST_TOTALS_H_
#define PS_EXAMPLES_MNIST_TOTALS_H_

#include <memory>
#include <string>

#include "examples/mnist/network.h"
#include "ps/kvstore.h"
#include "ps/tensor.h"

namespace mnist {

// Adds scores of the workers up: a second store, without an optimizer, so that what is pulled is the sum of
// what all have pushed in this round. Synchronous also where the training is not.
class Totals {
 public:
  // `kvstore`: the type of store that the training uses.
  explicit Totals(const std::string& kvstore);

  // Of all workers, which call it equally often. Returns when all have.
  Score Sum(const Score& own);

 private:
  std::unique_ptr<ps::KVStore> store_;
  ps::Tensor score_;
};

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_TOTALS_H_
