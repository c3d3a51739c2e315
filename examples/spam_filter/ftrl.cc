#include "examples/spam_filter/ftrl.h"

#include <cmath>

namespace spam {

void FtrlUpdate(const FtrlOptions& options, float gradient, FtrlWeight* weight) {
  const float root = std::sqrt(weight->n);
  weight->n += gradient * gradient;
  const float new_root = std::sqrt(weight->n);
  weight->z += gradient - (new_root - root) / options.alpha * weight->w;
  const float pull = std::fabs(weight->z) - options.l1;
  const float step = (options.beta + new_root) / options.alpha + options.l2;
  weight->w = pull <= 0 ? 0.0f : -std::copysign(pull, weight->z) / step;
}

float FtrlTable::Weight(uint64_t key) const {
  const auto it = weights_.find(key);
  return it == weights_.end() ? 0.0f : it->second.w;
}

}  // namespace spam
