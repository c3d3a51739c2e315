#include "transport/inproc/inproc_receiver.h"

#include "base/clock.h"

namespace ps {
namespace {

constexpr size_t kMaxFramesPerPoll = 32;

}  // namespace

int InprocReceiver::Poll(FrameSink* sink, int64_t deadline_ms) {
  inbox_->Wait(deadline_ms);
  const ReceiveTokenLock lock(token_);
  // This thread comes again and again while there is much to do: who wants the token once is let in.
  if (token_.wanted()) token_.Yield();
  return Take(sink);
}

bool InprocReceiver::StaysHelper(uint64_t helper) {
  if (token_.wanted()) token_.Yield();
  return token_.IsHelper(helper);
}

bool InprocReceiver::Attend(FrameSink* sink, const HelpWish& wish, uint64_t helper) {
  uint32_t rings = wish.bell->rings();
  while (StaysHelper(helper)) {
    if (wish.is_done()) return true;
    const bool has_frames = Take(sink) > 0;
    // Also where frames come without end.
    if (wish.deadline_ms != CondVar::kNever && Clock::Real().NowMs() >= wish.deadline_ms) return true;
    if (has_frames) continue;
    wish.bell->BeginSleep();
    if (wish.bell->rings() == rings) {
      const ReceiveTokenPause pause(token_);
      wish.bell->Sleep(rings, {}, wish.deadline_ms);
    }
    wish.bell->EndSleep();
    rings = wish.bell->rings();
  }
  return false;
}

void InprocReceiver::LeaveHelp(uint64_t helper) {
  if (!token_.IsHelper(helper)) return;
  token_.EndHelp();
  inbox_->SetHelper(nullptr);
}

HelpOutcome InprocReceiver::Help(FrameSink* sink, const HelpWish& wish) {
  if (!Bell::CanSleep()) return HelpOutcome::kRefused;
  const ReceiveTokenLock lock(token_);
  const uint64_t helper = token_.BeginHelp(wish);
  if (helper == 0) return HelpOutcome::kRefused;
  inbox_->SetHelper(wish.bell);
  try {
    const bool is_of_use = Attend(sink, wish, helper);
    LeaveHelp(helper);
    return is_of_use ? HelpOutcome::kArmed : HelpOutcome::kRefused;
  } catch (...) {
    LeaveHelp(helper);
    throw;
  }
}

int InprocReceiver::Take(FrameSink* sink) {
  inbox_->Take(kMaxFramesPerPoll, &taken_);
  int count = 0;
  for (Parcel& parcel : taken_) {
    Parcel one = std::move(parcel);  // its room is given back as soon as the sink has seen it
    if (one.last) {
      sink->OnPeerClosed(one.from);
    } else {
      sink->OnFrame(std::move(one.frame), one.from);
      ++count;
    }
  }
  taken_.clear();
  return count;
}

}  // namespace ps
