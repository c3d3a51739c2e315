#include "device/nccl_group.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

// All devices that there are: one is enough.
class NcclGroupTest : public testing::TestWithParam<DeviceId> {
 protected:
  void SetUp() override {
    if (GetParam().kind != DeviceId::kCuda) GTEST_SKIP() << "NCCL is for CUDA devices";
    for (int i = 0; i < NumCudaDevices(); ++i) ids_.push_back(DeviceId::Cuda(i));
    Result<std::unique_ptr<NcclGroup>> group = MakeNcclGroup(ids_);
    if (!group.ok()) GTEST_SKIP() << group.status();
    group_ = std::move(group).value();
    for (const DeviceId& id : ids_) {
      Device* const device = FindDevice(id).value();
      streams_.push_back(device->NewStream());
      borrowed_.push_back(streams_.back().get());
      arrays_.push_back(std::make_unique<Placed<float>>(device, std::vector<float>{1, 2, 4}));
      views_.push_back(arrays_.back()->View());
    }
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
  std::vector<DeviceId> ids_;
  std::unique_ptr<NcclGroup> group_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Stream*> borrowed_;
  std::vector<std::unique_ptr<Placed<float>>> arrays_;
  std::vector<TensorView> views_;
};

TEST_P(NcclGroupTest, SumsGoToTheFirstAndFromThereToAll) {
  const auto count = static_cast<float>(ids_.size());
  const Placed<float> sum(FindDevice(ids_[0]).value(), {0, 0, 0});
  ASSERT_TRUE(group_->Reduce(borrowed_, sum.View(), views_).ok());
  ASSERT_TRUE(group_->Broadcast(borrowed_, views_, sum.View()).ok());
  for (const std::unique_ptr<Stream>& stream : streams_) ASSERT_TRUE(stream->Synchronize().ok());
  for (const std::unique_ptr<Placed<float>>& array : arrays_)
    EXPECT_EQ(array->Read(), (std::vector<float>{count, 2 * count, 4 * count}));
}

TEST_P(NcclGroupTest, RefusesTypesThatItDoesNotKnowAndArraysThatDiffer) {
  TensorView other = views_[0];
  other.dtype = DType::kI16;
  EXPECT_EQ(group_->Reduce(borrowed_, other, views_).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(group_->Reduce({}, views_[0], views_).code(), StatusCode::kInvalidArgument);
}

PS_ON_ALL_DEVICES(NcclGroupTest);

}  // namespace
}  // namespace ps
