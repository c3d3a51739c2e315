#include "store/table_loader.h"

#include <utility>

#include "store/checkpoint/record.h"
#include "store/partition.h"

namespace ps {

Result<std::unique_ptr<ServerTable>> TableLoader::Load(const std::string& name, const TableSpec* mine) {
  const Result<TableRecord> whole = reader_.Find(name);
  PS_RETURN_IF_ERROR(whole.status());
  const TableSpec spec = mine == nullptr ? whole.value().spec : *mine;
  const auto updater =
      MakeUpdater(spec.updater, spec.updater_options, {MasterOf(spec.dtype), options_.num_workers});
  PS_RETURN_IF_ERROR(updater.status());
  PS_RETURN_IF_ERROR(CheckRestorable(whole.value(), spec, updater.value()->NumStates()));
  const Partition partition(spec, options_.num_servers, updater.value()->NeedsWhole());
  const auto server = static_cast<std::uint64_t>(options_.server);
  if (server < partition.servers().begin() || server >= partition.servers().end())
    return std::unique_ptr<ServerTable>();
  TableSlots::Place place;
  place.range = partition.RangeOf(options_.server);
  place.num_workers = options_.num_workers;
  place.num_lanes = options_.executors->num_lanes();
  place.budget = options_.budget;
  place.epoch = options_.epoch;
  const bool has_rows = place.range.size() != 0;
  const Result<TableRecord> record = has_rows ? reader_.Find(name, place.range) : whole;
  PS_RETURN_IF_ERROR(record.status());
  auto table = ServerTable::Make(spec, place, options_.executors, &record.value());
  PS_RETURN_IF_ERROR(table.status());
  if (has_rows) PS_RETURN_IF_ERROR(Fill(table.value().get(), name, place.range));
  return table;
}

// A shard restores pieces of its own rows only.
Status TableLoader::Fill(ServerTable* table, const std::string& name, const Range& range) {
  TableSlots& slots = table->slots();
  if (table->spec().kind == TableSpec::kHash)
    return reader_.ForEachPiece(name, range,
                                [&slots](const Shard::Piece& piece) { return slots.Restore(piece); });
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Shard& shard = *slots[i].shard;
    const Range rows(slots[i].first_row, slots[i].first_row + slots[i].num_rows);
    if (rows.size() == 0) continue;
    PS_RETURN_IF_ERROR(reader_.ForEachPiece(
        name, rows, [&shard](const Shard::Piece& piece) { return shard.Restore(piece); }));
  }
  return Status::Ok();
}

}  // namespace ps
