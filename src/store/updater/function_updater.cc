#include "store/updater/function_updater.h"

#include <cstddef>
#include <memory>
#include <vector>

#include "store/updater/options.h"

namespace ps {
namespace {

// Beyond this a number of states is a mistake: each is as large as the table.
constexpr int kMostStates = 1024;

struct UserFunction {
  std::string name;
  UpdaterFunction call;
  int num_states;
  void* argument;
};

class FunctionUpdater final : public Updater {
 public:
  FunctionUpdater(UserFunction function, DType dtype) : function_(std::move(function)), dtype_(dtype) {}

  Status Configure(const UpdaterOptions& options) override { return SetOptions(function_.name, options, {}); }
  int NumStates() const override { return function_.num_states; }

  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    std::vector<void*> states(static_cast<std::size_t>(function_.num_states));  // of this call: see Updater
    for (std::size_t r = 0; r < num_runs; ++r) {
      char* state = static_cast<char*>(runs[r].values);
      for (void*& each : states) each = state += context.state_step;
      const UpdaterCall call = {runs[r].values, runs[r].delta,  states.data(),           runs[r].size,
                                context.count,  context.worker, static_cast<int>(dtype_)};
      function_.call(&call, function_.argument);
    }
  }

 private:
  const UserFunction function_;
  const DType dtype_;
};

}  // namespace

Result<UpdaterFactory> FunctionUpdaterFactory(const std::string& name, UpdaterFunction function,
                                              int num_states, void* argument) {
  if (function == nullptr) return Status::InvalidArgument("updater '" + name + "' has no function");
  if (num_states < 0 || num_states > kMostStates) {
    return Status::InvalidArgument("updater '" + name + "' can not have " + std::to_string(num_states) +
                                   " states, but 0 to " + std::to_string(kMostStates));
  }
  return UpdaterFactory(
      [user = UserFunction{name, function, num_states, argument}](const UpdaterTarget& target) {
        return Result<std::unique_ptr<Updater>>(std::make_unique<FunctionUpdater>(user, target.dtype));
      });
}

}  // namespace ps
