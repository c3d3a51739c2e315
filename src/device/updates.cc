#include "device/updates.h"

#include <string>

#include "device/cpu_launch.h"
#include "device/cuda/cuda.h"
#include "device/kernels.h"

namespace ps {

Status Update(Stream* stream, const rules::ElementRule& rule, const TensorView& values,
              const float* contribution, const std::vector<float*>& states) {
  if (values.dtype != DType::kF32)
    return Status::InvalidArgument(std::string("values are updated in f32, not in ") + NameOf(values.dtype));
  const std::size_t wanted =
      std::visit([](const auto& chosen) { return static_cast<std::size_t>(chosen.kStates); }, rule);
  if (states.size() != wanted) {
    return Status::InvalidArgument("a rule with " + std::to_string(wanted) + " states, and " +
                                   std::to_string(states.size()) + " arrays for them");
  }
  if (stream->device().kind == DeviceId::kCuda)
    return cuda::Update(stream, rule, values, contribution, states);
  return LaunchUpdate(CpuLaunch(stream), rule, values, contribution, states);
}

}  // namespace ps
