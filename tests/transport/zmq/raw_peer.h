// Peers that do not keep the rules: ZeroMQ without our framing, and TCP without ZeroMQ.
#ifndef PS_TESTS_TRANSPORT_ZMQ_RAW_PEER_H_
#define PS_TESTS_TRANSPORT_ZMQ_RAW_PEER_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/address.h"
#include "transport/poll_set.h"
#include "transport/zmq/socket.h"

namespace ps {

// Sends any parts it is told to.
class RawZmqPeer {
 public:
  explicit RawZmqPeer(const Address& address)
      : context_(ZmqContext::Make(1).value()), socket_(ZmqSocket::Open(*context_, ZMQ_DEALER).value()) {
    EXPECT_TRUE(socket_->SetInt(ZMQ_SNDHWM, 0).ok());
    EXPECT_EQ(socket_->Connect("tcp://" + address.ToString()), 0);
  }
  ~RawZmqPeer() { socket_->Close(0); }

  void Send(const std::vector<std::string>& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
      ZmqMessage message(parts[i].data(), parts[i].size());
      EXPECT_EQ(socket_->Send(&message, i + 1 < parts.size()), IoResult::kDone);
    }
  }

 private:
  const std::shared_ptr<ZmqContext> context_;
  const std::unique_ptr<ZmqSocket> socket_;
};

inline sockaddr_in LoopbackAddress(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

class RawTcpClient {
 public:
  explicit RawTcpClient(const Address& address) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in to = LoopbackAddress(address.port);
    EXPECT_EQ(connect(socket_.fd(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  }
  void Send(const std::string& bytes) {
    // The peer may have hung up in the middle, and that is fine.
    [[maybe_unused]] const ssize_t sent = send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

 private:
  const Descriptor socket_;
};

// Speaks ZeroMQ's protocol byte by byte: a DEALER with the handshake done, and then whatever it likes.
class RawZmtpClient {
 public:
  explicit RawZmtpClient(const Address& address) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in to = LoopbackAddress(address.port);
    EXPECT_EQ(connect(socket_.fd(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    Send(Greeting());
    const std::string ready = std::string("\5READY\13Socket-Type\0\0\0\6DEALER", 28);
    Send(std::string("\4", 1) + static_cast<char>(ready.size()) + ready);
    // Messages may follow when the other side has said the same.
    const std::string head = Receive(64 + 2);
    Receive(head.empty() ? 0 : static_cast<size_t>(head.back()));
  }

  static std::string Greeting() {
    std::string greeting = std::string("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16);
    greeting.resize(64, '\0');
    return greeting;
  }
  // What stands in front of a part of a message.
  static std::string PartHead(uint64_t size, bool more) {
    std::string head(1, static_cast<char>(2 | (more ? 1 : 0)));
    for (int shift = 56; shift >= 0; shift -= 8) head += static_cast<char>(size >> shift);
    return head;
  }

  // False when the peer has hung up. Blocks as long as the peer does not read.
  bool Send(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t sent = send(socket_.fd(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      at += static_cast<size_t>(sent);
    }
    return true;
  }
  bool SendPart(const std::string& bytes, bool more) {
    return Send(PartHead(bytes.size(), more)) && Send(bytes);
  }
  // So many bytes; blocks until they are there. Empty when the peer hangs up before.
  std::string Receive(size_t size) {
    std::string bytes(size, ' ');
    const bool whole = recv(socket_.fd(), bytes.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size);
    return whole ? bytes : "";
  }
  // Blocks until the peer hangs up.
  void AwaitEnd() {
    std::string bytes(4096, ' ');
    while (recv(socket_.fd(), bytes.data(), bytes.size(), 0) > 0) {
    }
  }

 private:
  const Descriptor socket_;
};

// Accepts a connection when told to, says something, and hangs up.
class RawTcpServer {
 public:
  explicit RawTcpServer(std::string text) : text_(std::move(text)), socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in where = LoopbackAddress(0);
    socklen_t size = sizeof(where);
    EXPECT_EQ(bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&where), size), 0);
    EXPECT_EQ(listen(socket_.fd(), 16), 0);
    EXPECT_EQ(getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&where), &size), 0);
    address_ = {"127.0.0.1", ntohs(where.sin_port)};
  }
  ~RawTcpServer() {
    if (thread_.joinable()) thread_.join();
  }

  const Address& address() const { return address_; }

  // Answers the next connection, in the background.
  void ServeOne() {
    if (thread_.joinable()) thread_.join();
    served_ = false;
    thread_ = std::thread([this] {
      const Descriptor peer(accept(socket_.fd(), nullptr, nullptr));
      [[maybe_unused]] const ssize_t sent = send(peer.fd(), text_.data(), text_.size(), MSG_NOSIGNAL);
      served_ = true;
    });
  }
  bool Served() const { return served_; }

 private:
  const std::string text_;
  const Descriptor socket_;
  Address address_;
  std::atomic<bool> served_{false};
  std::thread thread_;
};

}  // namespace ps
#endif  // PS_TESTS_TRANSPORT_ZMQ_RAW_PEER_H_
