#include "examples/word_embedding/skip_gram.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace embedding {
namespace {

// Sums in as many parts as a vector register may have, so that the compiler can use one.
constexpr std::size_t kLanes = 8;

float Dot(const float* __restrict x, const float* __restrict y, std::size_t dim) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  float sum = 0;
  for (; i < dim; ++i) sum += x[i] * y[i];
  for (const float part : sums) sum += part;
  return sum;
}

// y += factor x.
void AddScaled(float factor, const float* __restrict x, float* __restrict y, std::size_t dim) {
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) y[i + lane] += factor * x[i + lane];
  }
  for (; i < dim; ++i) y[i] += factor * x[i];
}

float Sigmoid(float margin) { return 1.0F / (1.0F + std::exp(-margin)); }

// -log(sigmoid(margin)), of any margin.
float LossOf(float margin) { return std::max(-margin, 0.0F) + std::log1p(std::exp(-std::abs(margin))); }

// Calls f(inputs_begin, inputs_end, targets_begin, targets_end) for each window.
template <typename Function>
void ForEachWindow(const Block& block, Function f) {
  std::size_t inputs = 0;
  std::size_t targets = 0;
  for (const Block::Window& window : block.windows) {
    f(inputs, window.inputs_end, targets, window.targets_end);
    inputs = window.inputs_end;
    targets = window.targets_end;
  }
}

}  // namespace

Loss Train(const Block& block, std::size_t dim, float rate, BlockValues* values) {
  Loss loss;
  std::vector<float> change(dim);  // of the input
  ForEachWindow(block, [&](std::size_t input, std::size_t inputs_end, std::size_t first, std::size_t last) {
    float sum = 0;
    for (; input < inputs_end; ++input) {
      float* const x = values->input.data() + block.inputs[input] * dim;
      std::fill(change.begin(), change.end(), 0.0F);
      for (std::size_t t = first; t < last; ++t) {
        const Target& target = block.targets[t];
        float* const y = values->output.data() + target.place * dim;
        const float margin = Dot(x, y, dim);
        sum += LossOf(target.label > 0 ? margin : -margin);
        const float step = rate * (target.label - Sigmoid(margin));
        AddScaled(step, y, change.data(), dim);
        AddScaled(step, x, y, dim);
      }
      AddScaled(1, change.data(), x, dim);
      loss.num_pairs += 1;
    }
    loss.sum += static_cast<double>(sum);
  });
  return loss;
}

Loss Judge(const Block& block, std::size_t dim, const BlockValues& values) {
  Loss loss;
  ForEachWindow(block, [&](std::size_t input, std::size_t inputs_end, std::size_t first, std::size_t last) {
    for (; input < inputs_end; ++input) {
      const float* const x = values.input.data() + block.inputs[input] * dim;
      for (std::size_t t = first; t < last; ++t) {
        const float margin = Dot(x, values.output.data() + block.targets[t].place * dim, dim);
        loss.sum += static_cast<double>(LossOf(block.targets[t].label > 0 ? margin : -margin));
      }
      loss.num_pairs += 1;
    }
  });
  return loss;
}

}  // namespace embedding
