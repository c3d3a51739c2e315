#ifndef PS_TRANSPORT_SHM_SHM_LINK_H_
#define PS_TRANSPORT_SHM_SHM_LINK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "transport/poll_set.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/lending.h"
#include "transport/shm/ring.h"
#include "transport/shm/segment.h"
#include "transport/transport.h"

namespace ps {

// A ring that was made here and handed over, with its doorbell.
struct Outlet {
  Outlet(std::shared_ptr<Segment> made, Doorbell bell)
      : segment(std::move(made)),
        doorbell(std::move(bell)),
        writer(segment->memory()),
        lender(segment->memory().control) {}

  // How many pieces of memory the reader has or may take; none when it is gone.
  size_t Outstanding();

  const std::shared_ptr<Segment> segment;
  Doorbell doorbell;
  RingWriter writer;
  Lender lender;
};

// Lets go of rings that were closed while their readers still had memory of ours, and have given it back.
// Nearly nothing where there are none. Any thread.
void SweepClosedRings();

// The sending end to one peer: frames are copied into the ring, or lent where they lie in an arena; when the
// peer does not read it any more, they go through a link of another transport. Shared by the link and its
// transport. Thread-safe.
class ShmLinkEnd {
 public:
  // Null: there is no other way, and the link is closed when the ring is of no use any more. Not called after
  // Close and Detach.
  using MakeOther = std::function<Result<std::unique_ptr<Link>>()>;

  // `tag` is that of the doorbell in the poll set.
  ShmLinkEnd(uint64_t tag, std::unique_ptr<Outlet> outlet, MakeOther make_other,
             std::shared_ptr<PollSet> poll_set);
  ~ShmLinkEnd();

  // Lets the poll set watch the doorbell. Once, before the link is used.
  Status Watch() PS_EXCLUDES(mutex_);

  SendResult TrySend(const Frame& frame) PS_EXCLUDES(mutex_);
  // What the reader of a ring that was closed has taken does not count: it is kept from being used again.
  size_t unreleased() const PS_EXCLUDES(mutex_);
  // The doorbell is readable. True when a frame that was refused is worth another try.
  bool OnBell() PS_EXCLUDES(mutex_);

  // Idempotent. Refuses frames; those in the ring stay with the reader, but for what is lent and it has not
  // taken.
  void Close() PS_EXCLUDES(mutex_);
  // The same, but the other transport ends its link itself.
  void Detach() PS_EXCLUDES(mutex_);

 private:
  // False: the ring is of no use any more.
  bool TryRing(const Frame& frame, SendResult* result) PS_REQUIRES(mutex_);
  SendResult TryOther(const Frame& frame) PS_REQUIRES(mutex_);
  void DropRing() PS_REQUIRES(mutex_);

  const uint64_t tag_;
  const MakeOther make_other_;
  const std::shared_ptr<PollSet> poll_set_;

  mutable Mutex mutex_;  // before those of the poll set and the other transport
  std::unique_ptr<Outlet> outlet_ PS_GUARDED_BY(mutex_);  // null once of no use
  std::unique_ptr<Link> other_ PS_GUARDED_BY(mutex_);     // null until needed
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_SHM_LINK_H_
