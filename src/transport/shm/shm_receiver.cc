#include "transport/shm/shm_receiver.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace ps {
namespace {

constexpr int kMaxFramesPerPoll = 32;
constexpr int kLookEvery = 16;  // while rings are busy, all else is looked at in every 16th Poll
constexpr int64_t kCountSwitchesUs = 1000;
constexpr int kChecksPerClock = 16;

}  // namespace

ShmReceiver::ShmReceiver(Host host, std::unique_ptr<Reception> reception, int64_t spin_us)
    : host_(std::move(host)),
      reception_(std::move(reception)),
      inlets_(host_.poll_set),
      spin_(spin_us, NumProcessors()) {}

Status ShmReceiver::Watch(uint64_t inner_tag, uint64_t reception_tag) {
  const ReceiveTokenLock lock(token_);
  inner_tag_ = inner_tag;
  reception_tag_ = reception_tag;
  PS_RETURN_IF_ERROR(host_.poll_set->Add(host_.inner->poll_fd(), inner_tag));
  return host_.poll_set->Add(reception_->fd(), reception_tag);
}

void ShmReceiver::Wake() {
  woken_.store(true);
  if (asleep_.load()) host_.poll_set->Wake();
}

void ShmReceiver::Close() {
  closed_.store(true);
  const ReceiveTokenLock lock(token_);
  inlets_.Clear();
  reception_ = nullptr;
}

// --- ps-rx ---

int ShmReceiver::PollInner(FrameSink* sink) {
  inner_has_more_ = true;  // also if the sink throws
  const int count = host_.inner->Poll(sink, 0);
  inner_has_more_ = count > 0;
  return count;
}

// Without the token: helpers go on.
void ShmReceiver::Sleep(int timeout_ms) {
  asleep_.store(true);
  // From here on whoever writes wakes this thread, or the helper.
  const bool is_quiet = token_.has_helper() ? inlets_.ArmPoll() : inlets_.BeginSleep(Sleeper::kInPoll);
  if (!is_quiet || woken_.load()) timeout_ms = 0;
  {
    const ReceiveTokenPause pause(token_);
    host_.poll_set->Wait(timeout_ms, &ready_);
  }
  asleep_.store(false);
  if (!token_.has_helper()) inlets_.EndSleep();
}

int ShmReceiver::Look(FrameSink* sink, int64_t timeout_ms) {
  int64_t now_ms = Clock::Real().NowMs();
  if (reception_->next_look_ms() != CondVar::kNever) {
    const int64_t left_ms = std::max<int64_t>(0, reception_->next_look_ms() - now_ms);
    timeout_ms = timeout_ms < 0 ? left_ms : std::min(timeout_ms, left_ms);
  }
  if (timeout_ms != 0) {
    Sleep(static_cast<int>(std::min<int64_t>(timeout_ms, std::numeric_limits<int>::max())));
    now_ms = Clock::Real().NowMs();
  } else {
    host_.poll_set->Wait(0, &ready_);
  }
  bool receives = reception_->next_look_ms() <= now_ms;
  int count = 0;
  for (const uint64_t tag : ready_.tags) {
    if (tag == inner_tag_) {
      count += PollInner(sink);
    } else if (tag == reception_tag_) {
      receives = true;
    } else {
      OnTag(tag);
    }
  }
  if (receives) Receive(sink, now_ms);
  return count;
}

void ShmReceiver::OnTag(uint64_t tag) {
  Inlet* const inlet = inlets_.Find(tag);
  if (inlet != nullptr) {
    inlet->OnBell();
  } else {
    host_.on_other_bell(tag);
  }
}

void ShmReceiver::Receive(FrameSink* sink, int64_t now_ms) {
  Reception::News news = reception_->Look(now_ms);
  if (!news.trouble.ok()) host_.say_trouble(news.trouble);
  for (int i = 0; i < news.num_refused; ++i) sink->OnDropped(Counter::kRejectedHandshake);
  for (Reception::Guest& guest : news.guests) {
    // If it is not watched the writer sees its end, and takes the other way.
    const Status added = inlets_.Add(host_.next_tag(), std::move(guest));
    if (!added.ok()) host_.say_trouble(added);
  }
}

int ShmReceiver::Poll(FrameSink* sink, int timeout_ms) {
  const int64_t deadline_ms = timeout_ms < 0 ? CondVar::kNever : Clock::Real().NowMs() + timeout_ms;
  const ReceiveTokenLock lock(token_);
  // This thread comes again and again while there is much to do: who wants the token once is let in.
  if (token_.wanted()) token_.Yield();
  for (;;) {
    if (closed_.load()) return 0;
    int count = inlets_.Drain(sink, kMaxFramesPerPoll);
    if (inner_has_more_) count += PollInner(sink);
    if (count > 0) {
      if (++busy_polls_ % kLookEvery == 0) count += Look(sink, 0);
      return count;
    }
    if (woken_.exchange(false)) return 0;
    const int64_t left_ms =
        deadline_ms == CondVar::kNever ? -1 : std::max<int64_t>(0, deadline_ms - Clock::Real().NowMs());
    count = Look(sink, left_ms);
    if (count > 0) return count;
    // Bells may have been taken in, and what they stand for must not wait for the next call.
    if (left_ms == 0) return inlets_.Drain(sink, kMaxFramesPerPoll);
  }
}

// --- helpers ---

bool ShmReceiver::HasNews(const Bell& bell, uint32_t rings) {
  return inlets_.HasMore() || bell.rings() != rings || token_.wanted();
}

// Counting switches is a system call: not each time. They are those of one thread.
int64_t ShmReceiver::SpinBudgetUs(int64_t now_us) {
  if (!spin_.ever()) return 0;
  if (spinner_ != std::this_thread::get_id()) {
    spinner_ = std::this_thread::get_id();
    spin_.ChangeThread();
    count_switches_us_ = 0;
  }
  if (now_us >= count_switches_us_) {
    count_switches_us_ = now_us + kCountSwitchesUs;
    budget_us_ = spin_.BudgetUs(now_us, InvoluntarySwitches());
  }
  return budget_us_;
}

bool ShmReceiver::SleepAsHelper(const HelpWish& wish, uint64_t helper, uint32_t rings) {
  if (!Bell::CanSleep() || inlets_.size() > Bell::kMostWords) return false;
  Bell& bell = *wish.bell;
  bell.BeginSleep();
  if (inlets_.BeginSleep(Sleeper::kOnWord) && !HasNews(bell, rings)) {
    Inlet::Words words;
    inlets_.GetWords(&words);
    const ReceiveTokenPause pause(token_);
    bell.Sleep(rings, words.words, wish.deadline_ms);
  }
  bell.EndSleep();
  if (token_.IsHelper(helper)) inlets_.EndSleep();
  return true;
}

bool ShmReceiver::Idle(const HelpWish& wish, uint64_t helper, uint32_t rings) {
  const Clock& clock = Clock::Real();
  int64_t now_us = clock.NowUs();
  const int64_t until_us = now_us + SpinBudgetUs(now_us);
  while (now_us < until_us) {
    for (int i = 0; i < kChecksPerClock; ++i) {
      if (HasNews(*wish.bell, rings)) return true;
      RelaxProcessor();
    }
    now_us = clock.NowUs();
  }
  return SleepAsHelper(wish, helper, rings);
}

// `ps-rx` must not wait for the end of a stream of frames: it may have a heartbeat in hand.
bool ShmReceiver::StaysHelper(uint64_t helper) {
  if (token_.wanted()) {
    token_.Yield();
    if (token_.IsHelper(helper)) inlets_.EndSleep();
  }
  return token_.IsHelper(helper) && !closed_.load() && !inlets_.empty();
}

bool ShmReceiver::Attend(FrameSink* sink, const HelpWish& wish, uint64_t helper) {
  uint32_t rings = wish.bell->rings();
  if (wish.is_done()) return true;
  while (StaysHelper(helper)) {
    const bool has_frames = inlets_.Drain(sink, kMaxFramesPerPoll) > 0;
    // Read once: a ring that comes after it is not slept over.
    const uint32_t now = wish.bell->rings();
    const bool is_rung = now != rings;
    rings = now;
    if ((has_frames || is_rung) && wish.is_done()) return true;
    // Also where frames come without end.
    if (wish.deadline_ms != CondVar::kNever && Clock::Real().NowMs() >= wish.deadline_ms) return true;
    if (!has_frames && !Idle(wish, helper, rings)) return false;
  }
  return false;
}

// One that was replaced leaves everything to its successor.
HelpOutcome ShmReceiver::LeaveHelp(uint64_t helper, bool is_of_use) {
  if (!token_.IsHelper(helper)) return HelpOutcome::kRefused;
  token_.EndHelp();
  if (is_of_use && token_.dependents()->MayLeave()) return HelpOutcome::kUnarmed;
  if (!inlets_.BeginSleep(Sleeper::kInPoll)) Wake();
  return is_of_use ? HelpOutcome::kArmed : HelpOutcome::kRefused;
}

HelpOutcome ShmReceiver::Help(FrameSink* sink, const HelpWish& wish) {
  token_.Acquire();
  HelpOutcome outcome = HelpOutcome::kRefused;
  const uint64_t helper = closed_.load() || inlets_.empty() ? 0 : token_.BeginHelp(wish);
  if (helper != 0) {
    inlets_.EndSleep();
    bool is_of_use = false;
    try {
      is_of_use = Attend(sink, wish, helper);
    } catch (...) {
      LeaveHelp(helper, false);
      token_.Release();
      throw;
    }
    outcome = LeaveHelp(helper, is_of_use);
  }
  token_.Release();
  return outcome;
}

}  // namespace ps
