#ifndef PS_STORE_TABLE_LANES_H_
#define PS_STORE_TABLE_LANES_H_

#include <atomic>
#include <utility>

#include "store/executors.h"
#include "store/table_slots.h"

namespace ps {

// Where the work of one table runs: what is posted for a slot runs on its lane, in the order posted. The
// inline lane is left for the lane apart while whoever posts must not run it: as long as the slot's rule is a
// user's, and when it is saved, which may wait for the disk. A slot comes back when all that was posted there
// is done, so nothing overtakes. One thread at a time; outlives what is posted.
class TableLanes {
 public:
  explicit TableLanes(Executors* executors) : executors_(*executors) {}
  TableLanes(const TableLanes&) = delete;
  TableLanes& operator=(const TableLanes&) = delete;

  template <typename Code>
  void Post(const TableSlots::Slot& slot, Code&& code) {
    // A slot belongs to whoever posts as long as nothing is away.
    const bool is_apart = executors_.IsInline(slot.lane) && (num_away_.load() != 0 || !slot.is_builtin);
    if (is_apart) return PostApart(slot, std::forward<Code>(code));
    executors_.Post(slot.lane, std::forward<Code>(code));
  }
  // What may block.
  template <typename Code>
  void PostApart(const TableSlots::Slot& slot, Code&& code) {
    if (!executors_.IsInline(slot.lane)) return executors_.Post(slot.lane, std::forward<Code>(code));
    num_away_.fetch_add(1);
    executors_.Post(executors_.LaneApart(), [this, code = std::forward<Code>(code)]() mutable {
      const Away until_done(&num_away_);
      code();
    });
  }

 private:
  // Is away no more at its end, whatever the code throws.
  class Away {
   public:
    explicit Away(std::atomic<int>* count) : count_(*count) {}
    ~Away() { count_.fetch_sub(1); }
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;

   private:
    std::atomic<int>& count_;
  };

  Executors& executors_;
  std::atomic<int> num_away_{0};  // tasks on the lane apart that are not done
};

}  // namespace ps
#endif  // PS_STORE_TABLE_LANES_H_
