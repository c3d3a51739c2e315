#include "app/request_tracker.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ps {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr std::size_t kKeptDone = 1024;  // entries that stay allocated

}  // namespace

int RequestTracker::Issue(Request request, int64_t now_ms, int64_t timeout_ms) {
  int timestamp = TakeTimestamp();
  if (wrapped_) {
    while (live_.Find(timestamp) != nullptr) timestamp = TakeTimestamp();
    finished_.Forget(timestamp);
  }
  LiveRequest* const live = live_.Insert(timestamp);
  live->wanted = static_cast<int>(request.receivers.size());
  live->waiting = std::move(request.receivers);
  live->sink = std::move(request.sink);
  live->lent = request.lent;
  live->direct = request.direct;
  live->issued_ms = now_ms;
  live->deadline_ms = timeout_ms == 0 ? kNever : now_ms + timeout_ms;
  live->sequence = next_sequence_++;
  if (live->wanted == 0) CheckDone(live);
  return timestamp;
}

int RequestTracker::TakeTimestamp() {
  const int timestamp = next_timestamp_;
  const bool last = timestamp == std::numeric_limits<int>::max();
  next_timestamp_ = last ? 0 : timestamp + 1;
  wrapped_ = wrapped_ || last;
  return timestamp;
}

RequestTracker::Expectation RequestTracker::Judge(int timestamp, int node, Taker taker) {
  Expectation expectation;
  LiveRequest* const live = live_.Find(timestamp);
  if (taker == Taker::kReceiverAtOnce) {
    expectation.counted = CountAtOnce(live, node);
    return expectation;
  }
  if (live == nullptr) {
    if (!Issued(timestamp)) return expectation;
    expectation.verdict = finished_.Failed(timestamp) ? Expectation::kLate : Expectation::kExtra;
    return expectation;
  }
  if (!live->done && live->waiting.Has(node)) {
    expectation.verdict = Expectation::kExpected;
    expectation.sink = live->sink;
    expectation.claimed = taker != Taker::kThread && live->direct;
    if (expectation.claimed) ++live->num_claims;
  } else {
    expectation.verdict = live->failure.ok() ? Expectation::kExtra : Expectation::kLate;
  }
  return expectation;
}

RequestTracker::Answered RequestTracker::Answer(int timestamp, int node, const Status& outcome, Taker taker) {
  LiveRequest* const live = live_.Find(timestamp);
  if (live == nullptr) return {};  // never one that is claimed: it stays
  if (taker != Taker::kThread) --live->num_claims;
  if (!live->done && Settle(live, node)) {
    ++live->num_answers;
    if (!outcome.ok()) RecordFailure(live, outcome);
  }
  if (taker == Taker::kThread) {
    CheckDone(live);
    return {};
  }
  if (!IsOver(*live)) return {};
  Close(live);
  if (live->waiting.empty()) return {DoneOf(live), false};
  // What is left of it somewhere has to be called back first.
  AddDone(*live);
  return {std::nullopt, true};
}

RequestTracker::Counted RequestTracker::CountAtOnce(LiveRequest* live, int node) {
  if (live == nullptr || !live->direct || live->sink != nullptr || live->num_claims > 0 || live->done ||
      !live->waiting.Remove(node))
    return Counted::kNot;
  ++live->num_answers;
  if (!IsOver(*live)) return Counted::kOpen;
  Close(live);
  if (!live->waiting.empty()) {
    AddDone(*live);
    return Counted::kLeftDone;
  }
  finished_.Record(live->timestamp, live->num_answers, live->failure, false);
  live_.Erase(live);
  return Counted::kFinished;
}

void RequestTracker::Fail(int timestamp, int node, const Status& why, uint64_t before) {
  if (timestamp != kEveryRequest) {
    LiveRequest* const live = live_.Find(timestamp);
    if (live != nullptr) FailOne(live, node, why);
    return;
  }
  LiveRequest* next = nullptr;
  for (LiveRequest* each = live_.first_open(); each != nullptr && each->sequence < before; each = next) {
    next = live_.NextOpen(each);
    FailOne(each, node, why);
  }
}

void RequestTracker::FailOne(LiveRequest* live, int node, const Status& why) {
  if (live->done || !Settle(live, node)) return;
  RecordFailure(live, why);
  CheckDone(live);
}

bool RequestTracker::Credit(int timestamp, int num) {
  LiveRequest* const live = live_.Find(timestamp);
  if (live == nullptr) return false;
  live->num_answers += num;
  CheckDone(live);
  return true;
}

// Removes the node from those that may still answer; false if it was not among them.
bool RequestTracker::Settle(LiveRequest* live, int node) {
  if (node != kEveryNode) return live->waiting.Remove(node);
  live->waiting.Clear();
  return true;
}

void RequestTracker::RecordFailure(LiveRequest* live, const Status& why) {
  if (live->failure.ok()) live->failure = why;
}

// Nothing more is waited for.
bool RequestTracker::IsOver(const LiveRequest& live) {
  if (live.done || live.num_claims > 0) return false;
  return live.num_answers >= live.wanted || live.waiting.empty() || (!live.failure.ok() && !live.lent);
}

void RequestTracker::Close(LiveRequest* live) {
  live->done = true;
  live_.TakeFromOpen(live);
}

void RequestTracker::AddDone(const LiveRequest& live) {
  done_.push_back({live.sequence, live.timestamp});
  std::push_heap(done_.begin(), done_.end());
}

void RequestTracker::CheckDone(LiveRequest* live) {
  if (!IsOver(*live)) return;
  Close(live);
  AddDone(*live);
}

std::vector<RequestTracker::Overdue> RequestTracker::TakeOverdue(int64_t now_ms) {
  std::vector<Overdue> overdue;
  const LiveRequest* live = live_.first_open();
  for (; live != nullptr && live->deadline_ms <= now_ms; live = live_.NextOpen(live)) {
    overdue.push_back({live->timestamp, now_ms - live->issued_ms, live->waiting});
  }
  return overdue;
}

int64_t RequestTracker::next_deadline_ms() const {
  const LiveRequest* const first = live_.first_open();
  return first == nullptr ? kNever : first->deadline_ms;
}

std::optional<RequestTracker::Done> RequestTracker::TakeDone() {
  if (done_.empty()) return std::nullopt;
  std::pop_heap(done_.begin(), done_.end());
  LiveRequest* const live = live_.Find(done_.back().timestamp);
  done_.pop_back();
  if (done_.empty() && done_.capacity() > kKeptDone) done_ = {};
  return DoneOf(live);
}

RequestTracker::Done RequestTracker::DoneOf(LiveRequest* live) {
  return Done{live->timestamp, live->failure, std::move(live->sink), live->direct, !live->waiting.empty()};
}

void RequestTracker::Finish(const Done& done, const Status& outcome) {
  LiveRequest* const live = live_.Find(done.timestamp);
  if (live == nullptr) return;
  const bool observed = done.sink != nullptr && done.sink->observed();
  finished_.Record(done.timestamp, live->num_answers, outcome, observed);
  live_.Erase(live);
}

bool RequestTracker::Issued(int timestamp) const {
  return timestamp >= 0 && (wrapped_ || timestamp < next_timestamp_);
}

RequestTracker::State RequestTracker::Look(int timestamp) const {
  State state;
  const LiveRequest* const live = live_.Find(timestamp);
  if (live != nullptr) return {true, false, live->num_answers, &live->waiting};
  state.known = Issued(timestamp);
  state.finished = state.known;
  state.num_answers = finished_.NumAnswers(timestamp);
  return state;
}

}  // namespace ps
