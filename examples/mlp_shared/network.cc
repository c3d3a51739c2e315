#include "examples/mlp_shared/network.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace mlp {
namespace {

constexpr float kDecay = 1e-5F;

// to += factor * from. The length is a constant, so that the compiler makes vectors of it.
template <int kSize>
void AddScaled(float factor, const float* __restrict from, float* __restrict to) {
  for (int i = 0; i < kSize; ++i) to[i] += factor * from[i];
}

// To the nearest multiple of 2^-14: the last place of numbers near kShift.
float Rounded(float value) {
  constexpr float kShift = 768;
  return (value + kShift) - kShift;
}

// `f(pixel, ink)` for every pixel with ink: four of five have none, and need no work.
template <typename F>
void ForEachInk(const Digits& digits, std::size_t example, const F& f) {
  const std::uint8_t* const picture = digits.picture(example);
  for (std::size_t pixel = 0; pixel < digits.num_pixels; ++pixel) {
    if (picture[pixel] != 0) f(pixel, static_cast<float>(picture[pixel]) * (1.0F / 255));
  }
}

void Softmax(std::array<float, kClasses>* outputs) {
  const float largest = *std::max_element(outputs->begin(), outputs->end());
  float sum = 0;
  for (float& output : *outputs) sum += output = std::exp(output - largest);
  for (float& output : *outputs) output /= sum;
}

}  // namespace

Arrays FirstWeights(std::size_t num_pixels) {
  Arrays weights = {std::vector<float>(num_pixels * kHidden), std::vector<float>(kHidden),
                    std::vector<float>(kHidden * kClasses), std::vector<float>(kClasses)};
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.01F);
  for (const Key key : {kHiddenWeights, kOutputWeights}) {
    for (float& value : weights[key]) value = normal(random);
  }
  return weights;
}

void Network::ForwardHidden(const Digits& digits, const std::vector<Block>& blocks) {
  digits_ = &digits;
  units_.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    units_[i].resize(blocks[i].size());
    for (std::size_t j = 0; j < blocks[i].size(); ++j) {
      units_[i][j].example = blocks[i][j];
      ComputeHidden(&units_[i][j]);
    }
  }
}

void Network::ComputeHidden(Units* units) const {
  std::copy_n(weights_of(kHiddenBias), kHidden, units->hidden.begin());
  ForEachInk(*digits_, units->example, [&](std::size_t pixel, float ink) {
    AddScaled<kHidden>(ink, weights_of(kHiddenWeights) + pixel * kHidden, units->hidden.data());
  });
  for (float& unit : units->hidden) unit = 1 / (1 + std::exp(-unit));
}

void Network::ForwardOutput() {
  for (std::vector<Units>& block : units_) {
    for (Units& units : block) ComputeOutputs(&units);
  }
}

void Network::ComputeOutputs(Units* units) const {
  std::copy_n(weights_of(kOutputBias), kClasses, units->outputs.begin());
  for (std::size_t unit = 0; unit < kHidden; ++unit)
    AddScaled<kClasses>(units->hidden[unit], weights_of(kOutputWeights) + unit * kClasses,
                        units->outputs.data());
  Softmax(&units->outputs);
}

void Network::BackwardOutput() {
  for (const Key key : {kOutputWeights, kOutputBias}) {
    std::fill(gradients_[key].begin(), gradients_[key].end(), 0.0F);
    block_[key].assign(gradients_[key].size(), 0.0F);
  }
  for (std::vector<Units>& block : units_) {
    for (Units& units : block) AddOutputGradients(&units);
    EndBlock(kOutputWeights);
    EndBlock(kOutputBias);
  }
}

void Network::AddOutputGradients(Units* units) {
  std::array<float, kClasses> errors = units->outputs;
  errors[digits_->labels[units->example]] -= 1;
  AddScaled<kClasses>(1, errors.data(), of_block(kOutputBias));
  for (std::size_t unit = 0; unit < kHidden; ++unit) {
    const float* const row = weights_of(kOutputWeights) + unit * kClasses;
    float error = 0;
    for (std::size_t c = 0; c < kClasses; ++c) error += errors[c] * row[c];
    const float active = units->hidden[unit];
    units->hidden_errors[unit] = error * active * (1 - active);
    AddScaled<kClasses>(active, errors.data(), of_block(kOutputWeights) + unit * kClasses);
  }
}

void Network::BackwardHidden() {
  for (const Key key : {kHiddenWeights, kHiddenBias}) {
    std::fill(gradients_[key].begin(), gradients_[key].end(), 0.0F);
    block_[key].assign(gradients_[key].size(), 0.0F);
  }
  for (const std::vector<Units>& block : units_) {
    for (const Units& units : block) AddHiddenGradients(units);
    EndBlock(kHiddenWeights);
    EndBlock(kHiddenBias);
  }
}

void Network::AddHiddenGradients(const Units& units) {
  AddScaled<kHidden>(1, units.hidden_errors.data(), of_block(kHiddenBias));
  ForEachInk(*digits_, units.example, [&](std::size_t pixel, float ink) {
    AddScaled<kHidden>(ink, units.hidden_errors.data(), of_block(kHiddenWeights) + pixel * kHidden);
  });
}

void Network::EndBlock(int key) {
  std::vector<float>& sum = gradients_[static_cast<std::size_t>(key)];
  float* const block = of_block(key);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += Rounded(block[i]);
    block[i] = 0;
  }
}

std::size_t Network::NumWrong() const {
  std::size_t wrong = 0;
  for (const std::vector<Units>& block : units_) {
    for (const Units& units : block) {
      const auto taken = std::max_element(units.outputs.begin(), units.outputs.end()) - units.outputs.begin();
      if (static_cast<std::size_t>(taken) != digits_->labels[units.example]) ++wrong;
    }
  }
  return wrong;
}

void Network::Descend(int key, float rate, std::size_t num_examples) {
  const auto index = static_cast<std::size_t>(key);
  const float step = rate / static_cast<float>(num_examples);
  const float kept = key == kHiddenWeights || key == kOutputWeights ? 1 - rate * kDecay : 1;
  std::vector<float>& weights = weights_[index];
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = kept * weights[i] - step * gradients_[index][i];
}

}  // namespace mlp
