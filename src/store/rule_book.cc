#include "store/rule_book.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ps {

RuleBook::RuleBook(const TableSpec& spec, int num_workers, const TableRule& rule)
    : spec_(spec), num_workers_(num_workers), rule_(rule) {}

// Without the options that wait: they are looked at when they come to hold.
const TableRule& RuleBook::RuleOf(std::uint64_t round) const {
  const TableRule* rule = &rule_;
  for (const RuleChange& change : waiting_) {
    if (change.round > round) break;
    if (change.is_rule && !rule->IsSameChoice(change.rule)) rule = &change.rule;
  }
  return *rule;
}

Status RuleBook::Add(RuleChange&& change) {
  if (waiting_.size() >= kMost)
    return Status::ResourceExhausted("table '" + spec_.name + "': " + std::to_string(kMost) +
                                     " changes of its rule wait for their rounds already: make them closer "
                                     "to those");
  const auto behind =
      std::upper_bound(waiting_.begin(), waiting_.end(), change.round,
                       [](std::uint64_t round, const RuleChange& other) { return round < other.round; });
  waiting_.insert(behind, std::move(change));
  return Status::Ok();
}

Status RuleBook::ReplaceFrom(std::uint64_t round, const TableRule& rule, std::shared_ptr<TableSlots> ready) {
  return Add({round, true, rule, {}, std::move(ready)});
}

Status RuleBook::SetOptions(std::uint64_t round, std::uint64_t next, const UpdaterOptions& options) {
  std::uint64_t from = std::max(round, next);
  for (const RuleChange& change : waiting_) {
    if (round == 0 && change.is_rule) from = std::max(from, change.round);
  }
  TableRule rule = RuleOf(from);
  PS_RETURN_IF_ERROR(rule.Set(options, spec_, num_workers_));
  return Add({from, false, {}, options, nullptr});
}

std::vector<RuleChange> RuleBook::Begin(std::uint64_t round, std::vector<Status>* refused) {
  std::vector<RuleChange> due;
  std::size_t taken = 0;
  for (; taken < waiting_.size() && waiting_[taken].round <= round; ++taken) {
    RuleChange& change = waiting_[taken];
    if (change.is_rule) {
      if (rule_.IsSameChoice(change.rule)) continue;
      rule_ = change.rule;
    } else {
      const Status set = rule_.Set(change.options, spec_, num_workers_);
      if (!set.ok()) {
        refused->push_back(set);
        continue;
      }
    }
    due.push_back(std::move(change));
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  return due;
}

}  // namespace ps
