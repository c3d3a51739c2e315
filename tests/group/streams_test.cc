#include "group/streams.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "base/queue.h"
#include "tests/support/tensors.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class StreamsTest : public testing::Test {
 protected:
  Watchdog watchdog_;
  Streams streams_;
};

TEST_F(StreamsTest, ADeviceHasOneStreamWhichIsUsedAgain) {
  Stream* first = nullptr;
  {
    Streams::Lease lease(&streams_);
    first = lease.On(DeviceId::Cpu(1));
    EXPECT_EQ(first->device(), DeviceId::Cpu(1));
    EXPECT_EQ(lease.On(DeviceId::Cpu(1)), first);
    EXPECT_NE(lease.On(DeviceId::Cpu(2)), first);
  }
  Streams::Lease again(&streams_);
  EXPECT_EQ(again.On(DeviceId::Cpu(1)), first);
}

TEST_F(StreamsTest, TwoAtATimeHaveStreamsOfTheirOwn) {
  Streams::Lease first(&streams_);
  Streams::Lease second(&streams_);
  Stream* const one = first.On(DeviceId::Cpu(1));
  Stream* const other = second.On(DeviceId::Cpu(1));
  EXPECT_NE(one, other);
  BlockingQueue<int> gate;
  one->Run([&] { gate.Pop(); });
  other->Run([] { throw std::runtime_error("out of paper"); });
  EXPECT_FALSE(second.Finish().ok());  // and does not wait for the first one
  gate.Push(0);
  EXPECT_TRUE(first.Finish().ok());
}

TEST_F(StreamsTest, TheEndWaitsAndForgetsFailures) {
  std::atomic<int> done{0};
  {
    Streams::Lease lease(&streams_);
    lease.On(DeviceId::Cpu(1))->Run([] { throw std::runtime_error("out of paper"); });
    lease.On(DeviceId::Cpu(1))->Run([&] { ++done; });
    lease.On(DeviceId::Cpu(2))->Run([&] { ++done; });
  }
  EXPECT_EQ(done, 2);
  Streams::Lease next(&streams_);
  next.On(DeviceId::Cpu(1));
  EXPECT_TRUE(next.Finish().ok());
}

TEST_F(StreamsTest, FinishGivesTheFirstFailureOfAnyStream) {
  Streams::Lease lease(&streams_);
  lease.On(DeviceId::Cpu(1));
  lease.On(DeviceId::Cpu(2))->Run([] { throw std::runtime_error("out of paper"); });
  const Status status = lease.Finish();
  EXPECT_NE(status.message().find("out of paper"), std::string::npos) << status;
  EXPECT_TRUE(lease.Finish().ok());
}

TEST_F(StreamsTest, ADeviceThatIsNotThereIsNamed) {
  Streams::Lease lease(&streams_);
  const Status status = ThrownBy([&] { lease.On(DeviceId::Cuda(77)); });
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_TRUE(lease.Finish().ok());
}

}  // namespace
}  // namespace ps
