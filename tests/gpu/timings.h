#ifndef PS_TESTS_GPU_TIMINGS_H_
#define PS_TESTS_GPU_TIMINGS_H_

#include <cstddef>

#include "device/device.h"

namespace ps {

// Prints what work on arrays of `num_floats` floats takes on a device, each line beside the bandwidth of a
// copy of the same run: within the device, and between it and the processor. Throws Error when something
// fails.
void PrintTimings(Device* device, std::size_t num_floats);

}  // namespace ps

#endif  // PS_TESTS_GPU_TIMINGS_H_
