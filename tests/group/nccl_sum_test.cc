#include "group/nccl_sum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/devices.h"

namespace ps {
namespace {

class NcclSumTest : public testing::Test {
 protected:
  Resources resources_{1, 1000000, false};
  NcclSum sum_{&resources_};
};

TEST_F(NcclSumTest, ValuesElsewhereAreRefusedByName) {
  try {
    sum_.Sum({Tensor::Full({3}, 1), Tensor::Full({3}, 1)});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("cpu:0"), std::string::npos) << error.what();
  }
  const Tensor sparse = Tensor::RowSparse({2}, Tensor::Full({1}, 1, DType::kI64), Tensor::Full({1}, 5));
  try {
    sum_.Sum({sparse});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not support sparse"), std::string::npos) << error.what();
  }
}

TEST_F(NcclSumTest, AddsUpWhatAllDevicesHave) {
  const int devices = NumCudaDevices();
  std::vector<DeviceId> ids;
  for (int i = 0; i < devices; ++i) ids.push_back(DeviceId::Cuda(i));
  if (devices == 0 || !MakeNcclGroup(ids).ok()) GTEST_SKIP() << "there is no CUDA device with NCCL";
  std::vector<Tensor> values;
  for (const DeviceId& id : ids) values.push_back(Tensor::Full({1000}, 2, DType::kF32, id));
  const Tensor merged = sum_.Sum(values);
  std::vector<float> read(1000);
  merged.CopyTo(read.data());
  EXPECT_EQ(read, std::vector<float>(1000, 2.0F * static_cast<float>(devices)));
}

}  // namespace
}  // namespace ps
