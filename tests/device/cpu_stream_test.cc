#include "device/cpu_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/queue.h"
#include "device/device.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class CpuStreamTest : public testing::Test {
 protected:
  Watchdog watchdog_;
  const std::unique_ptr<Device> device_ = MakeCpuDevice(2);
  const std::unique_ptr<Stream> stream_ = device_->NewStream();
};

TEST_F(CpuStreamTest, WorksInOrderBesideTheCaller) {
  BlockingQueue<int> gate;
  std::vector<int> order;
  stream_->Run([&] { gate.Pop(); });
  for (int i = 0; i < 100; ++i) stream_->Run([&order, i] { order.push_back(i); });
  const std::shared_ptr<Event> end = stream_->Record();
  EXPECT_FALSE(end->Done());
  gate.Push(0);
  EXPECT_TRUE(end->Wait().ok());
  EXPECT_TRUE(end->Done());
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_F(CpuStreamTest, CopiesAfterWhatComesBefore) {
  std::string from = "before";
  std::string to(from.size(), ' ');
  stream_->Run([&] { from = "behind"; });
  stream_->Copy(to.data(), from.data(), from.size());
  EXPECT_TRUE(stream_->Synchronize().ok());
  EXPECT_EQ(to, "behind");
}

TEST_F(CpuStreamTest, WaitsForAnEventOfAnotherStream) {
  const std::unique_ptr<Stream> other = MakeCpuDevice(3)->NewStream();
  BlockingQueue<int> gate;
  std::atomic<bool> is_written{false};
  other->Run([&] {
    gate.Pop();
    is_written = true;
  });
  stream_->After(other->Record());
  bool was_written = false;
  stream_->Run([&] { was_written = is_written; });
  gate.Push(0);
  EXPECT_TRUE(stream_->Synchronize().ok());
  EXPECT_TRUE(was_written);
}

TEST_F(CpuStreamTest, AFailureIsToldOnceAndTheRestIsDone) {
  bool is_done = false;
  stream_->Run([] { throw std::runtime_error("out of paper"); });
  stream_->Run([&] { is_done = true; });
  const Status seen = stream_->Record()->Wait();
  EXPECT_NE(seen.message().find("out of paper"), std::string::npos) << seen;
  const Status status = stream_->Synchronize();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("cpu:2"), std::string::npos) << status;
  EXPECT_TRUE(is_done);
  EXPECT_TRUE(stream_->Synchronize().ok());
}

TEST_F(CpuStreamTest, RefusesToWaitForItself) {
  Status inside;
  stream_->Run([&] { inside = stream_->Synchronize(); });
  EXPECT_TRUE(stream_->Synchronize().ok());
  EXPECT_EQ(inside.code(), StatusCode::kFailedPrecondition);
}

TEST_F(CpuStreamTest, IsDoneWithItsWorkWhenItGoes) {
  int done = 0;
  {
    const std::unique_ptr<Stream> stream = device_->NewStream();
    for (int i = 0; i < 50; ++i) stream->Run([&done] { ++done; });
  }
  EXPECT_EQ(done, 50);
}

}  // namespace
}  // namespace ps
