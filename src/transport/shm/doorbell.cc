#include "transport/shm/doorbell.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/fork.h"

namespace ps {
namespace {

bool IsNothing(ssize_t received) {
  return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace

void Doorbell::Ring() {
  const char bell = 1;
  // Fails when the socket is full, which is as good, and when the peer is gone, which Look tells.
  [[maybe_unused]] const ssize_t sent = send(socket_.fd(), &bell, sizeof(bell), MSG_DONTWAIT | MSG_NOSIGNAL);
}

Doorbell::State Doorbell::Look() {
  // One read: a peer that rings without end is looked at as often as everybody else.
  std::array<char, 256> bells;
  const ssize_t received = recv(socket_.fd(), bells.data(), bells.size(), MSG_DONTWAIT);
  if (received > 0) return State::kRung;
  return IsNothing(received) ? State::kSilent : State::kPeerGone;
}

bool Doorbell::IsPeerGone() const {
  char bell = 0;
  const ssize_t received = recv(socket_.fd(), &bell, sizeof(bell), MSG_DONTWAIT | MSG_PEEK);
  return received <= 0 && !IsNothing(received);
}

void Doorbell::Close() {
  if (!socket_.is_open()) return;
  // In a child of fork() the connection is the parent's.
  if (!IsForked()) shutdown(socket_.fd(), SHUT_RDWR);
  socket_.Close();
}

}  // namespace ps
