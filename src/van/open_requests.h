#ifndef PS_VAN_OPEN_REQUESTS_H_
#define PS_VAN_OPEN_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "van/send_queue.h"

namespace ps {

// The requests that one peer has not answered, by reference and in order of issue: when it comes back as a
// new incarnation they go to it as new ones (PS_ON_NODE_LOST=wait). Pure.
class OpenRequests {
 public:
  static constexpr int kEveryTimestamp = -1;

  void Keep(const Outgoing& request);
  // The peer has answered: the oldest request of that name is done.
  void Answered(const Header& answer);
  // Nobody waits for the answer any more. Returns the bytes of each that was forgotten.
  std::vector<uint64_t> Forget(int app_id, int customer_id, int timestamp = kEveryTimestamp);
  // Takes out those that were issued `before_ms` or earlier.
  std::vector<Outgoing> TakeIssuedBefore(int64_t before_ms);
  std::vector<Outgoing> TakeAll();

  // The bytes of each.
  std::vector<uint64_t> Sizes() const;
  // When the oldest was issued; only if not empty.
  int64_t oldest_ms() const { return requests_.begin()->second.queued_ms; }
  bool empty() const { return requests_.empty(); }
  std::size_t size() const { return requests_.size(); }

 private:
  using Name = std::tuple<int, int, int>;  // app, customer, timestamp

  static Name NameOf(const Header& header) { return {header.app_id, header.customer_id, header.timestamp}; }
  void Erase(std::map<uint64_t, Outgoing>::iterator request);

  uint64_t last_number_ = 0;
  std::map<uint64_t, Outgoing> requests_;
  std::multimap<Name, uint64_t> number_of_;
};

}  // namespace ps
#endif  // PS_VAN_OPEN_REQUESTS_H_
