#ifndef PS_STORE_LATE_OPTIONS_H_
#define PS_STORE_LATE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ps/status.h"
#include "ps/updater.h"

namespace ps {

// Options of a table's updater that are to hold from a later round on. Pure: one thread.
class LateOptions {
 public:
  // kResourceExhausted: too many wait, which somebody has sent for rounds that do not come.
  Status Add(std::uint64_t from_round, const UpdaterOptions& options) {
    if (waiting_.size() >= kMost)
      return Status::ResourceExhausted(std::to_string(kMost) +
                                       " options wait for their rounds already: set options closer to them");
    waiting_.emplace(from_round, options);
    return Status::Ok();
  }
  // Those that hold in `round`, in order of their rounds, and of their coming.
  std::vector<UpdaterOptions> TakeUntil(std::uint64_t round) {
    const auto end = waiting_.upper_bound(round);
    std::vector<UpdaterOptions> due;
    for (auto next = waiting_.begin(); next != end; ++next) due.push_back(std::move(next->second));
    waiting_.erase(waiting_.begin(), end);
    return due;
  }

 private:
  static constexpr std::size_t kMost = 1000;

  std::multimap<std::uint64_t, UpdaterOptions> waiting_;  // by round
};

}  // namespace ps
#endif  // PS_STORE_LATE_OPTIONS_H_
