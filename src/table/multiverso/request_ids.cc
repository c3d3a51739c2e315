#include "table/multiverso/request_ids.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "ps/status.h"

namespace multiverso {

void RequestIds::Request::Finish() {
  if (finish) std::call_once(finished, finish);
}

int RequestIds::Add(const ps::Ticket& ticket, std::function<void()> finish) {
  auto request = std::make_shared<Request>();
  request->ticket = ticket;
  request->finish = std::move(finish);
  int id = 0;
  bool is_full = false;
  {
    ps::MutexLock lock(mutex_);
    id = static_cast<int>(next_ % kIds);
    requests_.emplace(next_++, std::move(request));
    is_full = requests_.size() >= sweep_at_;
  }
  if (is_full) Sweep();
  return id;
}

// The latest one that had this id.
std::uint64_t RequestIds::NumberOf(int id) const {
  if (id >= 0) {
    std::uint64_t number = next_ / kIds * kIds + static_cast<std::uint64_t>(id);
    if (number >= next_ && number >= kIds) number -= kIds;
    if (number >= first_ && number < next_) return number;
  }
  throw ps::Error(ps::Status::InvalidArgument(
      "message id " + std::to_string(id) + " was never given; " +
      (next_ == first_ ? "there was no request yet"
                       : "the last one was " + std::to_string((next_ - 1) % kIds))));
}

void RequestIds::Wait(int id) {
  std::uint64_t number = 0;
  std::shared_ptr<Request> request;
  {
    ps::MutexLock lock(mutex_);
    number = NumberOf(id);
    const auto found = requests_.find(number);
    if (found == requests_.end()) return;
    request = found->second;
  }
  const auto forget = [this, number] {
    ps::MutexLock lock(mutex_);
    requests_.erase(number);
  };
  try {
    request->ticket.Wait();
  } catch (...) {
    if (request->ticket.Done()) forget();  // else the wait was refused, and it goes on
    throw;
  }
  request->Finish();
  forget();
}

std::size_t RequestIds::size() const {
  ps::MutexLock lock(mutex_);
  return requests_.size();
}

// Looks at all, which pays because their number has doubled since the last time. Nothing is forgotten before
// it has been finished, so that a Wait that finds nothing may return.
void RequestIds::Sweep() {
  Requests done;
  {
    ps::MutexLock lock(mutex_);
    for (const auto& [number, request] : requests_) {
      if (request->ticket.Done()) done.emplace(number, request);
    }
  }
  std::vector<std::uint64_t> succeeded;
  std::vector<std::uint64_t> failed;
  for (const auto& [number, request] : done) {
    const bool ok = request->ticket.WaitFor(std::chrono::milliseconds(0)).ok();
    if (ok) request->Finish();
    (ok ? succeeded : failed).push_back(number);
  }
  if (failed.size() > kMaxFailed)
    succeeded.insert(succeeded.end(), failed.begin(), failed.end() - static_cast<std::ptrdiff_t>(kMaxFailed));
  ps::MutexLock lock(mutex_);
  for (const std::uint64_t number : succeeded) requests_.erase(number);
  sweep_at_ = std::max(kFirstSweep, 2 * requests_.size());
}

}  // namespace multiverso
