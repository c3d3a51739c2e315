#include "store/checkpoint/record.h"

#include <limits>
#include <utility>

#include "checkpoint.pb.h"
#include "store/partition.h"
#include "store/rule_bytes.h"
#include "store/spec_bytes.h"

namespace ps {
namespace {

constexpr int kMaxStates = 1 << 16;  // some rules keep one for each worker

Status Check(const TableRecord& record) {
  const TableSpec& spec = record.spec;
  const std::uint64_t units =
      spec.kind == TableSpec::kHash ? Partition::kNumSlots : static_cast<std::uint64_t>(spec.rows);
  if (record.num_states < 0 || record.num_states > kMaxStates || record.range.begin() > record.range.end() ||
      record.range.end() > units) {
    return Status::InvalidArgument("the record of table `" + spec.name + "` cannot be");
  }
  return Status::Ok();
}

// `difference` is empty where there is none.
Status Differs(const std::string& table, const std::string& difference) {
  if (difference.empty()) return Status::Ok();
  return Status::InvalidArgument("the checkpoint's table `" + table +
                                 "` is another one than that of the job: " + difference);
}

// Checkpoints of before there were rules of their own have none.
Status DecodeRules(const stored::TableRecord& in, TableRecord* record) {
  if (!in.rule().empty()) {
    Result<TableRule> rule = DecodeRule(in.rule());
    PS_RETURN_IF_ERROR(rule.status());
    record->rule = std::move(rule).value();
  }
  for (const std::string& bytes : in.waiting()) {
    Result<RuleChange> change = DecodeRuleChange(bytes);
    PS_RETURN_IF_ERROR(change.status());
    record->waiting.push_back(std::move(change).value());
  }
  return Status::Ok();
}

// `rule`: as which it is looked at.
Status CheckAs(const TableRecord& saved, const TableSpec& mine, const TableRule& rule) {
  // What may differ is taken from mine.
  TableSpec same = mine;
  same.name = saved.spec.name;
  same.dtype = saved.spec.dtype;
  same.kind = saved.spec.kind;
  same.rows = saved.spec.rows;
  same.width = saved.spec.width;
  same.updater = rule.choice.name;
  same.multi_precision = rule.multi_precision;
  return Differs(saved.spec.name, same.DifferenceTo(mine));
}

}  // namespace

std::size_t TableRecord::RowBytes() const {
  return static_cast<std::size_t>(spec.width) * SizeOf(MasterOf(spec.dtype)) *
         static_cast<std::size_t>(1 + num_states);
}

std::string EncodeTableRecord(const TableRecord& record) {
  stored::TableRecord out;
  out.set_spec(EncodeSpec(record.spec));
  out.set_num_states(record.num_states);
  out.set_begin(record.range.begin());
  out.set_end(record.range.end());
  out.set_version(record.version);
  out.set_num_updates(record.num_updates);
  out.set_rounds_closed(record.gate.version);
  out.set_num_dropped(record.gate.num_dropped);
  for (const GateState::Clock& clock : record.gate.clocks) {
    stored::Clock* const to = out.add_clocks();
    to->set_completed(clock.completed);
    to->set_last(clock.last);
  }
  if (!record.rule.choice.name.empty()) out.set_rule(EncodeRule(record.rule));
  for (const RuleChange& change : record.waiting) out.add_waiting(EncodeRuleChange(change));
  return out.SerializeAsString();
}

Result<TableRecord> DecodeTableRecord(std::string_view bytes) {
  stored::TableRecord in;
  if (bytes.empty() || bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Status::InvalidArgument("bytes that are no record of a table");
  }
  Result<TableSpec> spec = DecodeSpec(in.spec());
  if (!spec.ok()) return spec.status();
  TableRecord record;
  record.spec = std::move(spec.value());
  record.num_states = in.num_states();
  record.range = Range(in.begin(), in.end());
  record.version = in.version();
  record.num_updates = in.num_updates();
  record.gate.version = in.rounds_closed();
  record.gate.num_dropped = in.num_dropped();
  for (const stored::Clock& clock : in.clocks())
    record.gate.clocks.push_back({clock.completed(), clock.last()});
  PS_RETURN_IF_ERROR(DecodeRules(in, &record));
  PS_RETURN_IF_ERROR(Check(record));
  return record;
}

Result<TableRule> RuleToRestore(const TableRecord& saved, const TableSpec& mine) {
  const TableRule made = TableRule::Of(mine);
  TableRule in_force = saved.RuleInForce();
  const bool goes_on = made.IsSameChoice(TableRule::Of(saved.spec)) || made.IsSameChoice(in_force);
  PS_RETURN_IF_ERROR(CheckAs(saved, mine, goes_on ? made : in_force));
  return goes_on ? in_force : made;
}

Status CheckStates(const TableRecord& saved, const TableSpec& mine, const TableRule& rule) {
  return CheckAs(saved, rule.In(mine), saved.RuleInForce());
}

Status CheckNumStates(const TableRecord& saved, int num_states) {
  if (saved.num_states == num_states) return Status::Ok();
  return Differs(saved.spec.name, "states of the updater: " + std::to_string(saved.num_states) + " and " +
                                      std::to_string(num_states));
}

}  // namespace ps
