// What a stream promises (ps/stream.h), on all kinds of devices: what goes through memory of the processor,
// through its code and from one stream to another.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/queue.h"
#include "ps/borrowed_stream.h"
#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

class CudaStreamTest : public KernelTest {};

std::vector<std::uint8_t> Pattern(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 31 + i / 251);
  return bytes;
}

TEST_P(CudaStreamTest, CopiesPageableMemoryOfAnySizeThereAndBack) {
  for (const std::size_t size : {1U, 4096U, (4U << 20) - 1, 4U << 20, (4U << 20) + 1, (21U << 20) + 7}) {
    const std::vector<std::uint8_t> from = Pattern(size);
    std::vector<std::uint8_t> to(size);
    const Placed<std::uint8_t> placed(device_, std::vector<std::uint8_t>(size));
    stream_->Copy(placed.data(), from.data(), size);
    stream_->Copy(to.data(), placed.data(), size);
    Synchronize();
    EXPECT_TRUE(to == from) << size;
  }
}

TEST_P(CudaStreamTest, CopiesPinnedMemoryThereAndBack) {
  const std::size_t size = 100003;
  const std::vector<std::uint8_t> from = Pattern(size);
  auto* const pinned = static_cast<std::uint8_t*>(device_->AllocateStaging(2 * size).value());
  device_->Copy(pinned, from.data(), size);
  const Placed<std::uint8_t> placed(device_, std::vector<std::uint8_t>(size));
  stream_->Copy(placed.data(), pinned, size);
  stream_->Copy(pinned + size, placed.data(), size);
  Synchronize();
  EXPECT_EQ(std::vector<std::uint8_t>(pinned + size, pinned + 2 * size), from);
  device_->FreeStaging(pinned);
}

TEST_P(CudaStreamTest, CodeOfTheProcessorRunsInOrderWithTheRest) {
  const Placed<float> placed(device_, {1, 2});
  std::vector<float> before(2);
  std::vector<float> after(2);
  BlockingQueue<int> gate;
  stream_->Run([&] { gate.Pop(); });
  stream_->Copy(before.data(), placed.data(), 2 * sizeof(float));
  ASSERT_TRUE(Scale(stream_.get(), placed.View(), 10).ok());
  std::vector<float> seen;
  stream_->Run([&] { seen = before; });
  stream_->Copy(after.data(), placed.data(), 2 * sizeof(float));
  const std::shared_ptr<Event> end = stream_->Record();
  EXPECT_FALSE(end->Done());
  gate.Push(0);
  EXPECT_TRUE(end->Wait().ok());
  EXPECT_TRUE(end->Done());
  EXPECT_EQ(seen, (std::vector<float>{1, 2}));
  EXPECT_EQ(after, (std::vector<float>{10, 20}));
}

TEST_P(CudaStreamTest, OneThatIsBorrowedIsTheSameStreamAndOutlivesItsUser) {
  const Placed<float> placed(device_, {1, 2});
  std::vector<float> seen(2);
  {
    const std::unique_ptr<Stream> borrowed = BorrowStream(device_->id(), stream_->native());
    EXPECT_EQ(borrowed->native(), stream_->native());
    ASSERT_TRUE(Scale(stream_.get(), placed.View(), 10).ok());
    if (stream_->native() == nullptr)
      borrowed->After(stream_->Record());  // of the processor it is another one
    borrowed->Copy(seen.data(), placed.data(), 2 * sizeof(float));
    EXPECT_TRUE(borrowed->Synchronize().ok());
  }
  EXPECT_EQ(seen, (std::vector<float>{10, 20}));
  ASSERT_TRUE(Scale(stream_.get(), placed.View(), 10).ok());
  Synchronize();
}

TEST_P(CudaStreamTest, WaitsForEventsOfOtherStreamsOfAllKinds) {
  for (const DeviceId& id : TestDevices()) {
    const std::unique_ptr<Stream> other = FindDevice(id).value()->NewStream();
    BlockingQueue<int> gate;
    int value = 0;
    int seen = 0;
    other->Run([&] {
      gate.Pop();
      value = 7;
    });
    stream_->After(other->Record());
    stream_->Run([&] { seen = value; });
    gate.Push(0);
    Synchronize();
    EXPECT_EQ(seen, 7) << ToString(id);
  }
}

// Code that waits for another stream keeps neither that one nor its code from going on.
TEST_P(CudaStreamTest, CodeMayWaitForTheCodeOfAnotherStream) {
  const std::unique_ptr<Stream> other = device_->NewStream();
  BlockingQueue<int> gate;
  int got = 0;
  stream_->Run([&] { got = gate.Pop().value(); });
  other->Run([&] { gate.Push(5); });
  Synchronize();
  EXPECT_EQ(got, 5);
}

TEST_P(CudaStreamTest, AFailureIsToldOnceAndOnlyToWhoComesAfterIt) {
  const std::shared_ptr<Event> before = stream_->Record();
  bool is_done = false;
  stream_->Run([] { throw std::runtime_error("out of paper"); });
  stream_->Run([&] { is_done = true; });
  const std::shared_ptr<Event> after = stream_->Record();
  EXPECT_NE(after->Wait().message().find("out of paper"), std::string::npos);
  EXPECT_TRUE(before->Wait().ok());
  EXPECT_EQ(stream_->Synchronize().code(), StatusCode::kInternal);
  EXPECT_TRUE(is_done);
  EXPECT_TRUE(stream_->Synchronize().ok());
  EXPECT_FALSE(after->Wait().ok());
}

TEST_P(CudaStreamTest, RefusesToWaitForItself) {
  Status inside;
  stream_->Run([&] { inside = stream_->Synchronize(); });
  Synchronize();
  EXPECT_EQ(inside.code(), StatusCode::kFailedPrecondition);
}

TEST_P(CudaStreamTest, IsDoneWithItsWorkWhenItGoes) {
  int done = 0;
  {
    const std::unique_ptr<Stream> stream = device_->NewStream();
    for (int i = 0; i < 50; ++i) stream->Run([&done] { ++done; });
  }
  EXPECT_EQ(done, 50);
}

PS_ON_ALL_DEVICES(CudaStreamTest);

}  // namespace
}  // namespace ps
