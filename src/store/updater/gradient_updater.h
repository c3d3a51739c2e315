// The updater that a gradient rule is wrapped in.
#ifndef PS_STORE_UPDATER_GRADIENT_UPDATER_H_
#define PS_STORE_UPDATER_GRADIENT_UPDATER_H_

#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>

#include "ps/updater.h"
#include "store/updater/apply_rule.h"
#include "store/updater/gradient_options.h"
#include "store/updater/target.h"

namespace ps {

// `Definition` is one rule:
//   static constexpr const char* kName;
//   using Options = ...;  // a dmlc::Parameter: those that only this rule has
//   template <typename T> static rules::X<T> Rule(const Options& options, const Step& step);
// Numbers are made in double, as MXNet makes them, and rounded to T once; elements are computed in T.
template <typename T, typename Definition>
class GradientUpdater final : public Updater {
 public:
  using Rule = decltype(Definition::template Rule<T>(std::declval<const typename Definition::Options&>(),
                                                     std::declval<const Step&>()));

  Status Configure(const UpdaterOptions& options) override {
    typename Definition::Options own = own_;
    SharedOptions shared = shared_;
    PS_RETURN_IF_ERROR(shared.Set(Definition::kName, options, OptionGroup::Of(&own)));
    own_ = own;
    shared_ = std::move(shared);
    return Status::Ok();
  }

  int NumStates() const override { return Rule::kStates; }

  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext& context) override {
    StateChoice<Rule> all{};
    std::iota(all.begin(), all.end(), 0);
    ApplyRule<T>(Definition::template Rule<T>(own_, Step(shared_, context.count)), all, runs, num_runs,
                 context);
  }

 private:
  typename Definition::Options own_ = DefaultOptions<typename Definition::Options>();
  SharedOptions shared_;
};

// For float tables; others are refused.
template <typename Definition>
Result<std::unique_ptr<Updater>> MakeGradientUpdater(const UpdaterTarget& target) {
  switch (target.dtype) {
    case DType::kF32: return std::unique_ptr<Updater>(new GradientUpdater<float, Definition>());
    case DType::kF64: return std::unique_ptr<Updater>(new GradientUpdater<double, Definition>());
    default: return RefuseTarget(Definition::kName, target.dtype);
  }
}

}  // namespace ps

#endif  // PS_STORE_UPDATER_GRADIENT_UPDATER_H_
