#include "ps/shared_model.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/model_arrays.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class SharedModelTest : public testing::Test {
 protected:
  Watchdog watchdog_;
  std::unique_ptr<SharedModel> model_ = SharedModel::Create("local");
};

TEST_F(SharedModelTest, LocalSumsOfThreeAndFourDevices) {
  for (const int num_devices : {3, 4}) {  // sm-vec-01, 02
    const auto model = SharedModel::Create("local");
    std::vector<int> devices;
    for (int i = 0; i < num_devices; ++i) devices.push_back(i);
    model->Init(devices);
    std::vector<Floats> pushed;
    std::vector<Floats> pulled(static_cast<std::size_t>(2 * num_devices), Floats(6));
    for (const int device : devices) {
      const auto row = static_cast<float>(device + 1);
      pushed.push_back({1, 1, 1, row, row, row});
    }
    for (int key = 0; key < 2; ++key) {
      for (const int device : devices) model->InitKey({2, 3}, key, device);
    }
    for (const int device : devices) {
      for (int key = 0; key < 2; ++key) {
        model->Push(ViewOf(&pushed[static_cast<std::size_t>(device)], {2, 3}), key, device);
        model->PullReq(ViewOf(&pulled[static_cast<std::size_t>(2 * device + key)], {2, 3}), key, device);
      }
    }
    for (const int device : devices) {
      for (int key = 0; key < 2; ++key) {
        model->PullWait(key, device);
        const auto first = static_cast<float>(num_devices);
        const float second = num_devices == 3 ? 6 : 10;
        EXPECT_EQ(pulled[static_cast<std::size_t>(2 * device + key)],
                  (Floats{first, first, first, second, second, second}));
      }
    }
  }
}

TEST_F(SharedModelTest, EachRoundIsItsOwnSum) {
  model_->Init({3, 7});
  model_->InitKey({1}, 0, 3);
  Floats three{1};
  Floats seven{2};
  Floats of_three{0};
  Floats of_seven{0};
  for (const float expected : {3.0F, 30.0F}) {  // sm-vec-03, 05
    model_->Push(ViewOf(&three), 0, 3);
    model_->Push(ViewOf(&seven), 0, 7);
    model_->PullReq(ViewOf(&of_three), 0, 3);
    model_->PullReq(ViewOf(&of_seven), 0, 7);
    model_->PullWait(0, 3);
    model_->PullWait(0, 7);
    EXPECT_EQ(of_three, Floats{expected});
    EXPECT_EQ(of_seven, Floats{expected});
    three = {10};
    seven = {20};
  }
}

TEST_F(SharedModelTest, ADeviceAloneGetsWhatItHasPushed) {
  model_->Init();
  model_->InitKey({2}, 5, 0);
  Floats array{1, 2};
  model_->Push(ViewOf(&array), 5, 0);
  model_->PullReq(ViewOf(&array), 5, 0).Wait();
  EXPECT_EQ(array, (Floats{1, 2}));
  ExpectRefused(StatusCode::kFailedPrecondition, {"key 5, device 0", "pulled that already"},
                [&] { model_->PullReq(ViewOf(&array), 5, 0).Wait(); });
}

}  // namespace
}  // namespace ps
