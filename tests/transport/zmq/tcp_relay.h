// A wire that is tapped.
#ifndef PS_TESTS_TRANSPORT_ZMQ_TCP_RELAY_H_
#define PS_TESTS_TRANSPORT_ZMQ_TCP_RELAY_H_

#include <gtest/gtest.h>
#include <poll.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/transport/zmq/raw_peer.h"

namespace ps {

// Stands between two peers and reads along: what comes to its address goes on to `to`, and the answers back.
// One connection.
class TcpRelay {
 public:
  explicit TcpRelay(const Address& to) : to_(to), socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in where = LoopbackAddress(0);
    socklen_t size = sizeof(where);
    EXPECT_EQ(bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&where), size), 0);
    EXPECT_EQ(listen(socket_.fd(), 1), 0);
    EXPECT_EQ(getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&where), &size), 0);
    address_ = {"127.0.0.1", ntohs(where.sin_port)};
    thread_ = std::thread([this] { Run(); });
  }

  const Address& address() const { return address_; }
  // All bytes of both directions. After the peers have hung up.
  const std::string& Seen() {
    if (thread_.joinable()) thread_.join();
    return seen_;
  }
  ~TcpRelay() { Seen(); }

 private:
  void Run() {
    const Descriptor near(accept(socket_.fd(), nullptr, nullptr));
    const Descriptor far(socket(AF_INET, SOCK_STREAM, 0));
    const sockaddr_in to = LoopbackAddress(to_.port);
    EXPECT_EQ(connect(far.fd(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    pollfd ends[2] = {{near.fd(), POLLIN, 0}, {far.fd(), POLLIN, 0}};
    while (poll(ends, 2, -1) > 0) {
      for (int i = 0; i < 2; ++i) {
        if (ends[i].revents != 0 && !Pass(ends[i].fd, ends[1 - i].fd)) return;
      }
    }
  }

  bool Pass(int from, int to) {
    std::vector<char> buffer(1 << 16);
    const ssize_t size = recv(from, buffer.data(), buffer.size(), 0);
    if (size <= 0) return false;
    seen_.append(buffer.data(), static_cast<size_t>(size));
    return send(to, buffer.data(), static_cast<size_t>(size), MSG_NOSIGNAL) == size;
  }

  const Address to_;
  const Descriptor socket_;
  Address address_;
  std::string seen_;  // of the thread until it ends
  std::thread thread_;
};

}  // namespace ps
#endif  // PS_TESTS_TRANSPORT_ZMQ_TCP_RELAY_H_
