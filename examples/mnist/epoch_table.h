#ifndef PS_EXAMPLES_MNIST_EPOCH_TABLE_H_
#define PS_EXAMPLES_MNIST_EPOCH_TABLE_H_

#include <fstream>
#include <string>

#include "examples/mnist/progress.h"

namespace mnist {

// How a training went, a line per epoch, as comma-separated values: epoch, seconds spent on training so far
// (no testing), test error (0 to 1), loss. The trainings in Python and Lua write the same.
class EpochTable {
 public:
  // Replaces the file. Throws std::runtime_error, here and below, where it can not be written.
  explicit EpochTable(const std::string& path);

  // A line at once, so that it is there if the job ends early.
  void Add(unsigned epoch, const EpochResult& result);

 private:
  void Check();

  const std::string path_;
  std::ofstream out_;
  double seconds_ = 0;
};

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_EPOCH_TABLE_H_
