#ifndef PS_STORE_RULE_WORK_H_
#define PS_STORE_RULE_WORK_H_

#include <cstddef>
#include <memory>

#include "store/reply.h"
#include "store/table_lanes.h"
#include "store/table_slots.h"

namespace ps {

// Posts what was decided about the rule of a table to the lanes of its slots, as TableWork does with all
// else: each slot comes to it in the order of the calls. One thread at a time.
class RuleWork {
 public:
  // Both outlive it.
  RuleWork(TableSlots* slots, TableLanes* lanes) : slots_(*slots), lanes_(*lanes) {}

  // From here on each slot has the rule and the states of `next` (TableSlots::WithRule), and its own values.
  // `reply` is told when all have; null: nobody is.
  void Change(std::shared_ptr<TableSlots> next, const std::shared_ptr<Reply>& reply, std::size_t op);
  // Tells whether there is memory for that; nothing changes.
  void AskRoom(std::shared_ptr<TableSlots> next, const std::shared_ptr<Reply>& reply, std::size_t op);
  // From here on the updater has these options. They were checked.
  void Configure(const UpdaterOptions& options);

 private:
  TableSlots& slots_;
  TableLanes& lanes_;
};

}  // namespace ps
#endif  // PS_STORE_RULE_WORK_H_
