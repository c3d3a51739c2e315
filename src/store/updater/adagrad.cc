#include "device/rules/adagrad.h"

#include "store/updater/builtin.h"
#include "store/updater/gradient_updater.h"
#include "store/updater/rate_options.h"

namespace ps {
namespace {

struct AdaGradOptions : RateOptions<AdaGradOptions> {
  Real eps;

  DMLC_DECLARE_PARAMETER(AdaGradOptions) {
    DeclareRate(manager, .01);
    DMLC_DECLARE_FIELD(eps).set_default(1e-6).set_lower_bound(0).describe("outside the root, not below 0");
    DMLC_DECLARE_ALIAS(eps, epsilon);
  }
};
DMLC_REGISTER_PARAMETER(AdaGradOptions);

struct AdaGrad {
  static constexpr const char* kName = "adagrad";
  using Options = AdaGradOptions;
  template <typename T>
  static rules::AdaGrad<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(options.wd), static_cast<T>(step.Rate(options.lr)), static_cast<T>(options.eps)};
  }
};

}  // namespace

MadeUpdater MakeAdaGrad(const UpdaterTarget& target) { return MakeGradientUpdater<AdaGrad>(target); }

}  // namespace ps
