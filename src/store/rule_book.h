#ifndef PS_STORE_RULE_BOOK_H_
#define PS_STORE_RULE_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/table_rule.h"

namespace ps {

class TableSlots;

// A change of a table's rule that holds from a round on.
struct RuleChange {
  std::uint64_t round = 0;
  bool is_rule = false;               // another rule; else options
  TableRule rule;                     // of a rule
  UpdaterOptions options;             // of options
  std::shared_ptr<TableSlots> ready;  // of a rule: memory for it, which is the table's affair
};

// Which rule a table has on one server, and which changes wait for their rounds. Pure: one thread.
//
// A new rule holds for all rounds from its own on, whenever it comes: one that is asked for again, in the
// same words as what holds there, changes nothing. Options are for the rule of their round. Those that wait
// when their rule is replaced are for the new one, if it has them.
class RuleBook {
 public:
  RuleBook(const TableSpec& spec, int num_workers, const TableRule& rule);
  // From a checkpoint: with what waited.
  void GoOnFrom(std::vector<RuleChange> waiting) { waiting_ = std::move(waiting); }

  // What holds now, and what waits, in the order in which it will hold.
  const TableRule& rule() const { return rule_; }
  const std::vector<RuleChange>& waiting() const { return waiting_; }

  // Whether in round `round` this is the rule already.
  bool Holds(const TableRule& asked, std::uint64_t round) const { return RuleOf(round).IsSameChoice(asked); }
  // From now on.
  void Replace(const TableRule& rule) { rule_ = rule; }
  // From `round` on, which is to come. kResourceExhausted: too many changes wait, for rounds that do not
  // come.
  Status ReplaceFrom(std::uint64_t round, const TableRule& rule, std::shared_ptr<TableSlots> ready);
  // From `round` on, where the next one is `next`. 0: at once; where another rule waits, with that one, which
  // they are meant for. kInvalidArgument: the rule of that round does not have them. Begin takes them.
  Status SetOptions(std::uint64_t round, std::uint64_t next, const UpdaterOptions& options);

  // `round` is the next one: what changes now, in order. `refused` tells which options the rule of their
  // round does not have.
  std::vector<RuleChange> Begin(std::uint64_t round, std::vector<Status>* refused);

 private:
  static constexpr std::size_t kMost = 1000;

  const TableRule& RuleOf(std::uint64_t round) const;
  Status Add(RuleChange&& change);

  const TableSpec spec_;
  const int num_workers_;
  TableRule rule_;
  std::vector<RuleChange> waiting_;  // by round, and of one round in the order of their coming
};

}  // namespace ps
#endif  // PS_STORE_RULE_BOOK_H_
