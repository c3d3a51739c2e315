// How long the copies live that a model in mshadow-ps' shape makes of tensors with gaps.
#include "ps/mshadow/device_arrays.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "examples/mshadow/tensor.h"
#include "ps/environment.h"
#include "ps/mshadow_ps.h"
#include "tests/support/model_arrays.h"
#include "tests/support/watchdog.h"

namespace mshadow::ps {

template <>
IModelUpdater<float>* CreateModelUpdater() {
  return nullptr;
}

namespace {

using Floats = std::vector<float>;
using Model = ISharedModel<cpu, float>;

class DeviceArraysTest : public testing::Test {
 protected:
  // Of devices 3 and 7, where nobody waits long.
  static std::unique_ptr<Model> Make() {
    ::ps::Environment::Init({{"PS_BARRIER_TIMEOUT", "0.02"}});
    std::unique_ptr<Model> model(CreateSharedModel<cpu, float>("local"));
    ::ps::Environment::Init({});
    model->Init({3, 7});
    model->InitKey(Shape2(2, 3), 0, 3);
    return model;
  }

  ::ps::Watchdog watchdog_;
};

TEST_F(DeviceArraysTest, WhatWasPushedStaysThoughThePullWasGivenUp) {
  const std::unique_ptr<Model> model = Make();
  TensorContainer<cpu, 2> data(Shape2(2, 3));
  TensorContainer<cpu, 2> sum(Shape2(2, 3));
  ASSERT_GT(data.stride_, 3U);
  data.SetValues({1, 2, 3, 4, 5, 6});
  model->Push(data, 0, 3);
  for (int i = 0; i < 3; ++i) {
    model->PullReq(sum, 0, 3);
    ::ps::ExpectRefused(::ps::StatusCode::kDeadlineExceeded, {"device 7 has not pushed"},
                        [&] { model->PullWait(0, 3); });
  }
  ::ps::Ticket pull = model->PullReq(sum, 0, 3);
  const Floats used(6, -1);  // where it was, if it is no more
  data.SetValues({10, 20, 30, 40, 50, 60});
  model->Push(data, 0, 7);
  EXPECT_EQ(pull.WaitFor(std::chrono::seconds(60)), ::ps::Status::Ok());
  EXPECT_EQ(sum.Values(), (Floats{11, 22, 33, 44, 55, 66}));
}

TEST_F(DeviceArraysTest, CopiesGoWhenTheirRoundIsMergedThoughNobodyPulls) {
  internal::CompactCopies copies;
  copies.SetAlone(false);
  internal::Rows rows;
  rows.num_rows = 2;
  rows.num_columns = 3;
  const std::unique_ptr<Model> model = Make();
  Floats values(6, 1);
  for (int round = 0; round < 5; ++round) {
    const internal::Rows copy = copies.Make(rows, 0, 3);
    EXPECT_EQ(copies.size(), 1U);
    model->shared_model()->Push(::ps::ViewOf(&values, {2, 3}), 0, 7);
    const ::ps::Ticket push = model->shared_model()->Push(::ps::ViewOf(&values, {2, 3}), 0, 3);
    copies.SetPush(copy.data, 0, 3, push);
    push.Wait();
  }
}

TEST_F(DeviceArraysTest, WhatADeviceAloneHasLentStaysUntilItHasTheResult) {
  internal::CompactCopies copies;
  copies.SetAlone(true);
  internal::Rows rows;
  rows.num_rows = 2;
  rows.num_columns = 3;
  const std::unique_ptr<Model> model = Make();
  const ::ps::Ticket merged;
  Floats out(6);
  const ::ps::Ticket failed = model->shared_model()->PullReq(::ps::ViewOf(&out, {2, 3}), 0, 3);
  EXPECT_THROW(failed.Wait(), ::ps::Error);
  copies.SetPush(copies.Make(rows, 0, 3).data, 0, 3, merged);
  copies.SetPull(0, 3, failed);
  copies.SetPush(copies.Make(rows, 0, 3).data, 0, 3, merged);
  copies.Make(rows, 0, 3);
  EXPECT_EQ(copies.size(), 3U);
  copies.SetPull(0, 3, ::ps::Ticket());
  copies.Make(rows, 0, 3);
  EXPECT_EQ(copies.size(), 2U) << "the one whose pull has failed, and the new one";
}

}  // namespace
}  // namespace mshadow::ps
