#ifndef PS_STORE_CHECKPOINT_RECORD_H_
#define PS_STORE_CHECKPOINT_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ps/range.h"
#include "ps/status.h"
#include "ps/table_spec.h"
#include "store/gate.h"
#include "store/rule_book.h"
#include "store/table_rule.h"

namespace ps {

// What a server knows of a table beside its rows. A plain value.
struct TableRecord {
  TableSpec spec;                   // as it was made
  TableRule rule;                   // in force; without a name: that of the spec
  std::vector<RuleChange> waiting;  // for later rounds
  int num_states = 0;               // Updater::NumStates of the rule in force
  Range range;                      // of rows or slots: Partition::RangeOf the server
  std::uint64_t version = 0;        // Shard::version
  std::uint64_t num_updates = 0;    // UpdateContext::count of the last one
  GateState gate;

  // What a program's own code has saved: rows are bytes, counted from 0 at each server.
  bool IsOfBytes() const { return spec.kind == TableSpec::kUser; }
  // Bytes of a row in a piece: the master dtype, with the states.
  std::size_t RowBytes() const;
  TableRule RuleInForce() const { return rule.choice.name.empty() ? TableRule::Of(spec) : rule; }
};

std::string EncodeTableRecord(const TableRecord& record);
// Any bytes may come: kInvalidArgument.
Result<TableRecord> DecodeTableRecord(std::string_view bytes);

// Whether rows of `saved` may become rows of the table `mine`, and with which rule it goes on: equal in shape
// and types, and either made with the same rule, or with the one that was in force; then that, with what was
// set since, is in force again. Or made with the same updater and other options, which hold then. How it was
// shared, read and sent does not matter. kInvalidArgument names the first difference.
Result<TableRule> RuleToRestore(const TableRecord& saved, const TableSpec& mine);
// Whether states of `saved` are such as this rule keeps in a table of the shape and types of `mine`.
Status CheckStates(const TableRecord& saved, const TableSpec& mine, const TableRule& rule);
// Its updater keeps as many states: some rules keep one for each worker.
Status CheckNumStates(const TableRecord& saved, int num_states);

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_RECORD_H_
