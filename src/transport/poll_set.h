#ifndef PS_TRANSPORT_POLL_SET_H_
#define PS_TRANSPORT_POLL_SET_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/descriptors.h"
#include "base/mutex.h"
#include "ps/status.h"

namespace ps {

// What a polling thread sleeps on: descriptors with tags, and a bell. Waiting costs the same however many
// descriptors there are. Wait is for one thread at a time, all else for any.
class PollSet {
 public:
  // Errors: kResourceExhausted.
  static Result<std::shared_ptr<PollSet>> Make();
  PollSet(int epoll_fd, int bell_fd) : epoll_(epoll_fd), bell_(bell_fd) {}

  // Watches `fd` until Remove, which comes before the descriptor is closed. A Wait that runs sees it too.
  Status Add(int fd, uint64_t tag);
  // The same for a descriptor that somebody else reads: every time more has come, once.
  Status AddChanges(int fd, uint64_t tag);
  void Remove(int fd);

  // Ends the current Wait, or the next one; it says `woken`.
  void Wake() PS_EXCLUDES(mutex_);
  // The same, but it says that `tag` is ready: for whoever has swallowed the signal of a descriptor.
  void MarkReady(uint64_t tag) PS_EXCLUDES(mutex_);

  // From now on every Wait returns at once and says `woken`.
  void Close() PS_EXCLUDES(mutex_);

  struct Ready {
    bool woken = false;
    std::vector<uint64_t> tags;  // may contain some twice
  };
  // Waits up to `timeout_ms`, -1 = for ever. Clears `ready` before.
  void Wait(int timeout_ms, Ready* ready) PS_EXCLUDES(mutex_);

  // Readable while a Wait would return at once.
  int fd() const { return epoll_.fd(); }

 private:
  Status Watch(int fd, uint64_t tag, uint32_t events);
  void Ring();

  const Descriptor epoll_;
  const Descriptor bell_;  // an eventfd: readable after Ring

  Mutex mutex_;
  bool woken_ PS_GUARDED_BY(mutex_) = false;
  bool closed_ PS_GUARDED_BY(mutex_) = false;
  std::vector<uint64_t> marked_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_TRANSPORT_POLL_SET_H_
