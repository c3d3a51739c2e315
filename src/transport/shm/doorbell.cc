#include "transport/shm/doorbell.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/fork.h"

namespace ps {
namespace {

bool IsNothing(ssize_t received) {
  return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

constexpr char kBell = 1;
constexpr char kAnnounced = 2;  // number and size follow
// More are dropped: nobody announces so much without being looked at.
constexpr size_t kMostArrived = 64;
// In one message; what does not fit is closed by the system.
constexpr size_t kMostPerMessage = 4;

// However many there are.
std::vector<Descriptor> TakeDescriptors(msghdr* message) {
  std::vector<Descriptor> taken;
  for (cmsghdr* control = CMSG_FIRSTHDR(message); control != nullptr;
       control = CMSG_NXTHDR(message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(fd));
      taken.emplace_back(fd);
    }
  }
  return taken;
}

}  // namespace

bool SendWithDescriptor(const Descriptor& socket, const void* bytes, size_t size, const Descriptor& sent) {
  iovec part{const_cast<void*>(bytes), size};  // NOLINT: it is only read
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (sent.is_open()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = sent.fd();
    std::memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
  }
  return sendmsg(socket.fd(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

Delivery ReceiveWithDescriptors(const Descriptor& socket, char* bytes, size_t size) {
  iovec part{bytes, size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostPerMessage * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t received = recvmsg(socket.fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  Delivery delivery;
  if (IsNothing(received)) delivery.state = Delivery::State::kNothingYet;
  if (received <= 0) return delivery;
  delivery.state = Delivery::State::kCame;
  delivery.bytes = static_cast<size_t>(received);
  delivery.descriptors = TakeDescriptors(&message);
  delivery.has_lost_some = (message.msg_flags & MSG_CTRUNC) != 0;
  return delivery;
}

void Doorbell::Ring() {
  const char bell = kBell;
  // Fails when the socket is full, which is as good, and when the peer is gone, which Look tells.
  [[maybe_unused]] const ssize_t sent = send(socket_.fd(), &bell, sizeof(bell), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool Doorbell::Announce(const Announcement& announcement) {
  std::array<char, kAnnouncementBytes> bytes{kAnnounced};
  std::memcpy(&bytes[1], &announcement.arena, sizeof(uint64_t));
  std::memcpy(&bytes[1 + sizeof(uint64_t)], &announcement.bytes, sizeof(uint64_t));
  return SendWithDescriptor(socket_, bytes.data(), bytes.size(), announcement.memfd);
}

Doorbell::State Doorbell::Look(std::vector<Announcement>* announced) {
  // One read: a peer that rings without end is looked at as often as everybody else.
  std::array<char, 256> bells;
  Delivery delivery = ReceiveWithDescriptors(socket_, bells.data(), bells.size());
  if (delivery.state == Delivery::State::kNothingYet) return State::kSilent;
  if (delivery.state == Delivery::State::kEnd) return State::kPeerGone;
  has_lost_some_ = has_lost_some_ || delivery.has_lost_some;
  for (Descriptor& descriptor : delivery.descriptors) {
    if (announced != nullptr && arrived_.size() < kMostArrived) arrived_.push_back(std::move(descriptor));
  }
  // Once one was lost nobody knows whose the others are.
  if (has_lost_some_) arrived_.clear();
  if (announced != nullptr) {
    for (size_t i = 0; i < delivery.bytes; ++i) TakeByte(bells[i], announced);
  }
  return State::kRung;
}

void Doorbell::TakeByte(char byte, std::vector<Announcement>* announced) {
  if (num_begun_ == 0 && byte != kAnnounced) return;
  begun_[num_begun_++] = byte;
  if (num_begun_ < kAnnouncementBytes) return;
  num_begun_ = 0;
  Announcement announcement;
  std::memcpy(&announcement.arena, &begun_[1], sizeof(uint64_t));
  std::memcpy(&announcement.bytes, &begun_[1 + sizeof(uint64_t)], sizeof(uint64_t));
  if (announcement.bytes != 0 && !arrived_.empty()) {
    announcement.memfd = std::move(arrived_.front());
    arrived_.pop_front();
  }
  announced->push_back(std::move(announcement));
}

bool Doorbell::IsPeerGone() const {
  char bell = 0;
  const ssize_t received = recv(socket_.fd(), &bell, sizeof(bell), MSG_DONTWAIT | MSG_PEEK);
  return received <= 0 && !IsNothing(received);
}

void Doorbell::EndWriting() {
  if (socket_.is_open() && !IsForked()) shutdown(socket_.fd(), SHUT_WR);
}

void Doorbell::Close() {
  if (!socket_.is_open()) return;
  // In a child of fork() the connection is the parent's.
  if (!IsForked()) shutdown(socket_.fd(), SHUT_RDWR);
  socket_.Close();
}

}  // namespace ps
