#include "group/delivery.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "device/devices.h"
#include "tests/group/resources_fixture.h"
#include "tests/support/model_arrays.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class DeliveryTest : public ResourcesFixture {
 protected:
  DeliveryTest() : ResourcesFixture(1) {}

  Floats from_{1, 2, 3};
  Floats to_ = Floats(3);
};

TEST_F(DeliveryTest, TheCopyIsMadeAndTheCallbackGetsAStreamOfTheDevice) {
  for (Resources* resources : All()) {
    for (const int source : {0, 1}) {
      for (const int target : {0, 1, 2}) {
        to_.assign(3, 0);
        TensorView from = ViewOf(&from_, {1, 3});
        from.device = DeviceId::Cpu(source);
        Delivery delivery{ViewOf(&to_, {1, 3}), nullptr};
        delivery.to.device = DeviceId::Cpu(target);
        int copied = 0;
        int called = 0;
        delivery.callback = [&](Stream* stream) {
          ++called;
          EXPECT_EQ(copied, 1);
          ASSERT_NE(stream, nullptr);
          EXPECT_EQ(stream->Synchronize(), Status::Ok());
          EXPECT_EQ(to_, from_) << "what follows on the stream finds the values";
        };
        Deliver(resources, Tensor::Foreign(from), delivery, [&] { ++copied; });
        EXPECT_EQ(called, 1);
        EXPECT_EQ(to_, from_);
      }
    }
  }
}

TEST_F(DeliveryTest, WorkOfTheCallbackIsDoneWhenItReturns) {
  TensorView to = ViewOf(&to_, {1, 3});
  to.device = DeviceId::Cpu(1);
  bool ran = false;
  Deliver(&apart_, Tensor::Foreign(ViewOf(&from_, {1, 3})),
          {to, [&](Stream* stream) { stream->Run([&] { ran = true; }); }}, [] {});
  EXPECT_TRUE(ran);
}

TEST_F(DeliveryTest, TheStreamOfTheArrayIsUsed) {
  const std::unique_ptr<Stream> own = FindDevice(DeviceId::Cpu(1)).value()->NewStream();
  TensorView to = ViewOf(&to_, {1, 3});
  to.device = DeviceId::Cpu(1);
  to.stream = own.get();
  Stream* given = nullptr;
  Deliver(&apart_, Tensor::Foreign(ViewOf(&from_, {1, 3})), {to, [&](Stream* stream) { given = stream; }},
          [] {});
  EXPECT_EQ(given, own.get());
  EXPECT_EQ(to_, from_);
}

TEST_F(DeliveryTest, WhatTheCallbackThrowsIsThrown) {
  EXPECT_THROW(Deliver(&threads_, Tensor::Foreign(ViewOf(&from_, {1, 3})),
                       {ViewOf(&to_, {1, 3}), [](Stream*) { throw std::runtime_error("no"); }}, [] {}),
               std::runtime_error);
  EXPECT_EQ(to_, from_);
}

TEST_F(DeliveryTest, WhatACallbackHasAskedOfTheArraysStreamIsDoneThoughItThrows) {
  const std::unique_ptr<Stream> own = FindDevice(DeviceId::Cpu(1)).value()->NewStream();
  TensorView to = ViewOf(&to_, {1, 3});
  to.device = DeviceId::Cpu(1);
  to.stream = own.get();
  for (Resources* resources : All()) {
    std::atomic<bool> ran{false};
    const auto callback = [&](Stream* stream) {
      stream->Run([&] {
        std::this_thread::yield();
        ran = true;
      });
      throw std::runtime_error("no");
    };
    bool ran_before = false;
    try {
      Deliver(resources, Tensor::Foreign(ViewOf(&from_, {1, 3})), {to, callback}, [] {});
    } catch (const std::runtime_error&) {
      ran_before = ran;
    }
    EXPECT_TRUE(ran_before);
    EXPECT_EQ(own->Synchronize(), Status::Ok());
  }
}

TEST_F(DeliveryTest, AnArrayOfAnotherSizeIsRefused) {
  Floats two(2);
  for (Resources* resources : All()) {
    ExpectRefused(StatusCode::kFailedPrecondition, {"[1,3]", "[1,2]"}, [&] {
      Deliver(resources, Tensor::Foreign(ViewOf(&from_, {1, 3})), {ViewOf(&two, {1, 2}), nullptr}, [] {});
    });
  }
}

}  // namespace
}  // namespace ps
