#include "transport/zmq/monitor.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <string>
#include <vector>

#include "base/address.h"
#include "tests/support/memory.h"
#include "tests/support/watchdog.h"
#include "tests/transport/zmq/raw_peer.h"
#include "transport/zmq/endpoint.h"

namespace ps {
namespace {

class MonitorTest : public testing::Test {
 protected:
  MonitorTest() {
    EXPECT_TRUE(router_->SetInt(ZMQ_BACKLOG, 4096).ok());
    EXPECT_EQ(router_->Bind("tcp://127.0.0.1:0"), 0);
    address_ = {"127.0.0.1", PortOf(router_->LastEndpoint())};
  }

  // The next event; waits for it.
  ConnectionEvent Next() {
    ConnectionEvent event;
    while (!monitor_->Read(&event)) {
      pollfd entry{monitor_->Descriptor(), POLLIN, 0};
      EXPECT_GE(poll(&entry, 1, -1), 0);
    }
    return event;
  }
  // The kinds of what comes of one client.
  std::vector<ConnectionEvent::Kind> KindsOf(const std::string& bytes) {
    RawTcpClient client(address_);
    client.Send(bytes);
    std::vector<ConnectionEvent::Kind> kinds;
    while (kinds.empty() || kinds.back() != ConnectionEvent::Kind::kClosed) kinds.push_back(Next().kind);
    return kinds;
  }

  Watchdog watchdog_;
  std::shared_ptr<ZmqContext> context_ = ZmqContext::Make(1).value();
  std::unique_ptr<ZmqSocket> router_ = ZmqSocket::Open(*context_, ZMQ_ROUTER).value();
  std::unique_ptr<Monitor> monitor_ = Monitor::Attach(*context_, router_.get()).value();
  Address address_;
};

TEST_F(MonitorTest, ReportsConnectionsInTheOrderThingsHappenToThem) {
  auto first = std::make_unique<RawTcpClient>(address_);
  const ConnectionEvent one = Next();
  EXPECT_EQ(one.kind, ConnectionEvent::Kind::kAccepted);
  EXPECT_GE(one.fd, 0);
  RawTcpClient second(address_);
  const ConnectionEvent two = Next();
  EXPECT_EQ(two.kind, ConnectionEvent::Kind::kAccepted);
  EXPECT_NE(two.fd, one.fd);
  first.reset();
  EXPECT_EQ(Next().kind, ConnectionEvent::Kind::kBrokenOff);
  const ConnectionEvent three = Next();
  EXPECT_EQ(three.kind, ConnectionEvent::Kind::kClosed);
  EXPECT_EQ(three.fd, one.fd);
  ConnectionEvent none;
  EXPECT_FALSE(monitor_->Read(&none));
}

TEST_F(MonitorTest, EveryConnectionOfMoreThanABoundOfTheLibraryIsReported) {
  constexpr int kConnections = 3000;
  for (int i = 0; i < kConnections; ++i) RawTcpClient client(address_);
  int accepted = 0;
  for (int closed = 0; closed < kConnections;) {
    const ConnectionEvent event = Next();
    if (event.kind == ConnectionEvent::Kind::kAccepted) ++accepted;
    if (event.kind == ConnectionEvent::Kind::kClosed) ++closed;
  }
  EXPECT_EQ(accepted, kConnections);
}

TEST_F(MonitorTest, TellsWhatCameOfAHandshake) {
  using Kind = ConnectionEvent::Kind;
  EXPECT_EQ(KindsOf(std::string(1000, '\xff')),
            (std::vector<Kind>{Kind::kAccepted, Kind::kRefused, Kind::kClosed}));
  const RawZmqPeer peer(address_);
  EXPECT_EQ(Next().kind, Kind::kAccepted);
  EXPECT_EQ(Next().kind, Kind::kReady);
}

TEST(MonitorLifeTest, LeavesNothingBehind) {
  Watchdog watchdog;
  const auto once = [] {
    const auto context = ZmqContext::Make(1).value();
    const auto router = ZmqSocket::Open(*context, ZMQ_ROUTER).value();
    const auto monitor = Monitor::Attach(*context, router.get()).value();
    EXPECT_EQ(router->Bind("tcp://127.0.0.1:0"), 0);
  };
  once();
  const int64_t descriptors = NumDescriptors();
  for (int i = 0; i < 100; ++i) once();
  EXPECT_EQ(NumDescriptors(), descriptors);
}

}  // namespace
}  // namespace ps
