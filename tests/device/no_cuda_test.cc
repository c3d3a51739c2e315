#include <gtest/gtest.h>

#include <string>

#include "device/cuda/cuda.h"

namespace ps {
namespace {

TEST(NoCudaTest, ABuildWithoutCudaSaysHowToGetOneWithIt) {
  if (cuda::IsBuilt()) GTEST_SKIP() << "this build has CUDA";
  EXPECT_EQ(cuda::NumDevices(), 0);
  const Status status = cuda::MakeDevice(0).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("USE_CUDA"), std::string::npos) << status;
}

TEST(NoCudaTest, WhatIsNotAvailableHasNoDevices) {
  EXPECT_EQ(cuda::NumDevices() > 0, cuda::Available().ok()) << cuda::Available();
}

}  // namespace
}  // namespace ps
