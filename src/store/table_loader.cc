#include "store/table_loader.h"

#include <string>
#include <utility>

#include "store/checkpoint/record.h"
#include "store/partition.h"

namespace ps {

Result<std::unique_ptr<ServerTable>> TableLoader::Load(const std::string& name, const TableSpec* mine) {
  const Result<TableRecord> whole = reader_.Find(name);
  PS_RETURN_IF_ERROR(whole.status());
  const TableSpec spec = mine == nullptr ? whole.value().spec : *mine;
  const Result<TableRule> rule = RuleToRestore(whole.value(), spec);
  PS_RETURN_IF_ERROR(rule.status());
  const auto updater = rule.value().Make(spec, options_.num_workers);
  PS_RETURN_IF_ERROR(updater.status());
  PS_RETURN_IF_ERROR(CheckNumStates(whole.value(), updater.value()->NumStates()));
  const Result<std::optional<Range>> part = PartOf(spec);
  PS_RETURN_IF_ERROR(part.status());
  if (!part.value()) return std::unique_ptr<ServerTable>();
  TableSlots::Place place;
  place.range = *part.value();
  place.num_workers = options_.num_workers;
  place.num_lanes = options_.executors->num_lanes();
  place.budget = options_.budget;
  place.epoch = options_.epoch;
  place.host = options_.host;
  const bool has_rows = place.range.size() != 0;
  Result<TableRecord> record = has_rows ? reader_.Find(name, place.range) : whole;
  PS_RETURN_IF_ERROR(record.status());
  record.value().rule = rule.value();
  auto table = ServerTable::Make(spec, place, options_.executors, &record.value());
  PS_RETURN_IF_ERROR(table.status());
  if (has_rows) PS_RETURN_IF_ERROR(Fill(&table.value()->slots(), spec, place.range));
  return table;
}

// Where a table lives depends on how it was made, whatever rule it has.
Result<std::optional<Range>> TableLoader::PartOf(const TableSpec& spec) const {
  const auto made_with = TableRule::Of(spec).Make(spec, options_.num_workers);
  PS_RETURN_IF_ERROR(made_with.status());
  const Partition partition(spec, options_.num_servers, made_with.value()->NeedsWhole());
  const auto server = static_cast<std::uint64_t>(options_.server);
  if (server < partition.servers().begin() || server >= partition.servers().end())
    return std::optional<Range>();
  return std::optional<Range>(partition.RangeOf(options_.server));
}

Status TableLoader::CheckHasNoPart(const std::string& name) {
  const Result<TableRecord> record = reader_.Find(name);
  PS_RETURN_IF_ERROR(record.status());
  const Result<std::optional<Range>> part = PartOf(record.value().spec);
  PS_RETURN_IF_ERROR(part.status());
  if (!part.value()) return Status::Ok();
  return Status::NotFound("table `" + name +
                          "` of the checkpoint is not there to take states: create it first, "
                          "or give the prefix of those that are");
}

Result<TableLoader::States> TableLoader::LoadStates(const TableSpec& mine, const TableSlots& slots,
                                                    const TableRule* rule) {
  const Range range = slots.place().range;
  const Result<TableRecord> record =
      range.size() == 0 ? reader_.Find(mine.name) : reader_.Find(mine.name, range);
  PS_RETURN_IF_ERROR(record.status());
  States states;
  states.rule = rule == nullptr ? record.value().RuleInForce() : *rule;
  PS_RETURN_IF_ERROR(CheckStates(record.value(), mine, states.rule));
  const auto updater = states.rule.Make(mine, options_.num_workers);
  PS_RETURN_IF_ERROR(updater.status());
  PS_RETURN_IF_ERROR(CheckNumStates(record.value(), updater.value()->NumStates()));
  auto ready = slots.WithRule(states.rule);
  PS_RETURN_IF_ERROR(ready.status());
  states.ready = std::move(ready).value();
  states.num_updates = record.value().num_updates;
  if (range.size() != 0) PS_RETURN_IF_ERROR(Fill(states.ready.get(), mine, range));
  return states;
}

Result<bool> TableLoader::IsOfUser(const std::string& name) {
  const Result<TableRecord> record = reader_.Find(name);
  PS_RETURN_IF_ERROR(record.status());
  return record.value().IsOfBytes();
}

// The program's code sees nothing that has not been checked to its end.
Result<std::string> TableLoader::BytesOf(const std::string& name, std::uint64_t server) {
  std::string bytes;
  PS_RETURN_IF_ERROR(
      reader_.ForEachPiece(name, Range(server, server + 1), [&bytes](const Shard::Piece& piece) {
        if (piece.rows.begin != bytes.size())
          return Status::InvalidArgument("a piece of a table's bytes is missing");
        bytes.append(static_cast<const char*>(piece.arrays), piece.bytes);
        return Status::Ok();
      }));
  return bytes;
}

Result<std::shared_ptr<ServerUserTable>> TableLoader::LoadUser(const std::string& name,
                                                               const ServerUserTable* there) {
  const Result<TableRecord> record = reader_.Find(name);
  PS_RETURN_IF_ERROR(record.status());
  const TableSpec& saved = record.value().spec;
  if (there == nullptr && options_.may_lack_code) return std::shared_ptr<ServerUserTable>();
  if (there == nullptr)
    return Status::NotFound("table '" + name + "' of the checkpoint is of code " + saved.updater +
                            ", which is not registered at server " + std::to_string(options_.server) +
                            ": make the table first");
  const auto num_saved = static_cast<int>(saved.rows);
  const std::string difference =
      TableSpec::User(name, saved.updater, options_.num_servers).DifferenceTo(there->spec());
  if (!difference.empty())
    return Status::InvalidArgument("the checkpoint's table '" + name +
                                   "' is another one than that of the job: " + difference);
  auto fresh = there->MakeAnother();
  PS_RETURN_IF_ERROR(fresh.status());
  const bool is_same_number = num_saved == options_.num_servers;
  if (!is_same_number && !fresh.value()->TakesPartsOfOthers())
    return Status::InvalidArgument(
        "table '" + name + "' was saved by " + std::to_string(num_saved) + " servers, and there are " +
        std::to_string(options_.num_servers) + ": code " + saved.updater +
        " loads what its own server has saved alone (UserShard::TakesPartsOfOthers)");
  const int first = is_same_number ? options_.server : 0;
  const int end = is_same_number ? first + 1 : num_saved;
  for (int server = first; server < end; ++server) {
    Result<std::string> bytes = BytesOf(name, static_cast<std::uint64_t>(server));
    PS_RETURN_IF_ERROR(bytes.status());
    PS_RETURN_IF_ERROR(fresh.value()->Load(&bytes.value()));
  }
  return fresh;
}

// A shard restores pieces of its own rows only.
Status TableLoader::Fill(TableSlots* slots, const TableSpec& spec, const Range& range) {
  if (spec.kind == TableSpec::kHash)
    return reader_.ForEachPiece(spec.name, range,
                                [slots](const Shard::Piece& piece) { return slots->Restore(piece); });
  for (std::size_t i = 0; i < slots->size(); ++i) {
    const TableSlots::Slot& slot = (*slots)[i];
    Shard& shard = *slot.shard;
    const Range rows(slot.first_row, slot.first_row + slot.num_rows);
    if (rows.size() == 0) continue;
    PS_RETURN_IF_ERROR(reader_.ForEachPiece(
        spec.name, rows, [&shard](const Shard::Piece& piece) { return shard.Restore(piece); }));
  }
  return Status::Ok();
}

}  // namespace ps
