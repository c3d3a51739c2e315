#include "transport/zmq/socket_check.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/memory.h"
#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"
#include "tests/transport/zmq/raw_peer.h"

namespace ps {
namespace {

using State = ReachCheck::State;

State Answer(const Address& peer) {
  const std::unique_ptr<ReachCheck> check = StartSocketCheck(peer);
  State state = State::kPending;
  while (state == State::kPending) state = check->Look();
  return state;
}

TEST(SocketCheckTest, SomebodyListensOrNobodyDoes) {
  Watchdog watchdog;
  Address address;
  {
    RawTcpServer server("");
    address = server.address();
    EXPECT_EQ(Answer(address), State::kAccepts);
  }
  EXPECT_EQ(Answer(address), State::kRefused);
}

TEST(SocketCheckTest, UnixSocketsAreAskedByName) {
  Watchdog watchdog;
  const std::string name = "@ps-socket-check-" + std::to_string(getpid());
  EXPECT_EQ(Answer({name, 0}), State::kRefused);
  const Descriptor listener(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  name.copy(where.sun_path + 1, name.size() - 1, 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ASSERT_EQ(bind(listener.fd(), reinterpret_cast<const sockaddr*>(&where), size), 0);
  ASSERT_EQ(listen(listener.fd(), 0), 0);
  std::vector<std::unique_ptr<ReachCheck>> open;
  // The queue of the listener is full after the first one; somebody listens all the same.
  for (int i = 0; i < 5; ++i) {
    open.push_back(StartSocketCheck({name, 0}));
    EXPECT_EQ(open.back()->Look(), State::kAccepts) << i;
  }
}

TEST(SocketCheckTest, WhatCanNotBeFoundOutIsUnknown) {
  Watchdog watchdog;
  EXPECT_EQ(Answer({"", 80}), State::kUnknown);
  EXPECT_EQ(Answer({"a name", 80}), State::kUnknown);
  EXPECT_EQ(Answer({"@" + std::string(200, 'x'), 0}), State::kUnknown);
  EXPECT_EQ(Answer({"255.255.255.255", 80}), State::kUnknown);
}

TEST(SocketCheckTest, PortNeverMeetsItself) {
  // A port of the range the system chooses from is given to the asker itself now and then.
  Watchdog watchdog(std::chrono::seconds(60));
  Address address;
  {
    RawTcpServer server("");
    address = server.address();
  }
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(Answer(address), State::kRefused) << i;
}

TEST(SocketCheckTest, NothingIsLeftBehind) {
  Watchdog watchdog;
  RawTcpServer server("");
  const int64_t descriptors = NumDescriptors();
  for (int i = 0; i < 100; ++i) StartSocketCheck(server.address());
  EXPECT_EQ(NumDescriptors(), descriptors);
}

}  // namespace
}  // namespace ps
