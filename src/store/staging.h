#ifndef PS_STORE_STAGING_H_
#define PS_STORE_STAGING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "store/contribution.h"

namespace ps {

// Contributions that wait for their round, in the order in which rounds are summed: by worker, and of one
// worker by token. Pure: one thread.
class Staging {
 public:
  using Shared = std::shared_ptr<Contribution>;

  void Put(std::uint64_t token, Shared contribution);
  // One that is there.
  Shared Take(std::uint64_t round, int worker, std::uint64_t token);
  // Those of `round` and of workers below `worker` that were not told of yet, in order: they come next in the
  // sum.
  std::vector<Shared> TakeNextInSum(std::uint64_t round, int worker);
  // Those of `round`, of workers that are done with it, that are in no sum yet, whatever their order.
  std::vector<Shared> FindUnsummed(std::uint64_t round, const std::function<bool(int worker)>& is_done) const;

 private:
  using Place = std::tuple<std::uint64_t, int, std::uint64_t>;  // round, worker, token

  std::map<Place, Shared> waiting_;
  Place next_{0, 0, 0};  // those before it were told of
};

}  // namespace ps
#endif  // PS_STORE_STAGING_H_
