#include "ps/borrowed_stream.h"

#include <gtest/gtest.h>

#include "ps/status.h"

namespace ps {
namespace {

TEST(BorrowedStreamTest, AProcessorHasStreamsOfItsOwnAndTakesNone) {
  const std::unique_ptr<Stream> stream = BorrowStream(DeviceId::Cpu(3), nullptr);
  EXPECT_EQ(stream->device(), DeviceId::Cpu(3));
  int value = 0;
  stream->Run([&] { value = 7; });
  EXPECT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(value, 7);
  EXPECT_THROW(BorrowStream(DeviceId::Cpu(3), &value), Error);
}

TEST(BorrowedStreamTest, ADeviceThatIsNotThereIsNamed) {
  try {
    static_cast<void>(BorrowStream(DeviceId::Cuda(99), nullptr));
    ADD_FAILURE() << "a stream of cuda:99";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kUnavailable);
    EXPECT_NE(std::string(error.what()).find("cuda:99"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ps
