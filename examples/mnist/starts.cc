#include "examples/mnist/starts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mnist {
namespace {

// Sequences from here on are orders of epochs, those before are weights.
constexpr std::uint32_t kFirstOrder = 16;

std::uint64_t Mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

}  // namespace

RandomNumbers::RandomNumbers(std::uint32_t seed, std::uint32_t sequence)
    : start_(Mixed(std::uint64_t{seed} << 32 | sequence)) {}

std::uint64_t RandomNumbers::at(std::uint64_t i) const {
  return Mixed(start_ + (i + 1) * 0x9e3779b97f4a7c15U);
}

void FillWithFirstWeights(std::uint32_t seed, std::uint32_t layer, std::size_t inputs,
                          std::vector<float>* values) {
  const RandomNumbers random(seed, layer);
  const double range = std::sqrt(6.0 / static_cast<double>(inputs));
  for (std::size_t i = 0; i < values->size(); ++i) {
    const double share = static_cast<double>(random.at(i) >> 40) / (1 << 24);  // from 0 to 1
    (*values)[i] = static_cast<float>((2 * share - 1) * range);
  }
}

std::vector<std::size_t> OrderOf(std::uint32_t seed, unsigned epoch, std::size_t num_examples) {
  const RandomNumbers random(seed, kFirstOrder + epoch);
  std::vector<std::uint64_t> numbers(num_examples);
  // The upper 53 bits: languages that know no other numbers than doubles can sort them, too.
  for (std::size_t i = 0; i < num_examples; ++i) numbers[i] = random.at(i) >> 11;
  std::vector<std::size_t> order(num_examples);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&numbers](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  return order;
}

}  // namespace mnist
