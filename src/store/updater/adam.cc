#include "device/rules/adam.h"

#include <cmath>

#include "store/updater/builtin.h"
#include "store/updater/gradient_updater.h"
#include "store/updater/rate_options.h"

namespace ps {
namespace {

struct AdamOptions : MomentOptions<AdamOptions> {
  DMLC_DECLARE_PARAMETER(AdamOptions) { DeclareMoments(manager, 1e-8); }
};
DMLC_REGISTER_PARAMETER(AdamOptions);

struct AdamWOptions : MomentOptions<AdamWOptions> {
  DMLC_DECLARE_PARAMETER(AdamWOptions) { DeclareMoments(manager, 1e-6); }
};
DMLC_REGISTER_PARAMETER(AdamWOptions);

// The rate with the correction for moments that began at zero.
template <typename Options>
double CorrectedRate(const Options& options, const Step& step) {
  const auto t = static_cast<double>(step.count());
  return step.Rate(options.lr) * std::sqrt(1 - std::pow(options.beta2, t)) / (1 - std::pow(options.beta1, t));
}

template <typename T, typename Options>
rules::Moments<T> MomentsOf(const Options& options) {
  return {static_cast<T>(options.beta1), static_cast<T>(options.beta2)};
}

struct Adam {
  static constexpr const char* kName = "adam";
  using Options = AdamOptions;
  template <typename T>
  static rules::Adam<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(options.wd), MomentsOf<T>(options), static_cast<T>(CorrectedRate(options, step)),
            static_cast<T>(options.eps)};
  }
};

struct AdamW {
  static constexpr const char* kName = "adamw";
  using Options = AdamWOptions;
  template <typename T>
  static rules::AdamW<T> Rule(const Options& options, const Step& step) {
    const double lr = CorrectedRate(options, step);
    return {step.Gradient<T>(0), MomentsOf<T>(options), static_cast<T>(lr), static_cast<T>(options.eps),
            static_cast<T>(lr * step.Decay(options.wd))};
  }
};

}  // namespace

MadeUpdater MakeAdam(const UpdaterTarget& target) { return MakeGradientUpdater<Adam>(target); }
MadeUpdater MakeAdamW(const UpdaterTarget& target) { return MakeGradientUpdater<AdamW>(target); }

}  // namespace ps
