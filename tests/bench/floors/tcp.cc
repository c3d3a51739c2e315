// Raw sockets over loopback, without delay: what a transport over TCP can not beat.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "tests/bench/floors/floor.h"
#include "tests/bench/floors/pattern.h"
#include "tests/bench/floors/peer.h"
#include "tests/bench/floors/stream.h"

namespace ps::floors {
namespace {

// A connected socket. Waits for all bytes; throws when the other end is gone.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {
    Require(socket >= 0, "socket");
    const int on = 1;
    Require(setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0, "TCP_NODELAY");
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Send(const char* bytes, size_t size) {
    for (size_t done = 0; done < size;) {
      const ssize_t moved = send(socket_, bytes + done, size - done, MSG_NOSIGNAL);
      Require(moved > 0, "send");
      done += static_cast<size_t>(moved);
    }
  }
  void Receive(char* bytes, size_t size) {
    for (size_t done = 0; done < size;) {
      const ssize_t moved = recv(socket_, bytes + done, size - done, 0);
      Require(moved > 0, "recv");
      done += static_cast<size_t>(moved);
    }
  }

 private:
  const int socket_;
};

class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address_);
    Require(bind(socket_, reinterpret_cast<sockaddr*>(&address_), length) == 0, "bind");
    Require(listen(socket_, 1) == 0, "listen");
    Require(getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &length) == 0, "getsockname");
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int Accept() { return accept(socket_, nullptr, nullptr); }
  // Of another process.
  int Connect() {
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Require(connect(made, reinterpret_cast<sockaddr*>(&address_), sizeof(address_)) == 0, "connect");
    return made;
  }

 private:
  const int socket_;
  sockaddr_in address_{};
};

// A second process that `serve` runs in, with its end of a connection to this one.
class TcpFloor : public Floor {
 protected:
  TcpFloor(const Task& task, void (*serve)(const Task&, Connection*))
      : task_(task),
        buffer_(task.bytes),
        peer_([this, serve] {
          Connection connection(listener_.Connect());
          serve(task_, &connection);
        }),
        connection_(listener_.Accept()) {
    FillPattern(buffer_.data(), buffer_.size());
  }
  // Before its connection is closed, which it would complain about.
  ~TcpFloor() override { peer_.End(); }

  const Task task_;
  std::vector<char> buffer_;
  Listener listener_;
  Peer peer_;
  Connection connection_;
};

class TcpPing : public TcpFloor {
 public:
  explicit TcpPing(const Task& task) : TcpFloor(task, Echo) {}

  Figures Run() override {
    return bench::LatencyFigures(bench::TimeEach(task_.count, kPingLimitS, [this] {
      connection_.Send(buffer_.data(), buffer_.size());
      connection_.Receive(buffer_.data(), buffer_.size());
      CheckPattern(buffer_.data(), buffer_.size(), kCheckStride);
    }));
  }

 private:
  static void Echo(const Task& task, Connection* connection) {
    std::vector<char> buffer(task.bytes);
    while (true) {
      connection->Receive(buffer.data(), buffer.size());
      connection->Send(buffer.data(), buffer.size());
    }
  }
};

class TcpStream : public TcpFloor {
 public:
  explicit TcpStream(const Task& task) : TcpFloor(task, Drain) {}

  Figures Run() override {
    const auto start = bench::SteadyClock::now();
    for (int i = MessagesOf(task_); i > 0; --i) connection_.Send(buffer_.data(), buffer_.size());
    char confirmed = 0;
    connection_.Receive(&confirmed, 1);
    return StreamFigures(task_, bench::SecondsSince(start));
  }

 private:
  static void Drain(const Task& task, Connection* connection) {
    std::vector<char> buffer(task.bytes);
    while (true) {
      for (int i = MessagesOf(task); i > 0; --i) {
        connection->Receive(buffer.data(), buffer.size());
        CheckPattern(buffer.data(), buffer.size(), kCheckStride);
      }
      connection->Send("", 1);
    }
  }
};

}  // namespace

std::unique_ptr<Floor> MakeTcpPing(const Task& task) { return std::make_unique<TcpPing>(task); }
std::unique_ptr<Floor> MakeTcpStream(const Task& task) { return std::make_unique<TcpStream>(task); }

}  // namespace ps::floors
