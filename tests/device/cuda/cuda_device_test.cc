// What a device promises (device/device.h), on all kinds of devices.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "device/cuda/cuda.h"
#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

class CudaDeviceTest : public KernelTest {};

TEST_P(CudaDeviceTest, BlocksAreAlignedAndTheirContentIsKept) {
  for (const std::size_t size : kSizes) {
    std::vector<std::uint8_t> bytes(size, static_cast<std::uint8_t>(size));
    const Placed<std::uint8_t> placed(device_, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(placed.data()) % Device::kAlignment, 0U);
    EXPECT_EQ(placed.Read(), bytes);
  }
}

TEST_P(CudaDeviceTest, WhatIsNotThereIsRefusedByNameAndTheRestGoesOn) {
  const Status status = device_->Allocate(std::numeric_limits<std::size_t>::max() / 4).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find(ToString(device_->id())), std::string::npos) << status;
  const Placed<float> placed(device_, {1, 2});
  EXPECT_TRUE(Scale(stream_.get(), placed.View(), 2).ok());
  EXPECT_TRUE(stream_->Synchronize().ok());
  EXPECT_EQ(placed.Read(), (std::vector<float>{2, 4}));
}

TEST_P(CudaDeviceTest, MemoryIsUsedAgain) {
  for (int i = 0; i < 1000; ++i) device_->Free(device_->Allocate(1 << 20).value());
  device_->Free(nullptr);
  device_->FreeStaging(nullptr);
}

TEST_P(CudaDeviceTest, HasItsName) {
  if (GetParam().kind != DeviceId::kCuda) GTEST_SKIP() << "the processor needs no description";
  EXPECT_NE(cuda::Describe(0).find("compute capability"), std::string::npos) << cuda::Describe(0);
}

PS_ON_ALL_DEVICES(CudaDeviceTest);

}  // namespace
}  // namespace ps
