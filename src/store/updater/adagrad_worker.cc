#include <dmlc/parameter.h>

#include <array>

#include "device/rules/adagrad.h"
#include "store/updater/builtin.h"
#include "store/updater/rate_options.h"
#include "store/updater/real.h"
#include "store/updater/step_updater.h"

namespace ps {
namespace {

struct AdaGradWorkerOptions : dmlc::Parameter<AdaGradWorkerOptions> {
  Real lr;
  Real rho;
  Real eps;

  DMLC_DECLARE_PARAMETER(AdaGradWorkerOptions) {
    DMLC_DECLARE_FIELD(lr)
        .set_default(.01)
        .set_lower_bound(kAboveZero)
        .describe("what workers multiply by; above 0");
    DMLC_DECLARE_FIELD(rho).set_default(.1).set_lower_bound(0).describe("not below 0");
    DMLC_DECLARE_FIELD(eps).set_default(1e-6).set_lower_bound(0).describe("inside the root, not below 0");
    DMLC_DECLARE_ALIAS(lr, learning_rate);
  }
};
DMLC_REGISTER_PARAMETER(AdaGradWorkerOptions);

struct AdaGradWorker {
  static constexpr const char* kName = "adagrad_worker";
  using Options = AdaGradWorkerOptions;
  template <typename T>
  static rules::AdaGradWorker<T> Rule(const Options& options) {
    return {static_cast<T>(options.lr), static_cast<T>(options.rho), static_cast<T>(options.eps)};
  }
  static int NumStates(int num_workers) { return num_workers; }
  static std::array<int, 1> States(int worker, int) { return {worker}; }
};

}  // namespace

MadeUpdater MakeAdaGradWorker(const UpdaterTarget& target) { return MakeStepUpdater<AdaGradWorker>(target); }

}  // namespace ps
