#include "store/staging.h"

#include <algorithm>
#include <utility>

namespace ps {

void Staging::Put(std::uint64_t token, Shared contribution) {
  const Place place{contribution->round, contribution->worker, token};
  waiting_.emplace(place, std::move(contribution));
}

Staging::Shared Staging::Take(std::uint64_t round, int worker, std::uint64_t token) {
  const auto found = waiting_.find({round, worker, token});
  Shared contribution = std::move(found->second);
  waiting_.erase(found);
  return contribution;
}

std::vector<Staging::Shared> Staging::TakeNextInSum(std::uint64_t round, int worker) {
  std::vector<Shared> next;
  const Place begin = std::max(Place{round, 0, 0}, next_);
  for (auto found = waiting_.lower_bound(begin); found != waiting_.end(); ++found) {
    const auto& [of_round, of_worker, token] = found->first;
    if (of_round != round || of_worker >= worker) break;
    next.push_back(found->second);
    next_ = {of_round, of_worker, token + 1};
  }
  return next;
}

std::vector<Staging::Shared> Staging::FindUnsummed(std::uint64_t round,
                                                   const std::function<bool(int worker)>& is_done) const {
  std::vector<Shared> found;
  for (auto next = waiting_.lower_bound({round, 0, 0}); next != waiting_.end(); ++next) {
    const auto& [of_round, of_worker, token] = next->first;
    if (of_round != round) break;
    if (!next->second->is_folded && is_done(of_worker)) found.push_back(next->second);
  }
  return found;
}

}  // namespace ps
