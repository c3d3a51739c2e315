#include "transport/zmq/tcp_meter.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include "tests/support/watchdog.h"
#include "tests/transport/zmq/raw_peer.h"

namespace ps {
namespace {

class TcpMeterTest : public testing::Test {
 protected:
  TcpMeterTest() {
    sockaddr_in where = LoopbackAddress(0);
    socklen_t size = sizeof(where);
    EXPECT_EQ(bind(listener_.fd(), reinterpret_cast<const sockaddr*>(&where), size), 0);
    EXPECT_EQ(listen(listener_.fd(), 1), 0);
    EXPECT_EQ(getsockname(listener_.fd(), reinterpret_cast<sockaddr*>(&where), &size), 0);
    port_ = ntohs(where.sin_port);
    EXPECT_EQ(connect(client_.fd(), reinterpret_cast<const sockaddr*>(&where), size), 0);
    accepted_ = std::make_unique<Descriptor>(accept(listener_.fd(), nullptr, nullptr));
  }

  void Send(size_t size) {
    const std::string bytes(size, 'x');
    EXPECT_EQ(send(client_.fd(), bytes.data(), size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
  }
  void Read(size_t size) {
    std::string bytes(size, ' ');
    EXPECT_EQ(recv(accepted_->fd(), bytes.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
  }

  Watchdog watchdog_;
  const Descriptor listener_{socket(AF_INET, SOCK_STREAM, 0)};
  const Descriptor client_{socket(AF_INET, SOCK_STREAM, 0)};
  std::unique_ptr<Descriptor> accepted_;
  int port_ = 0;
};

TEST_F(TcpMeterTest, CountsWhatWasReadAndNotWhatWaits) {
  EXPECT_EQ(TakenBytes(accepted_->fd(), port_), 0u);
  Send(1000);
  Read(300);
  EXPECT_EQ(TakenBytes(accepted_->fd(), port_), 300u);
  Read(700);
  EXPECT_EQ(TakenBytes(accepted_->fd(), port_), 1000u);
}

TEST_F(TcpMeterTest, LeavesWhatIsNotAcceptedThereAlone) {
  const std::optional<uint64_t> none;
  EXPECT_EQ(TakenBytes(client_.fd(), port_), none);
  EXPECT_EQ(TakenBytes(accepted_->fd(), port_ + 1), none);
  EXPECT_EQ(TakenBytes(STDERR_FILENO, port_), none);
  EXPECT_EQ(TakenBytes(-1, port_), none);
  EXPECT_EQ(TakenBytes(1 << 20, port_), none);
  EXPECT_EQ(TakenBytes(accepted_->fd(), 0), none);
  CutOff(client_.fd(), port_);
  CutOff(accepted_->fd(), port_ + 1);
  CutOff(-1, port_);
  Send(10);
  Read(10);
}

TEST_F(TcpMeterTest, CutOffEndsTheConnectionForBothSides) {
  CutOff(accepted_->fd(), port_);
  char byte = 0;
  EXPECT_EQ(recv(accepted_->fd(), &byte, 1, 0), 0);
  EXPECT_EQ(recv(client_.fd(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace ps
