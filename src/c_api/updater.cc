#include "ps/c/updater.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_api/error.h"
#include "ps/status.h"
#include "ps/updater.h"
#include "store/updater/options.h"

namespace ps::c_api {
namespace {

// Beyond this a number of states is a mistake: each is as large as the table.
constexpr int kMostStates = 1024;

struct CFunction {
  std::string name;
  PSUpdaterFunction call;
  int num_states;
  void* context;
};

// A C function as a rule: one call per run.
class CUpdater final : public Updater {
 public:
  CUpdater(CFunction function, DType dtype) : function_(std::move(function)), dtype_(dtype) {}

  Status Configure(const UpdaterOptions& options) override { return SetOptions(function_.name, options, {}); }
  int NumStates() const override { return function_.num_states; }

  // What it throws is the error of the operation.
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    std::vector<void*> states(static_cast<std::size_t>(function_.num_states));  // of this call: see Updater
    for (std::size_t r = 0; r < num_runs; ++r) {
      char* state = static_cast<char*>(runs[r].values);
      for (void*& each : states) each = state += context.state_step;
      PSUpdaterCall call{};
      call.struct_size = sizeof call;
      call.values = runs[r].values;
      call.delta = runs[r].delta;
      call.states = states.data();
      call.size = runs[r].size;
      call.count = context.count;
      call.worker = context.worker;
      call.dtype = static_cast<int>(dtype_);
      ThrowIfError(OutcomeOf([&] { return function_.call(&call, function_.context); }));
    }
  }

 private:
  const CFunction function_;
  const DType dtype_;
};

void Register(const char* name, PSUpdaterFunction update, int num_states, void* context) {
  CheckGiven(name, "name");
  CheckGiven(reinterpret_cast<const void*>(update), "update");
  if (num_states < 0 || num_states > kMostStates)
    throw Error(Status::InvalidArgument("updater '" + std::string(name) + "' can not have " +
                                        std::to_string(num_states) + " states, but 0 to " +
                                        std::to_string(kMostStates)));
  ThrowIfError(RegisterUpdater(
      name, [function = CFunction{name, update, num_states, context}](const UpdaterTarget& target) {
        return Result<std::unique_ptr<Updater>>(std::make_unique<CUpdater>(function, target.dtype));
      }));
}

}  // namespace
}  // namespace ps::c_api

extern "C" {

int PSRegisterUpdater(const char* name, PSUpdaterFunction update, int num_states, void* context) {
  return ps::c_api::Call([&] { ps::c_api::Register(name, update, num_states, context); });
}

}  // extern "C"
