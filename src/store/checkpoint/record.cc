#include "store/checkpoint/record.h"

#include <limits>

#include "checkpoint.pb.h"
#include "store/partition.h"
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
  PS_RETURN_IF_ERROR(Check(record));
  return record;
}

Status CheckRestorable(const TableSpec& saved, const TableSpec& mine) {
  // What may differ is taken from mine.
  TableSpec same = mine;
  same.name = saved.name;
  same.dtype = saved.dtype;
  same.kind = saved.kind;
  same.rows = saved.rows;
  same.width = saved.width;
  same.updater = saved.updater;
  same.multi_precision = saved.multi_precision;
  return Differs(saved.name, same.DifferenceTo(mine));
}

Status CheckRestorable(const TableRecord& saved, const TableSpec& mine, int num_states) {
  PS_RETURN_IF_ERROR(CheckRestorable(saved.spec, mine));
  if (saved.num_states == num_states) return Status::Ok();
  return Differs(saved.spec.name, "states of the updater: " + std::to_string(saved.num_states) + " and " +
                                      std::to_string(num_states));
}

}  // namespace ps
