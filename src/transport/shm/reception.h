#ifndef PS_TRANSPORT_SHM_RECEPTION_H_
#define PS_TRANSPORT_SHM_RECEPTION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/descriptors.h"
#include "base/mutex.h"
#include "ps/status.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/hello.h"
#include "transport/shm/segment.h"

namespace ps {

// Where others hand their rings over to a node. Whoever connects, costs at most one of kMostPending places
// for kHelloMs. One thread; time is passed in.
class Reception {
 public:
  static constexpr int64_t kHelloMs = 2000;
  static constexpr size_t kMostPending = 64;  // a further one costs the oldest its place

  // Errors: kUnavailable, kResourceExhausted.
  static Result<std::unique_ptr<Reception>> Open(uint64_t incarnation);

  // A ring that was handed over, and is what it was said to be.
  struct Guest {
    Hello hello;
    std::shared_ptr<Segment> segment;
    Doorbell doorbell;
  };
  struct News {
    std::vector<Guest> guests;
    int num_refused = 0;  // another user, no hello in time, not for this node, no sound ring
    Status trouble;       // the system lets nobody in at the moment; those outside wait
  };
  // Lets in who is there, and listens to who has come in. Never blocks.
  News Look(int64_t now_ms);

  // Readable when there is something to look at.
  int fd() const { return watch_.fd(); }
  // When to look although it is not; CondVar::kNever: need not.
  int64_t next_look_ms() const;

  Reception(uint64_t incarnation, Descriptor watch, Descriptor listener);

 private:
  struct Pending {
    Descriptor socket;
    int64_t deadline_ms = 0;
  };
  Status WatchListener();
  void LetIn(int64_t now_ms, News* news);
  // True when it is done with.
  bool Listen(Pending* pending, int64_t now_ms, News* news);
  void Unwatch(const Descriptor& socket);

  const uint64_t incarnation_;
  const Descriptor watch_;  // an epoll descriptor
  const Descriptor listener_;
  std::vector<Pending> pending_;             // oldest first
  int64_t open_again_ms_ = CondVar::kNever;  // kNever: the listener is watched
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_RECEPTION_H_
