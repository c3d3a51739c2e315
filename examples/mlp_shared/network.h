#ifndef PS_EXAMPLES_MLP_SHARED_NETWORK_H_
#define PS_EXAMPLES_MLP_SHARED_NETWORK_H_

#include <array>
#include <cstddef>
#include <vector>

#include "examples/mnist/digits.h"

namespace mlp {

using mnist::Digits;
using mnist::kClasses;

constexpr int kHidden = 100;

// The arrays of the network by their keys: weights to the hidden units, their bias, weights to the outputs,
// their bias. In this order they are needed on the way forward.
enum Key : int { kHiddenWeights, kHiddenBias, kOutputWeights, kOutputBias };
constexpr int kNumKeys = 4;
using Arrays = std::array<std::vector<float>, kNumKeys>;

// Random weights of a fixed seed, and no bias.
Arrays FirstWeights(std::size_t num_pixels);

// A network of pixels, 100 sigmoid units and 10 classes (softmax, cross entropy) on one device, a layer at a
// time: what is known of a layer's gradient can travel while the next one is computed.
//
// Examples come in blocks of one size. Gradients are summed up in a block, rounded to multiples of 2^-14, and
// then added: so rounded, sums are exact in any order (as long as they stay below 2^10), and whoever shares
// the blocks out, training has the same bits.
class Network {
 public:
  // The examples of a block, as numbers of `digits`. Borrowed.
  using Block = std::vector<std::size_t>;

  explicit Network(Arrays weights) : weights_(std::move(weights)), gradients_(weights_) {}

  // The activations of the examples of these blocks, layer by layer.
  void ForwardHidden(const Digits& digits, const std::vector<Block>& blocks);
  void ForwardOutput();
  // The gradients of the loss by the arrays of the layer, summed over the examples. After BackwardOutput
  // nothing depends on the output layer's weights any more.
  void BackwardOutput();
  void BackwardHidden();
  // Of the examples of the last ForwardOutput: how many were taken for something else.
  std::size_t NumWrong() const;

  // w -= rate * (gradient / num_examples + decay * w), of one array; no decay for a bias.
  void Descend(int key, float rate, std::size_t num_examples);

  std::vector<float>& gradient(int key) { return gradients_[static_cast<std::size_t>(key)]; }
  const Arrays& weights() const { return weights_; }

 private:
  struct Units {
    std::size_t example;
    std::array<float, kHidden> hidden;
    std::array<float, kClasses> outputs;       // probabilities
    std::array<float, kHidden> hidden_errors;  // the gradient of the loss by the units' inputs
  };
  void ComputeHidden(Units* units) const;
  void ComputeOutputs(Units* units) const;
  // One example's part of the gradients of the output layer, added to the block's.
  void AddOutputGradients(Units* units);
  void AddHiddenGradients(const Units& units);
  // Rounds the block's gradient of an array, adds it, and begins the next.
  void EndBlock(int key);
  float* of_block(int key) { return block_[static_cast<std::size_t>(key)].data(); }
  const float* weights_of(int key) const { return weights_[static_cast<std::size_t>(key)].data(); }

  Arrays weights_;
  Arrays gradients_;
  Arrays block_;
  const Digits* digits_ = nullptr;         // of the last ForwardHidden
  std::vector<std::vector<Units>> units_;  // by block
};

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_NETWORK_H_
