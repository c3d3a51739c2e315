#include <gtest/gtest.h>

#include <string>

#include "device/cuda/cuda.h"
#include "device/nccl_group.h"

namespace ps {
namespace {

TEST(NoCudaTest, ABuildWithoutCudaSaysHowToGetOneWithIt) {
  if (cuda::IsBuilt()) GTEST_SKIP() << "this build has CUDA";
  EXPECT_EQ(cuda::NumDevices(), 0);
  const Status status = cuda::MakeDevice(0).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("USE_CUDA"), std::string::npos) << status;
}

TEST(NoCudaTest, WithoutADeviceThereIsNoNccl) {
  if (cuda::NumDevices() > 0) GTEST_SKIP() << "there is a device";
  const Status status = MakeNcclGroup({DeviceId::Cuda(0), DeviceId::Cuda(1)}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_GT(status.message().size(), 20U) << status;
}

TEST(NoCudaTest, WhatIsNotAvailableHasNoDevices) {
  EXPECT_EQ(cuda::NumDevices() > 0, cuda::Available().ok()) << cuda::Available();
}

}  // namespace
}  // namespace ps
