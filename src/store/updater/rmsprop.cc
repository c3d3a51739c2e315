#include "device/rules/rmsprop.h"

#include "store/updater/builtin.h"
#include "store/updater/gradient_updater.h"
#include "store/updater/rate_options.h"

namespace ps {
namespace {

template <typename Self>
struct SquareOptions : RateOptions<Self> {
  using typename RateOptions<Self>::Manager;

  Real rho;
  Real eps;

  void DeclareSquare(Manager manager) {
    this->DeclareRate(manager, .001);
    DMLC_DECLARE_FIELD(rho).set_default(.9).set_range(0, 1).describe("in [0, 1]");
    DMLC_DECLARE_FIELD(eps).set_default(1e-8).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_ALIAS(rho, gamma1);
    DMLC_DECLARE_ALIAS(eps, epsilon);
  }
};

struct RmsPropOptions : SquareOptions<RmsPropOptions> {
  DMLC_DECLARE_PARAMETER(RmsPropOptions) { DeclareSquare(manager); }
};
DMLC_REGISTER_PARAMETER(RmsPropOptions);

struct RmsProp {
  static constexpr const char* kName = "rmsprop";
  using Options = RmsPropOptions;
  template <typename T>
  static rules::RmsProp<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(options.wd), static_cast<T>(step.Rate(options.lr)), static_cast<T>(options.rho),
            static_cast<T>(options.eps)};
  }
};

struct RmsPropCenteredOptions : SquareOptions<RmsPropCenteredOptions> {
  Real momentum;

  DMLC_DECLARE_PARAMETER(RmsPropCenteredOptions) {
    DeclareSquare(manager);
    DMLC_DECLARE_FIELD(momentum).set_default(.9).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_ALIAS(momentum, gamma2);
  }
};
DMLC_REGISTER_PARAMETER(RmsPropCenteredOptions);

struct RmsPropCentered {
  static constexpr const char* kName = "rmsprop_centered";
  using Options = RmsPropCenteredOptions;
  template <typename T>
  static rules::RmsPropCentered<T> Rule(const Options& options, const Step& step) {
    return {step.Gradient<T>(options.wd), static_cast<T>(step.Rate(options.lr)), static_cast<T>(options.rho),
            static_cast<T>(options.momentum), static_cast<T>(options.eps)};
  }
};

}  // namespace

MadeUpdater MakeRmsProp(const UpdaterTarget& target) { return MakeGradientUpdater<RmsProp>(target); }
MadeUpdater MakeRmsPropCentered(const UpdaterTarget& target) {
  return MakeGradientUpdater<RmsPropCentered>(target);
}

}  // namespace ps
