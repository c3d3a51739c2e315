// Runs an element-wise rule (device/rules/) over the runs of one call.
#ifndef PS_STORE_UPDATER_APPLY_RULE_H_
#define PS_STORE_UPDATER_APPLY_RULE_H_

#include <array>
#include <cstddef>
#include <utility>

#include "device/launch.h"
#include "ps/updater.h"

namespace ps {

// Which of an updater's states are those of a rule, in the rule's order.
template <typename Rule>
using StateChoice = std::array<int, Rule::kStates>;

namespace internal {

// The body of RunWide. Borrows everything.
template <typename T, typename Rule>
class RuleOverRuns {
 public:
  RuleOverRuns(const Rule& rule, const UpdateRun* runs, std::size_t num_runs)
      : rule_(rule), runs_(runs), num_runs_(num_runs) {}

  void SetStates(const StateChoice<Rule>& choice, std::ptrdiff_t state_step) {
    for (std::size_t k = 0; k < choice.size(); ++k) states_[k] = (choice[k] + 1) * state_step;
  }
  PS_ALWAYS_INLINE void operator()() const { Run(std::make_index_sequence<Rule::kStates>()); }

 private:
  template <std::size_t... K>
  PS_ALWAYS_INLINE void Run(std::index_sequence<K...>) const {
    const Rule rule = rule_;  // its numbers stay in registers: nothing that is written can be them
    [[maybe_unused]] const std::array<std::ptrdiff_t, Rule::kStates> states = states_;
    for (std::size_t r = 0; r < num_runs_; ++r) {
      const UpdateRun& run = runs_[r];
      char* const values = static_cast<char*>(run.values);
      ForEach(run.size, rule, reinterpret_cast<T*>(values), static_cast<const T*>(run.delta),
              reinterpret_cast<T*>(values + states[K])...);
    }
  }

  const Rule& rule_;
  const UpdateRun* const runs_;
  const std::size_t num_runs_;
  std::array<std::ptrdiff_t, Rule::kStates> states_{};  // bytes behind the values
};

}  // namespace internal

// rule(values[i], delta[i], states[i]...) for each element of each run; T is the type of all of them.
template <typename T, typename Rule>
void ApplyRule(const Rule& rule, const StateChoice<Rule>& choice, const UpdateRun* runs, std::size_t num_runs,
               const UpdateContext& context) {
  internal::RuleOverRuns<T, Rule> body(rule, runs, num_runs);
  body.SetStates(choice, context.state_step);
  RunWide(body);
}

}  // namespace ps

#endif  // PS_STORE_UPDATER_APPLY_RULE_H_
