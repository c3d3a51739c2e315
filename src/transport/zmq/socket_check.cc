#include "transport/zmq/socket_check.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "transport/poll_set.h"
#include "transport/zmq/endpoint.h"

namespace ps {
namespace {

struct Target {
  sockaddr_storage storage{};
  socklen_t size = 0;  // 0: no address

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Target UnixTarget(const std::string& name) {
  Target target;
  auto* address = reinterpret_cast<sockaddr_un*>(&target.storage);
  if (name.size() > sizeof(address->sun_path)) return target;
  address->sun_family = AF_UNIX;
  // The '@' stands for the null byte that makes a name abstract.
  std::copy(name.begin() + 1, name.end(), address->sun_path + 1);
  target.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  return target;
}

Target NumericTarget(const Address& peer) {
  Target target;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(peer.host.c_str(), std::to_string(peer.port).c_str(), &hints, &list) != 0) return target;
  std::memcpy(&target.storage, list->ai_addr, list->ai_addrlen);
  target.size = list->ai_addrlen;
  freeaddrinfo(list);
  return target;
}

// Who asks for a free port of its own machine can be given that very port, and meet itself.
bool HasMetItself(int fd) {
  Target own, peer;
  own.size = peer.size = sizeof(own.storage);
  if (getsockname(fd, own.get(), &own.size) != 0 || getpeername(fd, peer.get(), &peer.size) != 0)
    return false;
  if (own.storage.ss_family == AF_UNIX) return false;
  return own.size == peer.size && std::memcmp(&own.storage, &peer.storage, own.size) == 0;
}

class SocketCheck : public ReachCheck {
 public:
  explicit SocketCheck(int family) : socket_(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}

  void Connect(Target target) {
    state_ = State::kUnknown;
    if (socket_.fd() < 0 || target.size == 0) return;
    state_ = StateOf(connect(socket_.fd(), target.get(), target.size) == 0 ? 0 : errno);
  }

  State Look() override {
    if (state_ != State::kPending) return state_;
    pollfd entry{socket_.fd(), POLLOUT, 0};
    if (poll(&entry, 1, 0) <= 0) return state_;
    int error = 0;
    socklen_t size = sizeof(error);
    if (getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    return state_ = StateOf(error);
  }

 private:
  State StateOf(int error) const {
    switch (error) {
      case 0: return HasMetItself(socket_.fd()) ? State::kRefused : State::kAccepts;
      case EINPROGRESS: return State::kPending;
      case EAGAIN: return State::kAccepts;  // of a Unix socket: somebody listens, with a full queue
      case ECONNREFUSED: return State::kRefused;
      default: return State::kUnknown;
    }
  }

  const Descriptor socket_;
  State state_ = State::kUnknown;
};

}  // namespace

std::unique_ptr<ReachCheck> StartSocketCheck(const Address& peer) {
  const Target target = IsUnix(peer) ? UnixTarget(peer.host) : NumericTarget(peer);
  auto check = std::make_unique<SocketCheck>(target.size == 0 ? AF_INET : target.storage.ss_family);
  check->Connect(target);
  return check;
}

}  // namespace ps
