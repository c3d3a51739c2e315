#ifndef PS_TABLE_MULTIVERSO_REQUEST_IDS_H_
#define PS_TABLE_MULTIVERSO_REQUEST_IDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/mutex.h"
#include "ps/ticket.h"

namespace multiverso {

// Message ids: numbers of the requests of one table that are under way, for Wait. What nobody waits for is
// forgotten when it is done. Thread-safe.
class RequestIds {
 public:
  // Ids go from 0 to here, and begin again.
  static constexpr std::uint64_t kIds = std::uint64_t{1} << 31;

  // `first`: for tests.
  explicit RequestIds(std::uint64_t first = 0) : first_(first), next_(first) {}

  // A request has begun. `finish`, where there is one, runs once when it has succeeded, at the latest before
  // Wait returns: on the thread of Wait, or of a later Add.
  int Add(const ps::Ticket& ticket, std::function<void()> finish = nullptr);
  // Throws ps::Error: how the request ended, or kInvalidArgument where the id was never given. One that has
  // been waited for, or was forgotten, is done: returns at once.
  void Wait(int id);
  // Those that are kept.
  std::size_t size() const;

 private:
  struct Request {
    ps::Ticket ticket;
    std::function<void()> finish;
    std::once_flag finished;

    void Finish();
  };
  using Requests = std::map<std::uint64_t, std::shared_ptr<Request>>;

  // Failed ones are kept for who waits; the oldest of more than these are forgotten.
  static constexpr std::size_t kMaxFailed = 1000;
  static constexpr std::size_t kFirstSweep = 64;

  std::uint64_t NumberOf(int id) const PS_REQUIRES(mutex_);
  void Sweep();

  mutable ps::Mutex mutex_;
  const std::uint64_t first_;
  std::uint64_t next_ PS_GUARDED_BY(mutex_);
  Requests requests_ PS_GUARDED_BY(mutex_);
  std::size_t sweep_at_ PS_GUARDED_BY(mutex_) = kFirstSweep;  // requests
};

}  // namespace multiverso

#endif  // PS_TABLE_MULTIVERSO_REQUEST_IDS_H_
