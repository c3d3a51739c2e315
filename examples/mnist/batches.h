#ifndef PS_EXAMPLES_MNIST_BATCHES_H_
#define PS_EXAMPLES_MNIST_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mnist {

// Who works on which examples. All devices of all workers go through the same batches in the same order, and
// each takes its part of every one: the n-th, the one n places on, ... So a batch is the same set of examples
// however many share it, and training is the same too, but for the rounding of sums.
class Batches {
 public:
  // What does not fill a batch is left out of an epoch, other examples in each. `seed` 0: the orders of this
  // standard library; else those of starts.h.
  Batches(std::size_t num_examples, std::size_t batch, std::uint32_t seed = 0)
      : order_(num_examples), batch_(batch), seed_(seed) {}

  // Puts the examples into the order of this epoch, which is the same in every process.
  void Shuffle(unsigned epoch);
  std::size_t num_batches() const { return order_.size() / batch_; }
  // The examples of part `part` of `num_parts` of a batch.
  std::vector<std::size_t> Part(std::size_t batch, std::size_t part, std::size_t num_parts) const;
  // The same, where the batch is `num_blocks` parts, of which each part has a whole number.
  std::vector<std::vector<std::size_t>> Blocks(std::size_t batch, std::size_t part, std::size_t num_parts,
                                               std::size_t num_blocks) const;

 private:
  std::vector<std::size_t> order_;
  const std::size_t batch_;
  const std::uint32_t seed_;
};

// Every `num_parts`-th of `num_examples`, from the `part`-th on.
std::vector<std::size_t> PartOf(std::size_t num_examples, std::size_t part, std::size_t num_parts);

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_BATCHES_H_
