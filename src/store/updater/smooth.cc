#include <dmlc/parameter.h>

#include <array>

#include "device/rules/sgd.h"
#include "store/updater/builtin.h"
#include "store/updater/real.h"
#include "store/updater/step_updater.h"

namespace ps {
namespace {

struct SmoothOptions : dmlc::Parameter<SmoothOptions> {
  Real momentum;

  DMLC_DECLARE_PARAMETER(SmoothOptions) {
    DMLC_DECLARE_FIELD(momentum).set_default(0).set_range(0, 1).describe("in [0, 1]");
  }
};
DMLC_REGISTER_PARAMETER(SmoothOptions);

struct Smooth {
  static constexpr const char* kName = "smooth";
  using Options = SmoothOptions;
  template <typename T>
  static rules::Smooth<T> Rule(const Options& options) {
    return {static_cast<T>(options.momentum)};
  }
  static int NumStates(int) { return 1; }
  static std::array<int, 1> States(int, int) { return {0}; }
};

}  // namespace

MadeUpdater MakeSmooth(const UpdaterTarget& target) { return MakeStepUpdater<Smooth>(target); }

}  // namespace ps
