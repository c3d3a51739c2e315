// The first options of every gradient rule.
#ifndef PS_STORE_UPDATER_RATE_OPTIONS_H_
#define PS_STORE_UPDATER_RATE_OPTIONS_H_

#include <dmlc/parameter.h>

#include <limits>

#include "store/updater/real.h"

namespace ps {

// For options that something is divided by, and for those whose distance to 1 is: also as floats.
constexpr double kAboveZero = std::numeric_limits<float>::min();
constexpr double kBelowOne = 1 - std::numeric_limits<double>::epsilon();

// Base of a rule's own options `Self`, which calls Declare* in its DMLC_DECLARE_PARAMETER, with the defaults.
template <typename Self>
struct RateOptions : dmlc::Parameter<Self> {
  using Manager = dmlc::parameter::ParamManagerSingleton<Self>*;

  Real lr;
  Real wd;

  void DeclareRate(Manager manager, double default_lr, double least_lr = 0) {
    DMLC_DECLARE_FIELD(lr)
        .set_default(default_lr)
        .set_lower_bound(least_lr)
        .describe("learning rate, not below 0");
    DMLC_DECLARE_FIELD(wd).set_default(0).set_lower_bound(0).describe("weight decay, not below 0");
    DMLC_DECLARE_ALIAS(lr, learning_rate);
  }
};

// The same for rules that keep moments.
template <typename Self>
struct MomentOptions : RateOptions<Self> {
  using typename RateOptions<Self>::Manager;

  Real beta1;
  Real beta2;
  Real eps;

  void DeclareMoments(Manager manager, double default_eps) {
    this->DeclareRate(manager, .001);
    DMLC_DECLARE_FIELD(beta1).set_default(.9).set_range(0, kBelowOne).describe("in [0, 1)");
    DMLC_DECLARE_FIELD(beta2).set_default(.999).set_range(0, kBelowOne).describe("in [0, 1)");
    DMLC_DECLARE_FIELD(eps).set_default(default_eps).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_ALIAS(eps, epsilon);
  }
};

}  // namespace ps

#endif  // PS_STORE_UPDATER_RATE_OPTIONS_H_
