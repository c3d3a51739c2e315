#include "examples/logistic/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace logistic {

double Auc(const std::vector<float>& labels, const std::vector<double>& predictions) {
  std::vector<size_t> by_score(labels.size());
  std::iota(by_score.begin(), by_score.end(), size_t{0});
  std::sort(by_score.begin(), by_score.end(),
            [&](size_t a, size_t b) { return predictions[a] < predictions[b]; });
  double pairs_won = 0;
  double num_positive = 0;
  double num_negative = 0;
  for (size_t begin = 0, end = 0; begin < by_score.size(); begin = end) {
    double tied_positive = 0;
    double tied_negative = 0;
    for (; end < by_score.size() && predictions[by_score[end]] == predictions[by_score[begin]]; ++end) {
      (labels[by_score[end]] > 0 ? tied_positive : tied_negative) += 1;
    }
    pairs_won += tied_positive * (num_negative + tied_negative / 2);
    num_positive += tied_positive;
    num_negative += tied_negative;
  }
  return num_positive == 0 || num_negative == 0 ? 0.5 : pairs_won / (num_positive * num_negative);
}

double Accuracy(const std::vector<float>& labels, const std::vector<double>& predictions) {
  if (labels.empty()) return 0;
  size_t num_right = 0;
  for (size_t i = 0; i < labels.size(); ++i) num_right += (labels[i] > 0) == (predictions[i] > 0.5) ? 1 : 0;
  return static_cast<double>(num_right) / static_cast<double>(labels.size());
}

double LogLoss(const std::vector<float>& labels, const std::vector<double>& predictions) {
  constexpr double kSmallest = 1e-15;
  if (labels.empty()) return 0;
  double sum = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const double right = labels[i] > 0 ? predictions[i] : 1 - predictions[i];
    sum -= std::log(std::clamp(right, kSmallest, 1 - kSmallest));
  }
  return sum / static_cast<double>(labels.size());
}

}  // namespace logistic
