#include "store/waiting_calls.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ps {

std::size_t WaitingCalls::BytesOf(const Call& call) {
  const ServedTable::Request& request = call.request;
  return request.keys.size() * sizeof(Key) + request.vals.size() + request.op.text.size();
}

Status WaitingCalls::Add(Call&& call) {
  if (const auto refused = refused_.find(call.request.op.table); refused != refused_.end())
    return refused->second;
  const std::size_t bytes = BytesOf(call);
  if (num_calls_ == kMaxCalls || bytes > kMaxBytes - num_bytes_)
    return Status::ResourceExhausted(std::to_string(num_calls_) + " calls (" + std::to_string(num_bytes_) +
                                     " bytes) wait already for tables that no program has registered here");
  calls_[call.request.op.table].push_back(std::move(call));
  ++num_calls_;
  num_bytes_ += bytes;
  return Status::Ok();
}

std::vector<WaitingCalls::Call> WaitingCalls::Take(std::uint64_t table) {
  refused_.erase(table);
  const auto found = calls_.extract(table);
  if (found.empty()) return {};
  num_calls_ -= found.mapped().size();
  for (const Call& call : found.mapped()) num_bytes_ -= BytesOf(call);
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
      num_bytes_ -= BytesOf(*call);
    }
    calls.erase(dropped, calls.end());
    at = calls.empty() ? calls_.erase(at) : std::next(at);
  }
}

void WaitingCalls::Refuse(std::uint64_t table, const Status& why) {
  Drop([table](const Call& call) { return call.request.op.table == table; }, why);
  refused_.insert_or_assign(table, why);
}

void WaitingCalls::DropOf(int worker, const Status& why) {
  Drop([worker](const Call& call) { return call.worker == worker; }, why);
}

void WaitingCalls::DropAll(const Status& why) {
  Drop([](const Call&) { return true; }, why);
}

}  // namespace ps
