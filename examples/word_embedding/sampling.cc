#include "examples/word_embedding/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace embedding {
namespace {

constexpr double kPower = 0.75;

}  // namespace

double UniformOf(Random* random) { return static_cast<double>((*random)() >> 11) * 0x1p-53; }

std::uint32_t IndexOf(Random* random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(UniformOf(random) * bound);
}

NegativeSampler::NegativeSampler(const std::vector<std::uint64_t>& counts) : slots_(counts.size()) {
  std::vector<double> weights;
  for (const std::uint64_t count : counts) weights.push_back(std::pow(static_cast<double>(count), kPower));
  const double mean =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(counts.size());
  // Each slot is as large as the mean weight: words with less leave room for those that have more.
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t word = 0; word < weights.size(); ++word)
    (weights[word] < mean ? small : large).push_back(word);
  while (!small.empty() && !large.empty()) {
    const std::uint32_t word = small.back();
    small.pop_back();
    slots_[word] = {weights[word] / mean, large.back()};
    weights[large.back()] -= mean - weights[word];
    if (weights[large.back()] >= mean) continue;
    small.push_back(large.back());
    large.pop_back();
  }
  // What is left is full but for rounding, as every slot is at first.
}

std::uint32_t NegativeSampler::Draw(Random* random) const {
  const std::uint32_t word = IndexOf(random, static_cast<std::uint32_t>(slots_.size()));
  return UniformOf(random) < slots_[word].keep ? word : slots_[word].alias;
}

Subsampler::Subsampler(const std::vector<std::uint64_t>& counts, double threshold) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (const std::uint64_t count : counts) {
    const double share =
        static_cast<double>(count) / total / threshold;  // infinite where nothing is left out
    keep_.push_back(threshold > 0 ? std::min(1.0, (std::sqrt(share) + 1) / share) : 1.0);
  }
}

}  // namespace embedding
