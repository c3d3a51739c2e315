#ifndef PS_TRANSPORT_INPROC_PIPE_H_
#define PS_TRANSPORT_INPROC_PIPE_H_

#include <cstdint>
#include <list>
#include <memory>

#include "base/address.h"
#include "base/mutex.h"
#include "transport/inproc/hub.h"
#include "transport/inproc/inbox.h"
#include "transport/send_window.h"
#include "transport/transport.h"

namespace ps {

// A connection from one inproc transport to an address. Finds the peer's inbox when it has something to send,
// and again when the peer has closed; what is sent while nobody listens waits here, in order. Shared by the
// link, its transport and (weakly) the hub. Thread-safe.
class Pipe : public std::enable_shared_from_this<Pipe> {
 public:
  Pipe(std::shared_ptr<Hub> hub, Address peer, ReturnPath from, std::shared_ptr<SendWindow> window);

  SendResult TrySend(const Frame& frame) PS_EXCLUDES(mutex_);
  size_t unreleased() const { return window_->frames(); }
  // Until no frame sent here is referred to any more; false at the deadline.
  bool WaitReleased(int64_t deadline_ms) { return window_->WaitEmpty(deadline_ms); }

  // From now on TrySend answers kClosed; what was sent stays under way.
  void Refuse() PS_EXCLUDES(mutex_);
  // Waits until nothing waits here for the peer to come up, until `deadline_ms` of the real clock at most.
  // Not for a peer that was there and has left: who listens there next does not know what this is about.
  void WaitDelivered(int64_t deadline_ms) PS_EXCLUDES(mutex_);
  // Refuses; what is not delivered goes. What the peer has not taken goes too, or, with `keep_delivered`, is
  // copied for it. Idempotent.
  void Close(bool keep_delivered) PS_EXCLUDES(mutex_);

  // For the hub: somebody listens at the address now.
  void OnPeerBound() PS_EXCLUDES(mutex_);

 private:
  // False when nobody listens; the hub then calls OnPeerBound.
  bool Deliver(Parcel* parcel) PS_REQUIRES(mutex_);

  const std::shared_ptr<Hub> hub_;
  const Address peer_;
  const ReturnPath from_;
  const std::shared_ptr<SendWindow> window_;

  Mutex mutex_;  // before the hub's and an inbox's
  CondVar delivered_;
  std::shared_ptr<Inbox> inbox_ PS_GUARDED_BY(mutex_);  // null until found
  std::list<Parcel> waiting_ PS_GUARDED_BY(mutex_);     // not empty: the hub knows that this pipe waits
  bool found_ PS_GUARDED_BY(mutex_) = false;            // somebody listened there once
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_TRANSPORT_INPROC_PIPE_H_
