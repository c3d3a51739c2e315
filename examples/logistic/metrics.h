#ifndef PS_EXAMPLES_LOGISTIC_METRICS_H_
#define PS_EXAMPLES_LOGISTIC_METRICS_H_

#include <vector>

namespace logistic {

// Measures of predictions against labels (1 or 0); both have the same length.

// The area under the ROC curve: the probability that a 1 is scored above a 0, equal scores counting
// half. Exact. 0.5 when there is only one class.
double Auc(const std::vector<float>& labels, const std::vector<double>& predictions);

// The share of rows on the right side of 0.5. 0 for no rows.
double Accuracy(const std::vector<float>& labels, const std::vector<double>& predictions);

// The mean of -log(probability given to the true label), in nats. A prediction of exactly 0 or 1 counts as
// 1e-15 away from it. 0 for no rows.
double LogLoss(const std::vector<float>& labels, const std::vector<double>& predictions);

}  // namespace logistic

#endif  // PS_EXAMPLES_LOGISTIC_METRICS_H_
