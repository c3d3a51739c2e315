#ifndef PS_STORE_READ_MEMORY_H_
#define PS_STORE_READ_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "ps/store.h"

namespace ps {

// Which version of each row a buffer holds. Versions are a server's; with another epoch of it they begin
// anew. Thread-safe.
class ReadMemory::Impl {
 public:
  // The rows of one server that a read asks for, apart: those never seen are to be read as they are, the
  // others if they have changed since `since`.
  struct Plan {
    std::vector<std::uint32_t> unseen;  // places in the list
    std::vector<std::uint32_t> seen;
    std::uint64_t since = 0;  // of `seen`: the least
    std::uint64_t epoch = 0;
  };
  Plan PlanOf(int server, const std::uint64_t* rows, std::size_t count);
  // The same for all rows of a server; `since` 0: never seen.
  Plan PlanOfAll(int server);

  void SawAll(int server, std::uint64_t version, std::uint64_t epoch);
  void Saw(int server, const std::vector<std::uint64_t>& rows, std::uint64_t version, std::uint64_t epoch);
  void Forget();

 private:
  struct OfServer {
    std::uint64_t epoch = 0;
    std::uint64_t all = 0;  // every row has been seen at least at this version
    std::unordered_map<std::uint64_t, std::uint64_t> single;  // rows that were seen later
  };
  OfServer& Of(int server) PS_REQUIRES(mutex_);
  OfServer& OfEpoch(int server, std::uint64_t epoch) PS_REQUIRES(mutex_);

  Mutex mutex_;
  std::vector<OfServer> servers_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps
#endif  // PS_STORE_READ_MEMORY_H_
