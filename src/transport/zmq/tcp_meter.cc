#include "transport/zmq/tcp_meter.h"

// The system's own tcp_info, which is newer than the C library's.
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

#include "transport/poll_set.h"

namespace ps {
namespace {

// A descriptor of our own for the same connection, which stays what it is.
int Duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }

bool IsAcceptedAt(int fd, int port) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  int own_port = 0;
  if (address.ss_family == AF_INET) own_port = ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) own_port = ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return own_port != 0 && own_port == port;
}

}  // namespace

std::optional<uint64_t> TakenBytes(int fd, int local_port) {
  const Descriptor own(Duplicate(fd));
  if (own.fd() < 0 || !IsAcceptedAt(own.fd(), local_port)) return std::nullopt;
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (getsockopt(own.fd(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (size < offsetof(tcp_info, tcpi_bytes_received) + sizeof(info.tcpi_bytes_received)) return std::nullopt;
  // In this order: what comes in between makes the result smaller.
  int waiting = 0;
  if (ioctl(own.fd(), FIONREAD, &waiting) != 0) return std::nullopt;
  const uint64_t unread = static_cast<uint64_t>(std::max(0, waiting));
  return info.tcpi_bytes_received > unread ? info.tcpi_bytes_received - unread : 0;
}

void CutOff(int fd, int local_port) {
  const Descriptor own(Duplicate(fd));
  if (own.fd() < 0 || !IsAcceptedAt(own.fd(), local_port)) return;
  // Once its owner closes it the peer gets a reset, so that a peer that is waiting for room is told too.
  const linger at_once{1, 0};
  setsockopt(own.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  shutdown(own.fd(), SHUT_RDWR);
}

}  // namespace ps
