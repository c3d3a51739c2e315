#include "app/request_tracker.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ps {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

}  // namespace

int RequestTracker::Issue(Request request, int64_t now_ms, int64_t timeout_ms) {
  int timestamp = TakeTimestamp();
  while (live_.count(timestamp) != 0) timestamp = TakeTimestamp();
  if (wrapped_) finished_.Forget(timestamp);

  Live& live = live_[timestamp];
  live.wanted = request.receivers.size();
  live.request = std::move(request);
  live.issued_ms = now_ms;
  live.deadline_ms = timeout_ms == 0 ? kNever : now_ms + timeout_ms;
  live.sequence = next_sequence_++;
  live.place = open_.insert(open_.end(), timestamp);
  CheckDone(timestamp, &live);
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
  const auto it = live_.find(timestamp);
  if (it == live_.end()) {
    if (!Issued(timestamp)) return expectation;
    expectation.verdict = finished_.Failed(timestamp) ? Expectation::kLate : Expectation::kExtra;
    return expectation;
  }
  Live& live = it->second;
  const auto& waiting = live.request.receivers;
  if (!live.done && std::find(waiting.begin(), waiting.end(), node) != waiting.end()) {
    expectation.verdict = Expectation::kExpected;
    expectation.sink = live.request.sink;
    expectation.claimed = taker == Taker::kReceiver && live.request.direct;
    if (expectation.claimed) ++live.num_claims;
  } else {
    expectation.verdict = live.failure.ok() ? Expectation::kExtra : Expectation::kLate;
  }
  return expectation;
}

void RequestTracker::Count(int timestamp, int node, const Status& outcome) {
  const auto it = live_.find(timestamp);
  if (it == live_.end() || it->second.done || !Settle(&it->second, node)) return;
  ++it->second.num_answers;
  if (!outcome.ok()) RecordFailure(&it->second, outcome);
  CheckDone(timestamp, &it->second);
}

RequestTracker::Answered RequestTracker::Answer(int timestamp, int node, const Status& outcome, Taker taker) {
  if (taker == Taker::kThread) {
    Count(timestamp, node, outcome);
    return {};
  }
  Live& live = live_.find(timestamp)->second;  // a claimed request stays
  --live.num_claims;
  Count(timestamp, node, outcome);
  CheckDone(timestamp, &live);  // it may have failed meanwhile
  if (!live.done) return {};
  // What is left of it somewhere has to be called back first.
  if (!live.request.receivers.empty()) return {std::nullopt, true};
  done_.erase(live.sequence);
  return {DoneOf(timestamp, &live), false};
}

void RequestTracker::Fail(int timestamp, int node, const Status& why, uint64_t before) {
  if (timestamp != kEveryRequest) return FailOne(timestamp, node, why);
  const std::vector<int> open(open_.begin(), open_.end());
  for (int each : open) {
    if (live_.find(each)->second.sequence < before) FailOne(each, node, why);
  }
}

void RequestTracker::FailOne(int timestamp, int node, const Status& why) {
  const auto it = live_.find(timestamp);
  if (it == live_.end() || it->second.done || !Settle(&it->second, node)) return;
  RecordFailure(&it->second, why);
  CheckDone(timestamp, &it->second);
}

bool RequestTracker::Credit(int timestamp, int num) {
  const auto it = live_.find(timestamp);
  if (it == live_.end()) return false;
  it->second.num_answers += num;
  CheckDone(timestamp, &it->second);
  return true;
}

// Removes the node from those that may still answer; false if it was not among them.
bool RequestTracker::Settle(Live* live, int node) {
  std::vector<int>& waiting = live->request.receivers;
  if (node == kEveryNode) {
    waiting.clear();
    return true;
  }
  const auto it = std::find(waiting.begin(), waiting.end(), node);
  if (it == waiting.end()) return false;
  *it = waiting.back();
  waiting.pop_back();
  return true;
}

void RequestTracker::RecordFailure(Live* live, const Status& why) {
  if (live->failure.ok()) live->failure = why;
}

void RequestTracker::CheckDone(int timestamp, Live* live) {
  if (live->done || live->num_claims > 0) return;
  const bool answered = live->num_answers >= static_cast<int>(live->wanted);
  const bool over = live->request.receivers.empty() || (!live->failure.ok() && !live->request.lent);
  if (!answered && !over) return;
  live->done = true;
  open_.erase(live->place);
  done_.emplace(live->sequence, timestamp);
}

std::vector<RequestTracker::Overdue> RequestTracker::TakeOverdue(int64_t now_ms) {
  std::vector<Overdue> overdue;
  for (int timestamp : open_) {
    const Live& live = live_.find(timestamp)->second;
    if (live.deadline_ms > now_ms) break;
    overdue.push_back({timestamp, now_ms - live.issued_ms, live.request.receivers});
  }
  return overdue;
}

int64_t RequestTracker::next_deadline_ms() const {
  return open_.empty() ? kNever : live_.find(open_.front())->second.deadline_ms;
}

std::optional<RequestTracker::Done> RequestTracker::TakeDone() {
  if (done_.empty()) return std::nullopt;
  const int timestamp = done_.begin()->second;
  done_.erase(done_.begin());
  return DoneOf(timestamp, &live_.find(timestamp)->second);
}

RequestTracker::Done RequestTracker::DoneOf(int timestamp, Live* live) const {
  return Done{timestamp, live->failure, std::move(live->request.sink), live->request.direct,
              !live->request.receivers.empty()};
}

void RequestTracker::Finish(const Done& done, const Status& outcome) {
  const auto it = live_.find(done.timestamp);
  if (it == live_.end()) return;
  const bool observed = done.sink != nullptr && done.sink->observed();
  finished_.Record(done.timestamp, it->second.num_answers, outcome, observed);
  live_.erase(it);
}

bool RequestTracker::Issued(int timestamp) const {
  return timestamp >= 0 && (wrapped_ || timestamp < next_timestamp_);
}

RequestTracker::State RequestTracker::Look(int timestamp) const {
  State state;
  const auto it = live_.find(timestamp);
  if (it != live_.end()) return {true, false, it->second.num_answers, &it->second.request.receivers};
  state.known = Issued(timestamp);
  state.finished = state.known;
  state.num_answers = finished_.NumAnswers(timestamp);
  return state;
}

}  // namespace ps
