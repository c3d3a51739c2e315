#include "transport/shm/handover.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace ps {
namespace {

constexpr int kBacklog = 4096;

struct SocketName {
  sockaddr_un address{};
  socklen_t size = 0;
};

// Abstract: no file, and nothing is left behind.
SocketName NameOf(uint64_t incarnation) {
  SocketName name;
  name.address.sun_family = AF_UNIX;
  const int length = std::snprintf(name.address.sun_path + 1, sizeof(name.address.sun_path) - 1,
                                   "caravan-shm-%016llx", static_cast<unsigned long long>(incarnation));
  name.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(length));
  return name;
}

Status SystemError(const std::string& what) {
  const bool is_full = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ETOOMANYREFS;
  return Status(is_full ? StatusCode::kResourceExhausted : StatusCode::kUnavailable,
                what + ": " + std::strerror(errno));
}

Result<Descriptor> OpenSocket() {
  Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_open()) return SystemError("cannot open a Unix socket");
  return made;
}

}  // namespace

Result<Doorbell> HandOver(const Hello& hello, const Descriptor& memfd) {
  Result<Descriptor> opened = OpenSocket();
  if (!opened.ok()) return opened.status();
  Descriptor socket = std::move(opened).value();
  const SocketName name = NameOf(hello.reader);
  if (connect(socket.fd(), reinterpret_cast<const sockaddr*>(&name.address), name.size) != 0) {
    if (errno == ECONNREFUSED)
      return Status::NotFound("it is not on this machine, or takes no shared memory");
    return SystemError("cannot hand shared memory over");
  }
  if (!IsOwnUser(socket)) return Status::AlreadyExists("its place is taken by another user's process");
  const HelloBytes bytes = EncodeHello(hello);
  if (!SendWithDescriptor(socket, bytes.data(), bytes.size(), memfd))
    return SystemError("cannot hand shared memory over");
  return Doorbell(std::move(socket));
}

Result<Descriptor> ListenForRings(uint64_t incarnation) {
  Result<Descriptor> opened = OpenSocket();
  if (!opened.ok()) return opened;
  const SocketName name = NameOf(incarnation);
  if (bind(opened.value().fd(), reinterpret_cast<const sockaddr*>(&name.address), name.size) != 0 ||
      listen(opened.value().fd(), kBacklog) != 0) {
    return SystemError("cannot listen for shared memory");
  }
  return opened;
}

Descriptor AcceptPeer(const Descriptor& listener, Status* trouble) {
  for (;;) {
    Descriptor accepted(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (accepted.is_open()) return accepted;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) *trouble = SystemError("cannot take over shared memory");
    return accepted;
  }
}

bool IsOwnUser(const Descriptor& socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return getsockopt(socket.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

Offer ReceiveOffer(const Descriptor& socket) {
  Offer offer;
  HelloBytes bytes{};
  Delivery delivery = ReceiveWithDescriptors(socket, bytes.data(), bytes.size());
  if (delivery.state == Delivery::State::kNothingYet) return offer;
  offer.state = Offer::State::kWrong;
  const Result<Hello> hello = DecodeHello(bytes.data(), delivery.bytes);
  // One descriptor is right.
  if (!hello.ok() || delivery.descriptors.size() != 1 || delivery.has_lost_some) return offer;
  offer.state = Offer::State::kMade;
  offer.hello = hello.value();
  offer.memfd = std::move(delivery.descriptors.front());
  return offer;
}

}  // namespace ps
