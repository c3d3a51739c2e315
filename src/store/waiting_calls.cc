#include "store/waiting_calls.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ps {

Status WaitingCalls::Add(Call&& call) {
  if (num_calls_ == kMaxCalls)
    return Status::ResourceExhausted(std::to_string(kMaxCalls) +
                                     " calls wait already for tables that no program has registered here");
  ++num_calls_;
  calls_[call.request.op.table].push_back(std::move(call));
  return Status::Ok();
}

std::vector<WaitingCalls::Call> WaitingCalls::Take(std::uint64_t table) {
  const auto found = calls_.extract(table);
  if (found.empty()) return {};
  num_calls_ -= found.mapped().size();
  return std::move(found.mapped());
}

template <typename IsMeant>
void WaitingCalls::Drop(IsMeant is_meant, const Status& why) {
  for (auto at = calls_.begin(); at != calls_.end();) {
    std::vector<Call>& calls = at->second;
    const auto dropped =
        std::stable_partition(calls.begin(), calls.end(), [&](const Call& call) { return !is_meant(call); });
    for (auto call = dropped; call != calls.end(); ++call) {
      call->request.reply->Fail(call->request.index, why);
      call->request.reply->Finish();
      --num_calls_;
    }
    calls.erase(dropped, calls.end());
    at = calls.empty() ? calls_.erase(at) : std::next(at);
  }
}

void WaitingCalls::DropOf(int worker, const Status& why) {
  Drop([worker](const Call& call) { return call.worker == worker; }, why);
}

void WaitingCalls::DropAll(const Status& why) {
  Drop([](const Call&) { return true; }, why);
}

}  // namespace ps
