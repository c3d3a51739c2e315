#ifndef PS_TRANSPORT_INPROC_INBOX_H_
#define PS_TRANSPORT_INPROC_INBOX_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "base/mutex.h"
#include "transport/send_window.h"
#include "transport/transport.h"

namespace ps {

class Pipe;

// A frame on its way, or the word that no more will come. The claim stands first, so that the frame has gone
// before its room is given back.
struct Parcel {
  SendClaim claim;
  const Pipe* pipe = nullptr;  // where it came from, only to be compared; null for a reply, and for the last
  ReturnPath from;
  Frame frame;
  bool last = false;  // the pipe behind `from` has closed; there is no frame
};

// The receiving end of one inproc transport: a queue with one reader at a time. Thread-safe. Bounded by the
// windows of those who push.
class Inbox {
 public:
  // Takes the parcel, or leaves it and returns false when closed.
  bool Push(Parcel* parcel) PS_EXCLUDES(mutex_);

  // Waits for a parcel until `deadline_ms` of the real clock, a Wake, or Close; while there is a helper, for
  // those only.
  void Wait(int64_t deadline_ms) PS_EXCLUDES(mutex_);
  // Moves up to `max` parcels into `taken` (emptied before); never waits.
  void Take(size_t max, std::vector<Parcel>* taken) PS_EXCLUDES(mutex_);

  // Ends the current Wait, or the next one.
  void Wake() PS_EXCLUDES(mutex_);

  // Parcels ring this bell from now on, instead of ending a Wait; null: as before.
  void SetHelper(Bell* bell) PS_EXCLUDES(mutex_);

  // Drops what `pipe` has pushed and nobody has taken.
  void Discard(const Pipe* pipe) PS_EXCLUDES(mutex_);
  // Copies it instead, so that it can still be taken although the sender's memory is given back.
  void Detach(const Pipe* pipe) PS_EXCLUDES(mutex_);

  // Drops everything and refuses more. Idempotent.
  void Close() PS_EXCLUDES(mutex_);

 private:
  // Parcels are always destroyed without the lock: their claims may call a release hook.
  Mutex mutex_;
  CondVar arrived_;
  std::deque<Parcel> parcels_ PS_GUARDED_BY(mutex_);
  Bell* helper_ PS_GUARDED_BY(mutex_) = nullptr;
  bool woken_ PS_GUARDED_BY(mutex_) = false;
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_TRANSPORT_INPROC_INBOX_H_
