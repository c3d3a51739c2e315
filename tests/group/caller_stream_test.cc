#include "group/caller_stream.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "device/device.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(CallerStreamTest, DoesEverythingAtOnceOnTheCallersThread) {
  CallerStream stream(DeviceId::Cpu(3));
  EXPECT_EQ(stream.device(), DeviceId::Cpu(3));
  EXPECT_EQ(stream.native(), nullptr);
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id seen;
  stream.Run([&] { seen = std::this_thread::get_id(); });
  EXPECT_EQ(seen, caller);
  const std::string from = "some bytes";
  std::string to(from.size(), ' ');
  stream.Copy(to.data(), from.data(), from.size());
  EXPECT_EQ(to, from);
  EXPECT_TRUE(stream.Record()->Done());
  EXPECT_TRUE(stream.Record()->Wait().ok());
  EXPECT_TRUE(stream.Synchronize().ok());
}

TEST(CallerStreamTest, TheFirstFailureIsToldOnce) {
  CallerStream stream;
  stream.Run([] { throw std::runtime_error("out of paper"); });
  stream.Run([] { throw Error(Status::NotFound("the second")); });
  EXPECT_EQ(stream.Record()->Wait().code(), StatusCode::kInternal);
  const Status status = stream.Synchronize();
  EXPECT_NE(status.message().find("out of paper"), std::string::npos) << status;
  EXPECT_TRUE(stream.Synchronize().ok());
  stream.Run([] { throw Error(Status::NotFound("the third")); });
  EXPECT_EQ(stream.Synchronize(), Status::NotFound("the third"));
}

TEST(CallerStreamTest, WaitsForAnEventOfAnotherStream) {
  Watchdog watchdog;
  const std::unique_ptr<Stream> other = MakeCpuDevice(1)->NewStream();
  int written = 0;
  other->Run([&] { written = 7; });
  CallerStream stream;
  stream.After(other->Record());
  EXPECT_EQ(written, 7);
}

}  // namespace
}  // namespace ps
