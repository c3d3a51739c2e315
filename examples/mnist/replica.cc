#include "examples/mnist/replica.h"

#include <cstdint>

namespace mnist {
namespace {

std::array<ps::Shape, 4> ShapesOf(const Parameters& parameters) {
  const auto num_pixels = static_cast<std::int64_t>(parameters.hidden_weights.size() / kHidden);
  return {ps::Shape{num_pixels, kHidden}, ps::Shape{kHidden}, ps::Shape{kHidden, kClasses},
          ps::Shape{kClasses}};
}

}  // namespace

const std::array<const char*, 4> kParameterNames = {"hidden.weight", "hidden.bias", "output.weight",
                                                    "output.bias"};

Replica::Replica(const Parameters& weights, const ps::DeviceId& device)
    : weights_here_(weights), gradients_here_(weights) {
  const std::array<ps::Shape, 4> shapes = ShapesOf(weights);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    weights_[i] = ps::Tensor::Empty(shapes[i], ps::DType::kF32, device);
    weights_[i].CopyFrom(weights_here_.All()[i]->data());
    gradients_[i] = ps::Tensor::Empty(shapes[i], ps::DType::kF32, device);
  }
}

void Replica::ReadWeights() {
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i].CopyTo(weights_here_.All()[i]->data());
}

void Replica::WriteGradients() {
  for (std::size_t i = 0; i < gradients_.size(); ++i)
    gradients_[i].CopyFrom(gradients_here_.All()[i]->data());
}

Score Replica::Differentiate(const Digits& digits, const std::vector<std::size_t>& examples) {
  ReadWeights();
  const Score score = mnist::Differentiate(weights_here_, digits, examples, &gradients_here_);
  WriteGradients();
  return score;
}

Score Replica::DifferentiateBlocks(const Digits& digits,
                                   const std::vector<std::vector<std::size_t>>& blocks) {
  ReadWeights();
  const Score score = mnist::DifferentiateBlocks(weights_here_, digits, blocks, &gradients_here_);
  WriteGradients();
  return score;
}

Score Replica::Judge(const Digits& digits, const std::vector<std::size_t>& examples) {
  ReadWeights();
  return mnist::Judge(weights_here_, digits, examples);
}

std::vector<ps::TrainerParameter> TrainerParametersOf(const std::vector<Replica>& replicas) {
  std::vector<ps::TrainerParameter> parameters(kParameterNames.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].name = kParameterNames[i];
    for (const Replica& replica : replicas) {
      parameters[i].weights.push_back(replica.weights()[i]);
      parameters[i].gradients.push_back(replica.gradients()[i]);
    }
  }
  return parameters;
}

}  // namespace mnist
