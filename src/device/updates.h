// Updaters' rules over whole arrays, with any launcher. Arguments were checked.
#ifndef PS_DEVICE_UPDATES_H_
#define PS_DEVICE_UPDATES_H_

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "device/rules/element_rule.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {
namespace internal {

template <typename Launch>
struct RuleLauncher {
  const Launch& launch;
  const TensorView& values;
  const float* contribution;
  const std::vector<float*>& states;

  template <typename Rule>
  Status operator()(const Rule& rule) const {
    return With(rule, std::make_index_sequence<static_cast<std::size_t>(Rule::kStates)>());
  }
  template <typename Rule, std::size_t... i>
  Status With(const Rule& rule, std::index_sequence<i...>) const {
    return launch.Elements(static_cast<std::size_t>(values.size()), rule, static_cast<float*>(values.data),
                           contribution, states[i]...);
  }
};

}  // namespace internal

template <typename Launch>
Status LaunchUpdate(const Launch& launch, const rules::ElementRule& rule, const TensorView& values,
                    const float* contribution, const std::vector<float*>& states) {
  return std::visit(internal::RuleLauncher<Launch>{launch, values, contribution, states}, rule);
}

}  // namespace ps

#endif  // PS_DEVICE_UPDATES_H_
