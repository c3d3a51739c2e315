#ifndef PS_EXAMPLES_MNIST_STARTS_H_
#define PS_EXAMPLES_MNIST_STARTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mnist {

// Random numbers that every language can compute alike, because nothing but 64-bit integers is in them: those
// of the standard library differ from one to the next. So the same seed is the same training in C++, Python
// and Lua, but for the rounding of sums.
class RandomNumbers {
 public:
  // Several sequences of one seed: `sequence` says which.
  RandomNumbers(std::uint32_t seed, std::uint32_t sequence);

  // The i-th, of 64 bits (splitmix64: G. Steele, D. Lea, C. Flood, 2014).
  std::uint64_t at(std::uint64_t i) const;

 private:
  const std::uint64_t start_;
};

// Weights to begin with, uniform between -r and r, r^2 = 6 / inputs (He et al., 2015). `layer`: 0 hidden, 1
// output.
void FillWithFirstWeights(std::uint32_t seed, std::uint32_t layer, std::size_t inputs,
                          std::vector<float>* values);

// The order of the examples in an epoch, counted from 1.
std::vector<std::size_t> OrderOf(std::uint32_t seed, unsigned epoch, std::size_t num_examples);

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_STARTS_H_
