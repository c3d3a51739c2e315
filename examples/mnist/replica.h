#ifndef PS_EXAMPLES_MNIST_REPLICA_H_
#define PS_EXAMPLES_MNIST_REPLICA_H_

#include <array>
#include <cstddef>
#include <vector>

#include "examples/mnist/digits.h"
#include "examples/mnist/network.h"
#include "ps/device_id.h"
#include "ps/tensor.h"
#include "ps/trainer.h"

namespace mnist {

// The network on one device. Weights and gradients lie on the device, where the store sums and updates them;
// the network itself is computed on the processor, so that on a GPU they are copied for each batch.
class Replica {
 public:
  // Throws ps::Error where there is no such device.
  Replica(const Parameters& weights, const ps::DeviceId& device);

  // Puts the gradients of these examples onto the device.
  Score Differentiate(const Digits& digits, const std::vector<std::size_t>& examples);
  // The same, rounded block by block.
  Score DifferentiateBlocks(const Digits& digits, const std::vector<std::vector<std::size_t>>& blocks);
  Score Judge(const Digits& digits, const std::vector<std::size_t>& examples);

  // Tensors in the order of Parameters::All.
  const std::array<ps::Tensor, 4>& weights() const { return weights_; }
  const std::array<ps::Tensor, 4>& gradients() const { return gradients_; }

 private:
  // Waits for the weights that are on their way.
  void ReadWeights();
  void WriteGradients();

  Parameters weights_here_;
  Parameters gradients_here_;
  std::array<ps::Tensor, 4> weights_;
  std::array<ps::Tensor, 4> gradients_;
};

// The keys of the parameters, in the order of Parameters::All.
extern const std::array<const char*, 4> kParameterNames;

// What a Trainer is told of a network that is on these devices.
std::vector<ps::TrainerParameter> TrainerParametersOf(const std::vector<Replica>& replicas);

}  // namespace mnist

#endif  // PS_EXAMPLES_MNIST_REPLICA_H_
