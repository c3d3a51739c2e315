#ifndef PS_EXAMPLES_WORD_EMBEDDING_SAMPLING_H_
#define PS_EXAMPLES_WORD_EMBEDDING_SAMPLING_H_

#include <cstdint>
#include <random>
#include <vector>

namespace embedding {

using Random = std::mt19937_64;

// In [0, 1). The distributions of the standard library differ between implementations; its engines do not.
double UniformOf(Random* random);
// In [0, bound).
std::uint32_t IndexOf(Random* random, std::uint32_t bound);

// Draws words with a probability that grows with count^0.75: more of the rare ones than the text has (Mikolov
// et al., 2013, section 2.2). In constant time, by Walker's aliases.
class NegativeSampler {
 public:
  explicit NegativeSampler(const std::vector<std::uint64_t>& counts);

  std::uint32_t Draw(Random* random) const;

 private:
  struct Slot {
    double keep = 1;          // the share of the slot that is its own word's
    std::uint32_t alias = 0;  // whose the rest is
  };
  std::vector<Slot> slots_;
};

// Leaves out occurrences of frequent words (section 2.3 of the same, in the form of their program): one of a
// word that is the share f of the text stays with the probability (sqrt(f / t) + 1) t / f.
class Subsampler {
 public:
  // `threshold` is t; 0: everything stays.
  Subsampler(const std::vector<std::uint64_t>& counts, double threshold);

  bool Keeps(std::uint32_t word, Random* random) const { return UniformOf(random) < keep_[word]; }
  double probability(std::uint32_t word) const { return keep_[word]; }

 private:
  std::vector<double> keep_;
};

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_SAMPLING_H_
