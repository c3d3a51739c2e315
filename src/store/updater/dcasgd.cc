#include "device/rules/dcasgd.h"

#include <dmlc/parameter.h>

#include <array>

#include "store/updater/builtin.h"
#include "store/updater/rate_options.h"
#include "store/updater/real.h"
#include "store/updater/step_updater.h"

namespace ps {
namespace {

template <typename Self>
struct DelayOptions : dmlc::Parameter<Self> {
  Real lr;
  Real lambda;

  void DeclareDelay(dmlc::parameter::ParamManagerSingleton<Self>* manager) {
    DMLC_DECLARE_FIELD(lr)
        .set_default(.01)
        .set_lower_bound(kAboveZero)
        .describe("what workers multiply by; above 0");
    DMLC_DECLARE_FIELD(lambda).set_default(.04).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_ALIAS(lr, learning_rate);
    DMLC_DECLARE_ALIAS(lambda, lamda);
  }
};

struct DcAsgdOptions : DelayOptions<DcAsgdOptions> {
  DMLC_DECLARE_PARAMETER(DcAsgdOptions) { DeclareDelay(manager); }
};
DMLC_REGISTER_PARAMETER(DcAsgdOptions);

// States: what each worker has seen, and behind it what is one for all.
struct DcAsgd {
  static constexpr const char* kName = "dcasgd";
  using Options = DcAsgdOptions;
  template <typename T>
  static rules::DcAsgd<T> Rule(const Options& options) {
    return {static_cast<T>(options.lr), static_cast<T>(options.lambda)};
  }
  static int NumStates(int num_workers) { return num_workers + 1; }
  static std::array<int, 2> States(int worker, int num_workers) { return {worker, num_workers}; }
};

struct DcAsgdAOptions : DelayOptions<DcAsgdAOptions> {
  Real momentum;
  Real eps;

  DMLC_DECLARE_PARAMETER(DcAsgdAOptions) {
    DeclareDelay(manager);
    DMLC_DECLARE_FIELD(momentum).set_default(.95).set_range(0, 1).describe("in [0, 1]");
    DMLC_DECLARE_FIELD(eps)
        .set_default(1e-7)
        .set_lower_bound(kAboveZero)
        .describe("inside the root, above 0");
  }
};
DMLC_REGISTER_PARAMETER(DcAsgdAOptions);

struct DcAsgdA {
  static constexpr const char* kName = "dcasgd_a";
  using Options = DcAsgdAOptions;
  template <typename T>
  static rules::DcAsgdA<T> Rule(const Options& options) {
    return {static_cast<T>(options.lr), static_cast<T>(options.lambda), static_cast<T>(options.momentum),
            static_cast<T>(options.eps)};
  }
  static int NumStates(int num_workers) { return num_workers + 2; }
  static std::array<int, 3> States(int worker, int num_workers) {
    return {worker, num_workers, num_workers + 1};
  }
};

}  // namespace

MadeUpdater MakeDcAsgd(const UpdaterTarget& target) { return MakeStepUpdater<DcAsgd>(target); }
MadeUpdater MakeDcAsgdA(const UpdaterTarget& target) { return MakeStepUpdater<DcAsgdA>(target); }

}  // namespace ps
