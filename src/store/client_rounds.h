#ifndef PS_STORE_CLIENT_ROUNDS_H_
#define PS_STORE_CLIENT_ROUNDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "ps/table_spec.h"

namespace ps {

// The rounds of one worker on one table: what its calls are stamped with. With kAsp nobody waits for others,
// so that each server counts what it was sent alone; else a round is the same on all. Thread-safe.
class ClientRounds {
 public:
  ClientRounds(const TableSpec& spec, int num_servers);

  // The servers have so many.
  void GoOnFrom(const std::vector<std::uint64_t>& rounds);
  // The round of a contribution to `servers`: where rounds are counted, and at each of them. With auto_close
  // it ends with it.
  struct Stamp {
    std::uint64_t round = 0;
    std::vector<std::uint64_t> at;
  };
  Stamp Contribute(const std::vector<int>& servers);
  // What a read at this server is tagged with.
  std::uint64_t RoundAt(int server);
  // Whether something was contributed to the open round; then its number is RoundAt + 1.
  bool IsOpen();
  // Ends the open round.
  struct Closed {
    std::uint64_t round = 0;
    std::vector<std::uint32_t> parts;  // by server
  };
  Closed Close();
  bool are_counted() const { return are_counted_; }

 private:
  const bool are_counted_;
  const bool auto_close_;
  Mutex mutex_;
  std::uint64_t round_ PS_GUARDED_BY(mutex_) = 0;           // that have ended
  std::vector<std::uint64_t> sent_ PS_GUARDED_BY(mutex_);   // kAsp: contributions, by server
  std::vector<std::uint32_t> parts_ PS_GUARDED_BY(mutex_);  // of the open round, by server
};

}  // namespace ps
#endif  // PS_STORE_CLIENT_ROUNDS_H_
