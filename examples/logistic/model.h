#ifndef PS_EXAMPLES_LOGISTIC_MODEL_H_
#define PS_EXAMPLES_LOGISTIC_MODEL_H_

#include <vector>

#include "examples/logistic/dataset.h"

namespace logistic {

// Logistic regression: the probability of a 1 is Sigmoid(sum of weight * value over the features).
double Sigmoid(double margin);

// The probability of a 1 per row. `weights` has one entry per batch.keys.
std::vector<double> Predict(const Batch& batch, const std::vector<float>& weights);

// The gradient of the summed log loss by the weights, given the predictions for the rows.
std::vector<float> Gradient(const Batch& batch, const std::vector<double>& predictions);

}  // namespace logistic

#endif  // PS_EXAMPLES_LOGISTIC_MODEL_H_
