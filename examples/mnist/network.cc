#include "examples/mnist/network.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "examples/mnist/starts.h"

namespace mnist {
namespace {

// What an example makes of the units.
struct Activations {
  std::array<float, kHidden> hidden;
  std::array<float, kClasses>
      outputs;  // logits, then probabilities, then the gradient of the loss by the logits
};

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

float InkOf(std::uint8_t pixel) { return static_cast<float>(pixel) * (1.0F / 255); }

// `f(pixel, ink)` for every pixel with ink: four of five have none, and need no work.
template <typename F>
void ForEachInk(const Digits& digits, std::size_t example, const F& f) {
  const std::uint8_t* const picture = digits.picture(example);
  for (std::size_t pixel = 0; pixel < digits.num_pixels; ++pixel) {
    if (picture[pixel] != 0) f(pixel, InkOf(picture[pixel]));
  }
}

void Forward(const Parameters& weights, const Digits& digits, std::size_t example, Activations* units) {
  std::copy(weights.hidden_bias.begin(), weights.hidden_bias.end(), units->hidden.begin());
  ForEachInk(digits, example, [&](std::size_t pixel, float ink) {
    AddScaled<kHidden>(ink, weights.hidden_weights.data() + pixel * kHidden, units->hidden.data());
  });
  for (float& unit : units->hidden) unit = std::max(unit, 0.0F);
  std::copy(weights.output_bias.begin(), weights.output_bias.end(), units->outputs.begin());
  for (std::size_t unit = 0; unit < kHidden; ++unit)
    AddScaled<kClasses>(units->hidden[unit], weights.output_weights.data() + unit * kClasses,
                        units->outputs.data());
}

// Logits become probabilities.
Score Softmax(std::size_t label, Activations* units) {
  auto& outputs = units->outputs;
  const auto largest = std::max_element(outputs.begin(), outputs.end());
  const float shift = *largest;
  Score score;
  score.num_examples = 1;
  score.num_correct = static_cast<std::size_t>(largest - outputs.begin()) == label ? 1 : 0;
  const float margin = outputs[label] - shift;
  float sum = 0;
  for (float& output : outputs) sum += output = std::exp(output - shift);
  for (float& output : outputs) output /= sum;
  score.loss = static_cast<double>(std::log(sum)) - static_cast<double>(margin);
  return score;
}

// Adds the gradients of one example, whose outputs are those of the loss by the logits.
void Backward(const Parameters& weights, const Digits& digits, std::size_t example, const Activations& units,
              Parameters* gradients) {
  std::array<float, kHidden> errors{};  // the gradient by the hidden units
  for (std::size_t unit = 0; unit < kHidden; ++unit) {
    if (units.hidden[unit] <= 0) continue;
    const float* const row = weights.output_weights.data() + unit * kClasses;
    for (std::size_t c = 0; c < kClasses; ++c) errors[unit] += units.outputs[c] * row[c];
    AddScaled<kClasses>(units.hidden[unit], units.outputs.data(),
                        gradients->output_weights.data() + unit * kClasses);
  }
  AddScaled<kClasses>(1, units.outputs.data(), gradients->output_bias.data());
  AddScaled<kHidden>(1, errors.data(), gradients->hidden_bias.data());
  ForEachInk(digits, example, [&](std::size_t pixel, float ink) {
    AddScaled<kHidden>(ink, errors.data(), gradients->hidden_weights.data() + pixel * kHidden);
  });
}

}  // namespace

Parameters FirstWeights(std::size_t num_pixels, std::uint32_t seed) {
  Parameters weights(num_pixels);
  if (seed != 0) {
    FillWithFirstWeights(seed, 0, num_pixels, &weights.hidden_weights);
    FillWithFirstWeights(seed, 1, kHidden, &weights.output_weights);
    return weights;
  }
  std::mt19937 random(1);
  const auto fill = [&random](std::size_t inputs, std::vector<float>* values) {
    std::normal_distribution<float> normal(0, std::sqrt(2.0F / static_cast<float>(inputs)));
    for (float& value : *values) value = normal(random);
  };
  fill(num_pixels, &weights.hidden_weights);
  fill(kHidden, &weights.output_weights);
  return weights;
}

Score& Score::operator+=(const Score& other) {
  loss += other.loss;
  num_correct += other.num_correct;
  num_examples += other.num_examples;
  return *this;
}

Score Judge(const Parameters& weights, const Digits& digits, const std::vector<std::size_t>& examples) {
  Score score;
  Activations units;
  for (const std::size_t example : examples) {
    Forward(weights, digits, example, &units);
    score += Softmax(digits.labels[example], &units);
  }
  return score;
}

Score Differentiate(const Parameters& weights, const Digits& digits, const std::vector<std::size_t>& examples,
                    Parameters* gradients) {
  for (std::vector<float>* values : gradients->All()) std::fill(values->begin(), values->end(), 0.0F);
  Score score;
  Activations units;
  for (const std::size_t example : examples) {
    Forward(weights, digits, example, &units);
    score += Softmax(digits.labels[example], &units);
    units.outputs[digits.labels[example]] -= 1;
    Backward(weights, digits, example, units, gradients);
  }
  return score;
}

Score DifferentiateBlocks(const Parameters& weights, const Digits& digits,
                          const std::vector<std::vector<std::size_t>>& blocks, Parameters* gradients) {
  for (std::vector<float>* values : gradients->All()) std::fill(values->begin(), values->end(), 0.0F);
  Parameters of_block(digits.num_pixels);
  Score score;
  for (const std::vector<std::size_t>& block : blocks) {
    score += Differentiate(weights, digits, block, &of_block);
    for (std::size_t array = 0; array < of_block.All().size(); ++array) {
      const std::vector<float>& from = *of_block.All()[array];
      std::vector<float>& to = *gradients->All()[array];
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += Rounded(from[i]);
    }
  }
  return score;
}

}  // namespace mnist
