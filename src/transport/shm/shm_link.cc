#include "transport/shm/shm_link.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/never_destroyed.h"

namespace ps {
namespace {

// Outlets that are of no use any more, but whose readers still have memory of ours: it must not be used
// again. Nobody waits for them: a reader may stand still for ever.
class Quarantine {
 public:
  static Quarantine& Shared() {
    static NeverDestroyed<Quarantine> all;
    return all.value;
  }
  void Add(std::unique_ptr<Outlet> outlet) PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    outlets_.push_back(std::move(outlet));
    number_.store(outlets_.size());
  }
  void Sweep() PS_EXCLUDES(mutex_) {
    if (number_.load() == 0) return;
    MutexLock lock(mutex_);
    const auto is_over = [](const std::unique_ptr<Outlet>& one) { return one->Outstanding() == 0; };
    outlets_.erase(std::remove_if(outlets_.begin(), outlets_.end(), is_over), outlets_.end());
    number_.store(outlets_.size());
  }

 private:
  std::atomic<size_t> number_{0};
  Mutex mutex_;
  std::vector<std::unique_ptr<Outlet>> outlets_ PS_GUARDED_BY(mutex_);
};

}  // namespace

void SweepClosedRings() { Quarantine::Shared().Sweep(); }

size_t Outlet::Outstanding() {
  if (lender.Outstanding() == 0) return 0;
  if (doorbell.IsPeerGone()) lender.ForgetAll();
  return lender.Outstanding();
}

ShmLinkEnd::ShmLinkEnd(uint64_t tag, std::unique_ptr<Outlet> outlet, MakeOther make_other,
                       std::shared_ptr<PollSet> poll_set)
    : tag_(tag),
      make_other_(std::move(make_other)),
      poll_set_(std::move(poll_set)),
      outlet_(std::move(outlet)) {}

Status ShmLinkEnd::Watch() {
  MutexLock lock(mutex_);
  return poll_set_->Add(outlet_->doorbell.fd(), tag_);
}

ShmLinkEnd::~ShmLinkEnd() { Close(); }

void ShmLinkEnd::DropRing() {
  poll_set_->Remove(outlet_->doorbell.fd());
  outlet_->lender.TakeBack();
  if (outlet_->Outstanding() > 0) {
    outlet_->doorbell.EndWriting();
    Quarantine::Shared().Add(std::move(outlet_));
  }
  outlet_ = nullptr;
}

bool ShmLinkEnd::TryRing(const Frame& frame, SendResult* result) {
  RingWriter& writer = outlet_->writer;
  if (writer.ReaderHasLeft()) return false;
  Lender& lender = outlet_->lender;
  const Loans* const loans =
      lender.MayOffer(frame.payload_bytes()) ? lender.Offer(frame, &outlet_->doorbell) : nullptr;
  const RingWriter::Outcome outcome = writer.TryWrite(frame, loans);
  if (loans != nullptr && outcome == RingWriter::Outcome::kWritten) lender.Keep(frame, *loans);
  if (loans != nullptr && outcome != RingWriter::Outcome::kWritten) lender.Withdraw(*loans);
  switch (outcome) {
    case RingWriter::Outcome::kWritten:
      if (writer.Wake() == Sleeper::kInPoll) outlet_->doorbell.Ring();
      *result = SendResult::kSent;
      return true;
    case RingWriter::Outcome::kFull:
      // Of a reader that was killed the polling thread hears, but it may be late.
      *result = SendResult::kFull;
      return !outlet_->doorbell.IsPeerGone();
    case RingWriter::Outcome::kTooLarge:
    case RingWriter::Outcome::kBroken: break;
  }
  return false;
}

SendResult ShmLinkEnd::TryOther(const Frame& frame) {
  if (other_ == nullptr) {
    if (!make_other_) return SendResult::kClosed;
    Result<std::unique_ptr<Link>> made = make_other_();
    // Descriptors may be used up at the moment; senders try again by their own timers, too.
    if (!made.ok()) return SendResult::kFull;
    other_ = std::move(made).value();
  }
  return other_->TrySend(frame);
}

SendResult ShmLinkEnd::TrySend(const Frame& frame) {
  MutexLock lock(mutex_);
  if (closed_) return SendResult::kClosed;
  SendResult result = SendResult::kSent;
  if (outlet_ != nullptr) {
    if (TryRing(frame, &result)) return result;
    DropRing();
  }
  return TryOther(frame);
}

size_t ShmLinkEnd::unreleased() const {
  MutexLock lock(mutex_);
  size_t number = other_ == nullptr ? 0 : other_->unreleased();
  if (outlet_ != nullptr) number += outlet_->lender.Outstanding();
  return number;
}

bool ShmLinkEnd::OnBell() {
  MutexLock lock(mutex_);
  if (outlet_ == nullptr) return false;
  const Doorbell::State state = outlet_->doorbell.Look();
  if (state == Doorbell::State::kPeerGone) DropRing();
  return state != Doorbell::State::kSilent;
}

void ShmLinkEnd::Detach() {
  MutexLock lock(mutex_);
  closed_ = true;
  if (outlet_ != nullptr) DropRing();
}

void ShmLinkEnd::Close() {
  Detach();
  MutexLock lock(mutex_);
  if (other_ != nullptr) other_->Close();
}

}  // namespace ps
