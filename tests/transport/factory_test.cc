#include "transport/factory.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"
#include "transport/key_files.h"
#include "transport/zmq/curve.h"

namespace ps {
namespace {

std::unique_ptr<Transport> Make(const Config& config) {
  Result<TransportFactory> factory = MakeTransportFactory(config);
  EXPECT_TRUE(factory.ok()) << factory.status();
  static uint64_t last_incarnation = (uint64_t{std::random_device()()} << 32) + 1;  // tests run side by side
  Result<std::unique_ptr<Transport>> transport = factory.value()(++last_incarnation);
  EXPECT_TRUE(transport.ok()) << transport.status();
  return std::move(transport).value();
}

TEST(FactoryTest, AllButZmqUseSharedMemory) {
  for (const std::string type : {"auto", "shm", "zmq", "p3"}) {
    Config config;
    config.van_type = type;
    EXPECT_STREQ(Make(config)->name(), type == "zmq" ? "zmq" : "shm") << type;
  }
}

TEST(FactoryTest, OnlyShmInsistsOnSharedMemory) {
  for (const std::string type : {"auto", "shm", "zmq", "p3"}) {
    Config config;
    config.van_type = type;
    const Result<std::unique_ptr<Link>> link = Make(config)->Connect({"127.0.0.1", 4711}, 99);
    EXPECT_EQ(link.ok(), type != "shm") << type;
  }
}

TEST(FactoryTest, AWholeChunkFitsIntoSharedMemory) {
  Watchdog watchdog;
  Config config;
  config.van_type = "shm";
  config.chunk_bytes = 6 << 20;
  const TransportFactory factory = MakeTransportFactory(config).value();
  const uint64_t incarnation = (uint64_t{std::random_device()()} << 32) + 1;
  Endpoint receiver(factory(incarnation).value());
  Endpoint sender(factory(incarnation + 1).value());
  const auto link = sender.transport().Connect(receiver.Listen({"127.0.0.1", 0}), incarnation).value();
  EXPECT_EQ(link->TrySend(NumberedFrame(1, Pattern(6 << 20))), SendResult::kSent);
  EXPECT_TRUE(receiver.PollFor(1));
}

TEST(FactoryTest, OtherTypesAreRefusedWithTheList) {
  Config config;
  config.van_type = "rdma";
  const Status status = MakeTransportFactory(config).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  for (const char* word : {"DMLC_PS_VAN_TYPE", "rdma", "auto", "shm", "zmq", "p3"}) {
    EXPECT_NE(status.message().find(word), std::string::npos) << status;
  }
}

TEST(FactoryTest, KeysThatCannotBeReadAreRefusedByName) {
  Config config;
  config.curve_dir = "/nonexistent/keys";
  const Status status = MakeTransportFactory(config).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message().rfind("PS_CURVE_DIR=\"/nonexistent/keys\": ", 0), 0u) << status;
}

TEST(FactoryTest, KeysThatDoNotBelongTogetherAreRefusedByName) {
  Config config;
  config.curve_dir = testing::TempDir() + "/mixed-pair";
  ASSERT_TRUE(WriteKeyPair(config.curve_dir,
                           {MakeKeyPair().value().public_key, MakeKeyPair().value().secret_key}, true)
                  .ok());
  const Status status = MakeTransportFactory(config).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("PS_CURVE_DIR"), std::string::npos) << status;
  EXPECT_NE(status.message().find("job.pub is not the public key of job.key"), std::string::npos) << status;
}

TEST(FactoryTest, WhoHasTheSameKeysIsHeard) {
  Watchdog watchdog;
  Config config;
  config.curve_dir = testing::TempDir() + "/pair";
  ASSERT_TRUE(WriteKeyPair(config.curve_dir, MakeKeyPair().value(), true).ok());
  Endpoint receiver(Make(config));
  Endpoint sender(Make(config));
  // A full chunk has to fit, with what encryption adds.
  const auto link = sender.ConnectTo(receiver.Listen({"127.0.0.1", 0}));
  EXPECT_EQ(link->TrySend(NumberedFrame(1, Pattern(static_cast<size_t>(config.chunk_bytes)))),
            SendResult::kSent);
  EXPECT_TRUE(receiver.PollFor(1));
}

TEST(FactoryTest, DroppedMessagesAreLoggedAndReported) {
  Watchdog watchdog;
  std::vector<std::string> log;
  SetLogSink([&](Severity, const std::string& line) { log.push_back(line); });
  Config config;
  config.drop_msg_percent = 100;
  {
    Endpoint receiver(Make(config));
    Endpoint sender(Make(Config()));
    const auto link = sender.ConnectTo(receiver.Listen({"127.0.0.1", 0}));
    Frame frame;
    Header header;
    header.sender = 9;
    header.receiver = 8;
    header.sequence = 17;
    frame.head = EncodeHeader(header);
    ASSERT_EQ(link->TrySend(frame), SendResult::kSent);
    EXPECT_TRUE(receiver.PollUntil(
        [&] { return receiver.dropped == std::vector<Counter>{Counter::kDroppedForTest}; }));
    EXPECT_TRUE(receiver.frames.empty());
  }
  SetLogSink(nullptr);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_NE(log[0].find("seed"), std::string::npos) << log[0];
  EXPECT_NE(log[1].find("Drop message 9 => 8"), std::string::npos) << log[1];
  EXPECT_NE(log[1].find("sequence=17"), std::string::npos) << log[1];
}

}  // namespace
}  // namespace ps
