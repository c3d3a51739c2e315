#include "app/finished_requests.h"

#include <algorithm>
#include <sstream>

namespace ps {
namespace {

constexpr std::size_t kNamed = 8;  // timestamps a log line names

}  // namespace

FinishedRequests::FinishedRequests() : last_(kRemembered) {}

void FinishedRequests::RecordFailure(int timestamp, const Status& status, bool observed) {
  failures_[timestamp] = {status, observed};
  failure_order_.push_back(timestamp);
  if (failure_order_.size() > kRememberedFailures) DropOldestFailure();
}

void FinishedRequests::DropOldestFailure() {
  const auto oldest = failures_.find(failure_order_.front());
  failure_order_.pop_front();
  if (oldest == failures_.end()) return;
  if (!oldest->second.observed) ++unobserved_dropped_;
  failures_.erase(oldest);
}

void FinishedRequests::Forget(int timestamp) {
  Entry& entry = last_[SlotOf(timestamp)];
  if (entry.timestamp == timestamp) entry = Entry();
  failures_.erase(timestamp);
}

Status FinishedRequests::TellOutcome(int timestamp) {
  const auto failure = failures_.find(timestamp);
  if (failure == failures_.end()) return Status::Ok();
  failure->second.observed = true;
  return failure->second.status;
}

int FinishedRequests::NumAnswers(int timestamp) const {
  const Entry& entry = last_[SlotOf(timestamp)];
  return entry.timestamp == timestamp ? entry.num_answers : -1;
}

std::string FinishedRequests::TellUnobserved() {
  std::vector<int> timestamps;
  for (auto& failure : failures_) {
    if (!failure.second.observed) timestamps.push_back(failure.first);
    failure.second.observed = true;
  }
  const std::size_t count = timestamps.size() + unobserved_dropped_;
  unobserved_dropped_ = 0;
  if (count == 0) return "";
  std::sort(timestamps.begin(), timestamps.end());
  std::ostringstream text;
  text << count
       << (count == 1 ? " request that nobody waited for failed" : " requests that nobody waited for failed");
  if (timestamps.empty()) return text.str();
  text << " (timestamp";
  for (std::size_t i = 0; i < std::min(kNamed, timestamps.size()); ++i)
    text << (i == 0 ? " " : ", ") << timestamps[i];
  text << (count > kNamed ? ", ...)" : ")") << ", the first with " << failures_[timestamps.front()].status;
  return text.str();
}

}  // namespace ps
