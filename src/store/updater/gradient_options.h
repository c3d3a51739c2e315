// Options that all gradient rules have, and what they make of an update.
#ifndef PS_STORE_UPDATER_GRADIENT_OPTIONS_H_
#define PS_STORE_UPDATER_GRADIENT_OPTIONS_H_

#include <dmlc/parameter.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "device/rules/gradient.h"
#include "ps/updater.h"
#include "store/updater/options.h"
#include "store/updater/schedule.h"

namespace ps {

struct GradientOptions : dmlc::Parameter<GradientOptions> {
  Real rescale;
  Real clip;
  Real lr_mult;
  Real wd_mult;

  DMLC_DECLARE_PARAMETER(GradientOptions) {
    DMLC_DECLARE_FIELD(rescale).set_default(1).describe("contributions are multiplied by it");
    DMLC_DECLARE_FIELD(clip).set_default(-1).describe("then limited to [-clip, clip]; below 0 they are not");
    DMLC_DECLARE_FIELD(lr_mult).set_default(1).set_lower_bound(0).describe("of this table; at least 0");
    DMLC_DECLARE_FIELD(wd_mult).set_default(1).set_lower_bound(0).describe("of this table; at least 0");
    DMLC_DECLARE_ALIAS(rescale, rescale_grad);
    DMLC_DECLARE_ALIAS(clip, clip_gradient);
  }
};

// The options of one updater that are not its rule's own. Copies freely.
struct SharedOptions {
  GradientOptions gradient = DefaultOptions<GradientOptions>();
  Schedule schedule;

  // Sets them together with the rule's own ones (see SetOptions, whose groups are then complete).
  Status Set(const std::string& updater, const UpdaterOptions& options, OptionGroup own);
};

// What a rule is made of for one update: its options, and the number of the update.
class Step {
 public:
  Step(const SharedOptions& shared, std::int64_t count)
      : shared_(shared), count_(std::max<std::int64_t>(count, 1)) {}

  // Of this table's updates, from 1.
  std::int64_t count() const { return count_; }
  // The rate, of a base rate.
  double Rate(double lr) const { return shared_.schedule.At(count_, lr) * shared_.gradient.lr_mult; }
  double Decay(double wd) const { return wd * shared_.gradient.wd_mult; }
  // The preparation of contributions; with wd 0 where the rule applies weight decay itself.
  template <typename T>
  rules::Gradient<T> Gradient(double wd) const {
    const double clip = shared_.gradient.clip;
    return {static_cast<T>(shared_.gradient.rescale),
            clip < 0 ? std::numeric_limits<T>::infinity() : static_cast<T>(clip), static_cast<T>(Decay(wd))};
  }

 private:
  const SharedOptions& shared_;
  const std::int64_t count_;
};

}  // namespace ps

#endif  // PS_STORE_UPDATER_GRADIENT_OPTIONS_H_
