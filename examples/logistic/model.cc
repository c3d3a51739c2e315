#include "examples/logistic/model.h"

#include <cmath>

namespace logistic {

double Sigmoid(double margin) { return 1.0 / (1.0 + std::exp(-margin)); }

std::vector<double> Predict(const Batch& batch, const std::vector<float>& weights) {
  std::vector<double> predictions(batch.size());
  for (size_t row = 0; row < batch.size(); ++row) {
    double margin = 0;
    for (size_t i = batch.offsets[row]; i < batch.offsets[row + 1]; ++i) {
      margin += static_cast<double>(weights[batch.places[i]]) * batch.values[i];
    }
    predictions[row] = Sigmoid(margin);
  }
  return predictions;
}

std::vector<float> Gradient(const Batch& batch, const std::vector<double>& predictions) {
  std::vector<float> gradient(batch.keys.size(), 0.0f);
  for (size_t row = 0; row < batch.size(); ++row) {
    const auto error = static_cast<float>(predictions[row] - batch.labels[row]);
    for (size_t i = batch.offsets[row]; i < batch.offsets[row + 1]; ++i) {
      gradient[batch.places[i]] += error * batch.values[i];
    }
  }
  return gradient;
}

}  // namespace logistic
