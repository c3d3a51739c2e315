#include "device/rules/sgd.h"

#include "store/updater/builtin.h"
#include "store/updater/gradient_updater.h"
#include "store/updater/rate_options.h"

namespace ps {
namespace {

struct SgdOptions : RateOptions<SgdOptions> {
  DMLC_DECLARE_PARAMETER(SgdOptions) { DeclareRate(manager, 1); }
};
DMLC_REGISTER_PARAMETER(SgdOptions);

struct Sgd {
  static constexpr const char* kName = "sgd";
  using Options = SgdOptions;
  template <typename T>
  static rules::Sgd<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(options.wd), static_cast<T>(step.Rate(options.lr))};
  }
};

struct VelocityOptions : RateOptions<VelocityOptions> {
  Real momentum;

  DMLC_DECLARE_PARAMETER(VelocityOptions) {
    DeclareRate(manager, .1);
    DMLC_DECLARE_FIELD(momentum).set_default(.9).set_lower_bound(0).describe("not below 0");
  }
};
DMLC_REGISTER_PARAMETER(VelocityOptions);

struct Momentum {
  static constexpr const char* kName = "momentum";
  using Options = VelocityOptions;
  template <typename T>
  static rules::Momentum<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(options.wd), static_cast<T>(step.Rate(options.lr)),
            static_cast<T>(options.momentum)};
  }
};

struct Nag {
  static constexpr const char* kName = "nag";
  using Options = VelocityOptions;
  template <typename T>
  static rules::Nag<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(options.wd), static_cast<T>(step.Rate(options.lr)),
            static_cast<T>(options.momentum)};
  }
};

}  // namespace

MadeUpdater MakeSgd(const UpdaterTarget& target) {
  if (!IsFloat(target.dtype)) return MakeIntegerSgd(target);
  return MakeGradientUpdater<Sgd>(target);
}
MadeUpdater MakeMomentum(const UpdaterTarget& target) { return MakeGradientUpdater<Momentum>(target); }
MadeUpdater MakeNag(const UpdaterTarget& target) { return MakeGradientUpdater<Nag>(target); }

}  // namespace ps
