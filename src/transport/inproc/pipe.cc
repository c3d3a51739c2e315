#include "transport/inproc/pipe.h"

#include <utility>

namespace ps {

Pipe::Pipe(std::shared_ptr<Hub> hub, Address peer, ReturnPath from, std::shared_ptr<SendWindow> window)
    : hub_(std::move(hub)), peer_(std::move(peer)), from_(std::move(from)), window_(std::move(window)) {}

SendResult Pipe::TrySend(const Frame& frame) {
  MutexLock lock(mutex_);
  if (closed_) return SendResult::kClosed;
  const uint64_t bytes = frame.payload_bytes();
  if (!window_->TryTake(bytes)) return SendResult::kFull;
  Parcel parcel;
  parcel.claim = SendClaim(window_, bytes);
  parcel.pipe = this;
  parcel.from = from_;
  parcel.frame = frame;
  if (!waiting_.empty() || !Deliver(&parcel)) waiting_.push_back(std::move(parcel));
  return SendResult::kSent;
}

bool Pipe::Deliver(Parcel* parcel) {
  // A closed inbox is not bound any more, so this ends.
  while (inbox_ == nullptr || !inbox_->Push(parcel)) {
    inbox_ = hub_->FindOrWait(peer_, weak_from_this());
    if (inbox_ == nullptr) return false;
    found_ = true;
  }
  return true;
}

void Pipe::OnPeerBound() {
  MutexLock lock(mutex_);
  while (!waiting_.empty() && Deliver(&waiting_.front())) waiting_.pop_front();
  if (waiting_.empty()) delivered_.NotifyAll();
}

void Pipe::Refuse() {
  MutexLock lock(mutex_);
  closed_ = true;
}

void Pipe::WaitDelivered(int64_t deadline_ms) {
  MutexLock lock(mutex_);
  bool in_time = true;
  while (!waiting_.empty() && !found_ && in_time) in_time = delivered_.WaitUntil(mutex_, deadline_ms);
}

void Pipe::Close(bool keep_delivered) {
  std::list<Parcel> dropped;
  std::shared_ptr<Inbox> inbox;
  window_->CallWhenEmpty();
  {
    MutexLock lock(mutex_);
    closed_ = true;
    dropped.swap(waiting_);
    inbox = std::move(inbox_);
    inbox_ = nullptr;
    delivered_.NotifyAll();
  }
  if (inbox == nullptr) return;
  if (keep_delivered) {
    inbox->Detach(this);
  } else {
    inbox->Discard(this);
  }
  Parcel word;
  word.from = from_;
  word.last = true;
  inbox->Push(&word);
}

}  // namespace ps
