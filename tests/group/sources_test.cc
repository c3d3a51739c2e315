#include "group/sources.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/queue.h"
#include "tests/support/tensors.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

const DeviceId kHost = DeviceId::Cpu();
const DeviceId kOne = DeviceId::Cpu(1);
const DeviceId kTwo = DeviceId::Cpu(2);
const std::vector<float> kValues = {1, 2, 3};

class SourcesTest : public testing::Test {
 protected:
  static std::vector<float> Floats(const void* data) {
    const auto* const floats = static_cast<const float*>(data);
    return std::vector<float>(floats, floats + kValues.size());
  }

  Watchdog watchdog_;
  Resources together_{1, 1000, false};
  Resources apart_{1, 1000, true};
};

TEST_F(SourcesTest, WhatTheOwnerReachesStaysWhereItIs) {
  const Tensor on_one = TensorOf(kValues, kOne);
  const Tensor on_host = TensorOf(kValues);
  Sources sources(&together_, kTwo);
  EXPECT_EQ(sources.Bring(on_one), on_one.Data());
  EXPECT_EQ(sources.Bring(on_host), on_host.Data());
  Sources own(&apart_, kOne);
  EXPECT_EQ(own.Bring(on_one), on_one.Data());
}

TEST_F(SourcesTest, TheRestIsCopied) {
  const Tensor on_one = TensorOf(kValues, kOne);
  const Tensor on_host = TensorOf(kValues, kHost);
  for (const DeviceId& owner : {kTwo, kHost}) {
    for (const Tensor& tensor : {on_one, on_host}) {
      if (tensor.view().device == owner) continue;
      Sources sources(&apart_, owner);
      const void* const brought = sources.Bring(tensor);
      EXPECT_NE(brought, tensor.Data());
      EXPECT_EQ(sources.Ready()->device(), owner);
      ASSERT_TRUE(sources.Wait().ok());
      EXPECT_EQ(Floats(brought), kValues);
    }
  }
}

TEST_F(SourcesTest, TheOwnersStreamGoesOnWhenEverythingIsThere) {
  Tensor on_one = TensorOf(kValues, kOne);
  Sources sources(&apart_, kTwo);
  BlockingQueue<int> gate;
  sources.On(kOne)->Run([&] { gate.Pop(); });  // the copy is behind it
  const void* const brought = sources.Bring(on_one);
  std::vector<float> seen;
  sources.Ready()->Run([&] { seen = Floats(brought); });
  gate.Push(0);
  EXPECT_TRUE(sources.Wait().ok());
  EXPECT_EQ(seen, kValues);
}

TEST_F(SourcesTest, WhatAStreamWritesIsBroughtBehindIt) {
  for (Resources* const resources : {&apart_, &together_}) {
    for (const DeviceId& from : {kHost, kOne}) {
      for (const DeviceId& owner : {kHost, kOne, kTwo}) {
        Sources sources(resources, owner);
        auto* const written = static_cast<float*>(sources.Block(from, sizeof(float) * kValues.size()));
        BlockingQueue<int> gate;
        sources.On(from)->Run([&] {
          gate.Pop();
          std::copy(kValues.begin(), kValues.end(), written);
        });
        const void* const brought = sources.BringWritten(from, written, sizeof(float) * kValues.size());
        std::vector<float> seen;
        sources.Ready()->Run([&] { seen = Floats(brought); });
        gate.Push(0);
        EXPECT_TRUE(sources.Wait().ok());
        EXPECT_EQ(seen, kValues) << ToString(from) << " to " << ToString(owner);
      }
    }
  }
}

TEST_F(SourcesTest, TheFailureOfAWriteIsThrown) {
  Tensor tensor = TensorOf(kValues, kOne);
  tensor.SetWrite(std::make_shared<EndedWrite>(Status::Unavailable("server 2 is lost")));
  Sources sources(&apart_, kTwo);
  EXPECT_EQ(ThrownBy([&] { sources.Bring(tensor); }).message(), "server 2 is lost");
}

TEST_F(SourcesTest, TheEndWaitsForCopiesThatAreUnderWay) {
  const Tensor on_one = TensorOf(kValues, kOne);
  bool is_done = false;
  {
    Sources sources(&apart_, kTwo);
    sources.Bring(on_one);
    sources.Ready()->Run([&] { is_done = true; });
  }
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace ps
