#include "transport/factory.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

std::unique_ptr<Transport> Make(const Config& config, const TransportEvents& events = {}) {
  Result<TransportFactory> factory = MakeTransportFactory(config, events);
  EXPECT_TRUE(factory.ok()) << factory.status();
  Result<std::unique_ptr<Transport>> transport = factory.value()();
  EXPECT_TRUE(transport.ok()) << transport.status();
  return std::move(transport).value();
}

TEST(FactoryTest, KnownTypesMeanZmq) {
  for (const char* type : {"auto", "zmq", "p3"}) {
    Config config;
    config.van_type = type;
    EXPECT_STREQ(Make(config)->name(), "zmq") << type;
  }
}

TEST(FactoryTest, OtherTypesAreRefusedWithTheList) {
  Config config;
  config.van_type = "rdma";
  const Status status = MakeTransportFactory(config).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  for (const char* word : {"DMLC_PS_VAN_TYPE", "rdma", "auto", "zmq", "p3"}) {
    EXPECT_NE(status.message().find(word), std::string::npos) << status;
  }
}

TEST(FactoryTest, DroppedMessagesAreLoggedAndReported) {
  Watchdog watchdog;
  std::vector<std::string> log;
  SetLogSink([&](Severity, const std::string& line) { log.push_back(line); });
  Config config;
  config.drop_msg_percent = 100;
  int dropped = 0;
  TransportEvents events;
  events.on_drop = [&](const Frame&) { ++dropped; };
  {
    Endpoint receiver(Make(config, events));
    Endpoint sender(Make(Config()));
    const auto link = sender.ConnectTo(receiver.Listen({"127.0.0.1", 0}));
    Frame frame;
    Header header;
    header.sender = 9;
    header.receiver = 8;
    header.sequence = 17;
    frame.head = EncodeHeader(header);
    ASSERT_EQ(link->TrySend(frame), SendResult::kSent);
    EXPECT_TRUE(receiver.PollUntil([&] { return dropped == 1; }));
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
