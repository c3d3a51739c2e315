// The updater that a rule is wrapped in whose contributions are steps already: rate times gradient, as
// Multiverso's workers send them.
#ifndef PS_STORE_UPDATER_STEP_UPDATER_H_
#define PS_STORE_UPDATER_STEP_UPDATER_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "ps/updater.h"
#include "store/updater/apply_rule.h"
#include "store/updater/options.h"
#include "store/updater/target.h"

namespace ps {

// `Definition` is one rule:
//   static constexpr const char* kName;
//   using Options = ...;  // a dmlc::Parameter: all that there are
//   template <typename T> static rules::X<T> Rule(const Options& options);
//   static int NumStates(int num_workers);
//   // Which of them are the rule's for a contribution of `worker`, below `num_workers`.
//   static std::array<int, N> States(int worker, int num_workers);
template <typename T, typename Definition>
class StepUpdater final : public Updater {
 public:
  explicit StepUpdater(int num_workers) : num_workers_(num_workers) {}

  Status Configure(const UpdaterOptions& options) override {
    typename Definition::Options set = options_;
    PS_RETURN_IF_ERROR(SetOptions(Definition::kName, options, {OptionGroup::Of(&set)}));
    options_ = set;
    return Status::Ok();
  }

  int NumStates() const override { return Definition::NumStates(num_workers_); }

  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    // A worker that was not there when the table was made shares what is worker 0's.
    const int worker = context.worker >= 0 && context.worker < num_workers_ ? context.worker : 0;
    ApplyRule<T>(Definition::template Rule<T>(options_), Definition::States(worker, num_workers_), runs,
                 num_runs, context);
  }

 private:
  const int num_workers_;
  typename Definition::Options options_ = DefaultOptions<typename Definition::Options>();
};

// For float tables; others are refused.
template <typename Definition>
Result<std::unique_ptr<Updater>> MakeStepUpdater(const UpdaterTarget& target) {
  switch (target.dtype) {
    case DType::kF32: return std::unique_ptr<Updater>(new StepUpdater<float, Definition>(target.num_workers));
    case DType::kF64:
      return std::unique_ptr<Updater>(new StepUpdater<double, Definition>(target.num_workers));
    default: return RefuseTarget(Definition::kName, target.dtype);
  }
}

}  // namespace ps

#endif  // PS_STORE_UPDATER_STEP_UPDATER_H_
