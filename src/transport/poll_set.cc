#include "transport/poll_set.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

namespace ps {
namespace {

constexpr uint64_t kBellTag = std::numeric_limits<uint64_t>::max();

Status SystemError(const char* what) {
  return Status::ResourceExhausted(std::string(what) + ": " + std::strerror(errno) +
                                   "; raise the limit of open files (ulimit -n)");
}

}  // namespace

Result<std::shared_ptr<PollSet>> PollSet::Make() {
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return SystemError("cannot make an epoll descriptor");
  const int bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto set = std::make_shared<PollSet>(epoll_fd, bell_fd);
  if (bell_fd < 0) return SystemError("cannot make an event descriptor");
  PS_RETURN_IF_ERROR(set->Add(bell_fd, kBellTag));
  return set;
}

Status PollSet::Add(int fd, uint64_t tag) { return Watch(fd, tag, EPOLLIN); }

Status PollSet::AddChanges(int fd, uint64_t tag) { return Watch(fd, tag, EPOLLIN | EPOLLET); }

Status PollSet::Watch(int fd, uint64_t tag, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  if (epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event) == 0) return Status::Ok();
  return SystemError("cannot watch a descriptor");
}

void PollSet::Remove(int fd) { epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, fd, nullptr); }

void PollSet::Wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  Ring();
}

void PollSet::MarkReady(uint64_t tag) {
  MutexLock lock(mutex_);
  marked_.push_back(tag);
  Ring();
}

void PollSet::Close() {
  MutexLock lock(mutex_);
  closed_ = woken_ = true;
  Ring();
}

void PollSet::Ring() {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then it is readable.
  [[maybe_unused]] const ssize_t written = write(bell_.fd(), &one, sizeof(one));
}

void PollSet::Wait(int timeout_ms, Ready* ready) {
  ready->woken = false;
  ready->tags.clear();
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), timeout_ms);
  bool rung = false;
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u64 == kBellTag) {
      rung = true;
    } else {
      ready->tags.push_back(events[i].data.u64);
    }
  }
  if (!rung) return;
  MutexLock lock(mutex_);
  if (closed_) {
    ready->woken = true;
    return;  // the bell goes on ringing
  }
  // Read under the lock: whoever rings later has its say noted later, too.
  uint64_t rings = 0;
  [[maybe_unused]] const ssize_t size = read(bell_.fd(), &rings, sizeof(rings));
  ready->woken = woken_;
  woken_ = false;
  ready->tags.insert(ready->tags.end(), marked_.begin(), marked_.end());
  marked_.clear();
}

}  // namespace ps
