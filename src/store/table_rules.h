#ifndef PS_STORE_TABLE_RULES_H_
#define PS_STORE_TABLE_RULES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/checkpoint/record.h"
#include "store/op.h"
#include "store/reply.h"
#include "store/rule_book.h"
#include "store/rule_work.h"
#include "store/table_slots.h"
#include "store/table_work.h"

namespace ps {

// The rule of a table on one server: takes what is asked of it, keeps the book, and tells the slots. One
// thread at a time; between two of its calls is between two rounds.
class TableRules {
 public:
  // All but `rule` outlive it. The slots have this rule.
  TableRules(const TableSpec* spec, TableWork* work, const RuleWork& changes, TableSlots* slots,
             const TableRule& rule);
  // From a checkpoint: with what waited.
  Status GoOnFrom(std::vector<RuleChange> waiting);

  const TableRule& rule() const { return book_.rule(); }
  // kFailedPrecondition: there is no rule yet that contributions could go to.
  Status CheckMayAdd() const;
  // Of kOption and kUpdater. `next_round`: the first one that has not been applied; of tables that are not
  // kBsp always the same. Whoever is refused is told by the caller.
  Status SetOptions(const Op& op, std::uint64_t next_round, Reply& reply);
  Status SetUpdater(const Op& op, std::uint64_t next_round, const std::shared_ptr<Reply>& reply,
                    std::size_t index);
  // What changes with a round.
  void BeginRound(std::uint64_t round);
  // Another rule, or the same, with states that were loaded: TableSlots::WithRule has made them.
  void TakeStates(const TableRule& rule, std::shared_ptr<TableSlots> ready, std::uint64_t num_updates);
  // For a checkpoint.
  void Describe(TableRecord* record) const;

 private:
  bool is_bsp() const { return spec_.consistency.mode == Consistency::kBsp; }

  const TableSpec& spec_;
  TableSlots& slots_;
  TableWork& work_;
  RuleWork changes_;
  RuleBook book_;
};

}  // namespace ps
#endif  // PS_STORE_TABLE_RULES_H_
