#ifndef PS_EXAMPLES_SPAM_FILTER_LOGISTIC_H_
#define PS_EXAMPLES_SPAM_FILTER_LOGISTIC_H_

#include <vector>

#include "examples/spam_filter/dataset.h"

namespace spam {

// Logistic regression: the probability of spam is Sigmoid(sum of weight * value over the features).
double Sigmoid(double margin);

// The probability of spam per row. `weights` has one entry per batch.buckets.
std::vector<double> Predict(const Batch& batch, const std::vector<float>& weights);

// The gradient of the summed log loss by the weights, given the predictions for the rows.
std::vector<float> Gradient(const Batch& batch, const std::vector<double>& predictions);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_LOGISTIC_H_
