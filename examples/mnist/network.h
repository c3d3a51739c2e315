#ifndef PS_EXAMPLES_MNIST_NETWORK_H_
#define PS_EXAMPLES_MNIST_NETWORK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/mnist/digits.h"

namespace mnist {

// A network with one hidden layer: pixels - 128 rectified units - 10 classes, softmax and cross entropy.
// Plain loops on the processor; nothing here knows of devices or of other workers.
constexpr int kHidden = 128;

// The network's parameters, or the gradient of each.
struct Parameters {
  explicit Parameters(std::size_t num_pixels)
      : hidden_weights(num_pixels * kHidden),
        hidden_bias(kHidden),
        output_weights(kHidden * kClasses),
        output_bias(kClasses) {}

  std::array<std::vector<float>*, 4> All() {
    return {&hidden_weights, &hidden_bias, &output_weights, &output_bias};
  }

  std::vector<float> hidden_weights;  // [pixel][unit]
  std::vector<float> hidden_bias;
  std::vector<float> output_weights;  // [unit][class]
  std::vector<float> output_bias;
};

// Weights to begin with: random ones, as large as the number of inputs bids (He et al., 2015). `seed` 0: the
// normal ones of this standard library; else those of starts.h.
Parameters FirstWeights(std::size_t num_pixels, std::uint32_t seed = 0);

// How well the network did, summed over examples.
struct Score {
  double loss = 0;  // cross entropy, nats
  double num_correct = 0;
  double num_examples = 0;

  Score& operator+=(const Score& other);
};

// How well the network does on these examples.
Score Judge(const Parameters& weights, const Digits& digits, const std::vector<std::size_t>& examples);

// The same, and `*gradients` become those of the loss: sums over the examples, in their order.
Score Differentiate(const Parameters& weights, const Digits& digits, const std::vector<std::size_t>& examples,
                    Parameters* gradients);

// The same of blocks of examples, whose gradients are rounded to multiples of 2^-14 and then added. So
// rounded, sums are exact in any order (as long as they stay below 2^10): whoever shares the blocks out, they
// are the same.
Score DifferentiateBlocks(const Parameters& weights, const Digits& digits,
                          const std::vector<std::vector<std::size_t>>& blocks, Parameters* gradients);

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_NETWORK_H_
