// gpu_check [--processor]: runs the tests of the device layer on the first CUDA device and prints what its
// work takes. It needs nothing but a driver. Without a device it says that nothing was run, and ends with 77.
// With
// --processor the processor takes the place of the device: that shows that the program works.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "device/cuda/cuda.h"
#include "device/devices.h"
#include "tests/gpu/timings.h"

namespace {

constexpr int kNothingWasRun = 77;  // what scripts take for "skipped"

int RunTests(bool is_processor) {
  testing::GTEST_FLAG(filter) = is_processor ? "*/Cpu" : "*/Cuda";
  testing::GTEST_FLAG(brief) = true;
  return RUN_ALL_TESTS();
}

int Check(bool is_processor) {
  if (!is_processor && ps::NumCudaDevices() == 0) {
    std::printf("gpu-check: NOTHING WAS RUN: %s\n", ps::cuda::Available().message().c_str());
    return kNothingWasRun;
  }
  const ps::DeviceId id = is_processor ? ps::DeviceId::Cpu(1) : ps::DeviceId::Cuda(0);
  ps::Result<ps::Device*> device = ps::FindDevice(id);
  if (!device.ok()) {
    std::printf("gpu-check: failed: %s\n", device.status().ToString().c_str());
    return 1;
  }
  std::printf("gpu-check on %s%s%s\n", ps::ToString(id).c_str(), is_processor ? "" : ": ",
              is_processor ? "" : ps::cuda::Describe(id.index).c_str());
  std::fflush(stdout);
  const bool is_right = RunTests(is_processor) == 0;
  for (const std::size_t num_floats : {std::size_t{1} << 20, std::size_t{16} << 20}) {
    if (!is_processor || num_floats < (std::size_t{2} << 20)) ps::PrintTimings(device.value(), num_floats);
  }
  const int num_run = testing::UnitTest::GetInstance()->test_to_run_count();
  std::printf("\ngpu-check: %d tests on %s: %s\n", num_run, ps::ToString(id).c_str(),
              is_right ? "all passed" : "FAILED");
  return is_right && num_run > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    return Check(argc > 1 && std::strcmp(argv[1], "--processor") == 0);
  } catch (const std::exception& error) {
    std::printf("gpu-check: failed: %s\n", error.what());
    return 1;
  }
}
