#ifndef PS_STORE_WAITING_CALLS_H_
#define PS_STORE_WAITING_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "ps/status.h"
#include "store/served_table.h"

namespace ps {

// What was asked of tables of a program's own code before they were registered: by table, in order. Pure: one
// thread at a time.
class WaitingCalls {
 public:
  struct Call {
    int worker = 0;
    std::uint64_t incarnation = 0;  // its life
    ServedTable::Request request;
  };
  static constexpr std::size_t kMaxCalls = 10000;
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

  // kResourceExhausted: too many wait; what Refuse was told.
  Status Add(Call&& call);
  // Those of a table: it has come.
  std::vector<Call> Take(std::uint64_t table);
  // It could not be made: its calls fail, and those that come until it is taken.
  void Refuse(std::uint64_t table, const Status& why);
  // Those of a worker fail: it is gone.
  void DropOf(int worker, const Status& why);
  // All fail.
  void DropAll(const Status& why);

 private:
  template <typename IsMeant>
  void Drop(IsMeant is_meant, const Status& why);
  static std::size_t BytesOf(const Call& call);

  std::map<std::uint64_t, std::vector<Call>> calls_;
  std::map<std::uint64_t, Status> refused_;  // few: of tables that the program makes
  std::size_t num_calls_ = 0;
  std::size_t num_bytes_ = 0;
};

}  // namespace ps
#endif  // PS_STORE_WAITING_CALLS_H_
