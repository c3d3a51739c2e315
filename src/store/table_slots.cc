#include "store/table_slots.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/partition.h"
#include "store/spec_bytes.h"
#include "store/updater/builtin.h"

namespace ps {
namespace {

// A slot of fewer elements than this is not worth a lane of its own.
constexpr std::uint64_t kSmallestSlot = 64 << 10;

}  // namespace

Result<std::unique_ptr<TableSlots>> TableSlots::Make(const TableSpec& spec, const Place& place) {
  return Make(spec, place, TableRule::Of(spec));
}

Result<std::unique_ptr<TableSlots>> TableSlots::Make(const TableSpec& spec, const Place& place,
                                                     const TableRule& rule) {
  std::unique_ptr<TableSlots> slots(new TableSlots(spec, place, rule));
  PS_RETURN_IF_ERROR(slots->MakeSlots());
  return slots;
}

Status TableSlots::MakeSlots() {
  const auto updater = rule_.Make(made_as_, place_.num_workers);
  PS_RETURN_IF_ERROR(updater.status());
  const auto lanes = static_cast<std::uint64_t>(place_.num_lanes);
  // Small tables are spread over the lanes by their names.
  const auto first_lane = TableId(spec_.name) % lanes;
  const bool is_dense = spec_.kind == TableSpec::kDense;
  std::uint64_t count = lanes;
  if (is_dense)
    count = std::clamp<std::uint64_t>(
        place_.range.size() * static_cast<std::uint64_t>(spec_.width) / kSmallestSlot, 1, lanes);
  if (updater.value()->NeedsShare()) count = 1;
  PS_RETURN_IF_ERROR(CheckWhole(*updater.value(), count));
  const std::uint64_t num_rows = is_dense ? place_.range.size() : 0;
  std::uint64_t begin = is_dense ? place_.range.begin() : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Slot slot;
    slot.lane = static_cast<int>((first_lane + i) % lanes);
    slot.first_row = begin;
    slot.num_rows = num_rows / count + (i < num_rows % count ? 1 : 0);
    PS_RETURN_IF_ERROR(Fill(&slot, spec_.apply == TableSpec::kMerged));
    begin += slot.num_rows;
    slots_.push_back(std::move(slot));
  }
  return Status::Ok();
}

Result<std::unique_ptr<TableSlots>> TableSlots::WithRule(const TableRule& rule) const {
  std::unique_ptr<TableSlots> slots(new TableSlots(made_as_, place_, rule));
  const auto updater = rule.Make(made_as_, place_.num_workers);
  PS_RETURN_IF_ERROR(updater.status());
  PS_RETURN_IF_ERROR(slots->CheckWhole(*updater.value(), slots_.size()));
  for (const Slot& like : slots_) {
    Slot slot;
    slot.lane = like.lane;
    slot.first_row = like.first_row;
    slot.num_rows = like.num_rows;
    PS_RETURN_IF_ERROR(slots->Fill(&slot, false));
    slots->slots_.push_back(std::move(slot));
  }
  return slots;
}

bool TableSlots::IsWhole() const {
  return spec_.kind == TableSpec::kDense && place_.range.size() == static_cast<std::uint64_t>(spec_.rows);
}

// Of a hash table the shard knows better what to say.
Status TableSlots::CheckWhole(const Updater& updater, std::size_t num_slots) const {
  if (!updater.NeedsShare() || spec_.kind == TableSpec::kHash) return Status::Ok();
  const bool has_all = !updater.NeedsWhole() || IsWhole();
  if (has_all && num_slots == 1) return Status::Ok();
  const std::string shared = has_all ? "threads of its server share this one" : "servers share this one";
  return Status::InvalidArgument("table '" + spec_.name + "': updater " + spec_.updater +
                                 " looks at the whole table, and " + shared +
                                 ": make the table with this updater");
}

Status TableSlots::Fill(Slot* slot, bool has_sum) {
  auto updater = rule_.Make(made_as_, place_.num_workers, place_.host);
  PS_RETURN_IF_ERROR(updater.status());
  slot->updater = std::move(updater).value();
  slot->is_builtin = IsBuiltinUpdater(spec_.updater);
  num_states_ = slot->updater->NumStates();
  ShardPlan plan;
  plan.spec = &spec_;
  plan.updater = slot->updater.get();
  plan.first_row = slot->first_row;
  plan.num_rows = slot->num_rows;
  plan.budget = place_.budget;
  auto shard = MakeShard(plan);
  PS_RETURN_IF_ERROR(shard.status());
  slot->shard = std::move(shard).value();
  if (has_sum) slot->sum = std::make_unique<RoundSum>(plan);
  return Status::Ok();
}

std::size_t TableSlots::SlotOf(std::uint64_t key) const {
  if (spec_.kind == TableSpec::kHash) return Mix64(key) % slots_.size();
  const auto behind =
      std::upper_bound(slots_.begin(), slots_.end(), key,
                       [](std::uint64_t row, const Slot& slot) { return row < slot.first_row; });
  return static_cast<std::size_t>(behind - slots_.begin()) - 1;
}

std::vector<Portion> TableSlots::Split(const RowSet& rows) const {
  std::vector<Portion> portions(slots_.size());
  if (slots_.size() == 1) {
    portions[0].rows = rows;
  } else if (rows.is_range()) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const std::uint64_t begin = std::max(rows.begin, slots_[i].first_row);
      const std::uint64_t end = std::min(rows.begin + rows.count, slots_[i].first_row + slots_[i].num_rows);
      if (begin >= end) continue;
      portions[i].rows = RowSet::Range(begin, end - begin);
      portions[i].first = begin - rows.begin;
    }
  } else {
    for (std::size_t i = 0; i < rows.count; ++i) {
      Portion& portion = portions[SlotOf(rows[i])];
      portion.keys.push_back(rows[i]);
      portion.places.push_back(static_cast<std::uint32_t>(i));
    }
    for (Portion& portion : portions) portion.rows = RowSet::List(portion.keys.data(), portion.keys.size());
  }
  return portions;
}

// The arrays of a piece lie one behind the other: those of a slot are picked out of each.
Status TableSlots::Restore(const Shard::Piece& piece) {
  if (slots_.size() == 1) return slots_[0].shard->Restore(piece);
  if (piece.rows.count == 0) return Status::Ok();
  const auto num_arrays = static_cast<std::size_t>(1 + num_states_);
  const std::size_t row_bytes = piece.bytes / piece.rows.count / num_arrays;
  const std::vector<Portion> portions = Split(piece.rows);
  std::vector<char> arrays;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Portion& portion = portions[i];
    if (portion.rows.count == 0) continue;
    arrays.clear();
    for (std::size_t k = 0; k < num_arrays; ++k) {
      const char* const array = static_cast<const char*>(piece.arrays) + k * piece.rows.count * row_bytes;
      for (const std::uint32_t row : portion.places)
        arrays.insert(arrays.end(), array + row * row_bytes, array + (row + 1) * row_bytes);
    }
    PS_RETURN_IF_ERROR(slots_[i].shard->Restore({portion.rows, arrays.data(), arrays.size()}));
  }
  return Status::Ok();
}

}  // namespace ps
