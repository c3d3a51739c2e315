#include "device/rules/ftrl.h"

#include "store/updater/builtin.h"
#include "store/updater/gradient_updater.h"
#include "store/updater/rate_options.h"

namespace ps {
namespace {

// By MXNet's names and by those of the OSDI'14 server.
struct FtrlOptions : RateOptions<FtrlOptions> {
  Real beta;
  Real lambda1;

  DMLC_DECLARE_PARAMETER(FtrlOptions) {
    DeclareRate(manager, .1, kAboveZero);
    DMLC_DECLARE_FIELD(beta).set_default(1).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_FIELD(lambda1).set_default(.01).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_ALIAS(lambda1, lamda1);
    DMLC_DECLARE_ALIAS(lr, alpha);
    DMLC_DECLARE_ALIAS(wd, lambda2);
  }
};
DMLC_REGISTER_PARAMETER(FtrlOptions);

struct Ftrl {
  static constexpr const char* kName = "ftrl";
  using Options = FtrlOptions;
  template <typename T>
  static rules::Ftrl<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(0), static_cast<T>(step.Rate(options.lr)), static_cast<T>(options.beta),
            static_cast<T>(options.lambda1), static_cast<T>(step.Decay(options.wd))};
  }
};

}  // namespace

MadeUpdater MakeFtrl(const UpdaterTarget& target) { return MakeGradientUpdater<Ftrl>(target); }

}  // namespace ps
