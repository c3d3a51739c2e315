#include "examples/mnist/epoch_table.h"

#include <array>
#include <cstdio>
#include <stdexcept>

namespace mnist {

EpochTable::EpochTable(const std::string& path) : path_(path), out_(path) {
  out_ << "epoch,seconds,test_error,loss\n" << std::flush;
  Check();
}

void EpochTable::Add(unsigned epoch, const EpochResult& result) {
  seconds_ += result.seconds;
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%u,%.4f,%.6f,%.8f\n", epoch, seconds_, 1 - result.accuracy / 100,
                result.loss);
  out_ << text.data() << std::flush;
  Check();
}

void EpochTable::Check() {
  if (!out_) throw std::runtime_error(path_ + ": can not be written");
}

}  // namespace mnist
