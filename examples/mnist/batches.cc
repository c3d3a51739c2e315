#include "examples/mnist/batches.h"

#include <numeric>
#include <random>
#include <utility>

#include "examples/mnist/starts.h"

namespace mnist {

// From the order of the files, and not from that of the epoch before, so that an epoch's follows from its
// number alone.
void Batches::Shuffle(unsigned epoch) {
  if (seed_ != 0) {
    order_ = OrderOf(seed_, epoch, order_.size());
    return;
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::mt19937 random(epoch);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
}

std::vector<std::size_t> Batches::Part(std::size_t batch, std::size_t part, std::size_t num_parts) const {
  std::vector<std::size_t> examples = PartOf(batch_, part, num_parts);
  for (std::size_t& example : examples) example = order_[batch * batch_ + example];
  return examples;
}

std::vector<std::vector<std::size_t>> Batches::Blocks(std::size_t batch, std::size_t part,
                                                      std::size_t num_parts, std::size_t num_blocks) const {
  std::vector<std::vector<std::size_t>> blocks;
  for (const std::size_t block : PartOf(num_blocks, part, num_parts))
    blocks.push_back(Part(batch, block, num_blocks));
  return blocks;
}

std::vector<std::size_t> PartOf(std::size_t num_examples, std::size_t part, std::size_t num_parts) {
  std::vector<std::size_t> examples;
  for (std::size_t i = part; i < num_examples; i += num_parts) examples.push_back(i);
  return examples;
}

}  // namespace mnist
