#include "store/table_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "store/gate.h"
#include "store/rule_bytes.h"

namespace ps {

TableRules::TableRules(const TableSpec* spec, TableWork* work, const RuleWork& changes, TableSlots* slots,
                       const TableRule& rule)
    : spec_(*spec),
      slots_(*slots),
      work_(*work),
      changes_(changes),
      book_(*spec, slots->place().num_workers, rule) {}

Status TableRules::GoOnFrom(std::vector<RuleChange> waiting) {
  for (RuleChange& change : waiting) {
    if (!change.is_rule) continue;
    Result<std::unique_ptr<TableSlots>> ready = slots_.WithRule(change.rule);
    PS_RETURN_IF_ERROR(ready.status());
    change.ready = std::move(ready).value();
  }
  book_.GoOnFrom(std::move(waiting));
  return Status::Ok();
}

Status TableRules::CheckMayAdd() const {
  if (!rule().is_none()) return Status::Ok();
  return Status::FailedPrecondition("Updater needs to be set for async mode: table '" + spec_.name +
                                    "' has none; call SetUpdater first");
}

Status TableRules::SetOptions(const Op& op, std::uint64_t next_round, Reply& reply) {
  const Result<UpdaterChoice> choice = ParseUpdater(rule().choice.name + " " + op.text);
  PS_RETURN_IF_ERROR(choice.status());
  PS_RETURN_IF_ERROR(book_.SetOptions(is_bsp() ? op.round : 0, next_round, choice.value().options));
  BeginRound(next_round);
  reply.Finish();
  return Status::Ok();
}

// With BSP it holds from the round on that follows those its sender has contributed to: the same on all
// servers, for no round closes without its sender.
Status TableRules::SetUpdater(const Op& op, std::uint64_t next_round, const std::shared_ptr<Reply>& reply,
                              std::size_t index) {
  const Result<TableRule> asked = DecodeRule(op.text);
  PS_RETURN_IF_ERROR(asked.status());
  if (op.round > Gate::kMaxRound)
    return Status::InvalidArgument("round " + std::to_string(op.round) + " is beyond all rounds");
  const TableRule rule{asked.value().choice, asked.value().multi_precision, {}};
  const std::uint64_t from = is_bsp() ? std::max(op.round + op.parts, next_round) : next_round;
  if (book_.Holds(rule, from)) {
    reply->Finish();
    return Status::Ok();
  }
  Result<std::unique_ptr<TableSlots>> made = slots_.WithRule(rule);
  PS_RETURN_IF_ERROR(made.status());
  std::shared_ptr<TableSlots> ready = std::move(made).value();
  if ((op.flags & Op::kAsk) != 0) {
    changes_.AskRoom(std::move(ready), reply, index);
  } else if (from > next_round) {
    PS_RETURN_IF_ERROR(book_.ReplaceFrom(from, rule, std::move(ready)));
    reply->Finish();
  } else {
    book_.Replace(rule);
    work_.CountFrom(0);
    changes_.Change(std::move(ready), reply, index);
  }
  return Status::Ok();
}

void TableRules::BeginRound(std::uint64_t round) {
  std::vector<Status> refused;
  for (const RuleChange& change : book_.Begin(round, &refused)) {
    if (change.is_rule) {
      work_.CountFrom(0);
      changes_.Change(change.ready, nullptr, 0);
    } else {
      changes_.Configure(change.options);
    }
  }
  // Who has sent them was told that the rule before had them.
  for (const Status& why : refused)
    PS_LOG(kWarning, "",
           "table '" << spec_.name << "', round " << round
                     << ": options that were to hold from here on are left out: " << why);
}

void TableRules::TakeStates(const TableRule& rule, std::shared_ptr<TableSlots> ready,
                            std::uint64_t num_updates) {
  book_.Replace(rule);
  work_.CountFrom(static_cast<std::int64_t>(num_updates));
  changes_.Change(std::move(ready), nullptr, 0);
}

void TableRules::Describe(TableRecord* record) const {
  record->rule = rule();
  record->waiting = book_.waiting();
  for (RuleChange& change : record->waiting) change.ready = nullptr;  // the table's own
  record->num_states = rule().Make(spec_, slots_.place().num_workers).value()->NumStates();
}

}  // namespace ps
