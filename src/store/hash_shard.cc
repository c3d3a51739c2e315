#include "store/hash_shard.h"

#include <algorithm>
#include <new>
#include <string>

#include "store/copy_row.h"
#include "store/elements.h"

namespace ps {
namespace {

// Calls that may need more than this for new rows, and more than an eighth of what there is, look first how
// many they need.
constexpr std::size_t kReservedBlindly = std::size_t{4} << 20;

std::size_t RoundUp8(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

// --- making it ---

Result<std::unique_ptr<HashShard>> HashShard::Create(const ShardPlan& plan) {
  const TableSpec& spec = *plan.spec;
  if (plan.updater->NeedsShare()) {
    return Status::InvalidArgument("table " + spec.name + ": updater " + spec.updater +
                                   " looks at whole tables, and a hash table has no whole: use a dense one");
  }
  const DType master = MasterOf(spec.dtype);
  const ElementFormat format{spec.dtype, master, spec.multi_precision && spec.dtype != master,
                             plan.updater->NumStates()};
  try {
    return std::unique_ptr<HashShard>(new HashShard(plan, format));
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted("table " + spec.name + ": the system has no memory for it");
  }
}

HashShard::HashShard(const ShardPlan& plan, const ElementFormat& format)
    : spec_(*plan.spec),
      updater_(plan.updater),
      format_(format),
      width_(static_cast<std::size_t>(plan.spec->width)),
      value_bytes_(SizeOf(format.dtype)),
      master_bytes_(SizeOf(format.master)),
      to_masters_(format.dtype == format.master ? 0 : RoundUp8(ValueBytes())),
      to_states_(to_masters_ + (format.is_staged() ? 0 : MasterBytes())),
      initial_(plan.spec->init, format.master, width_),
      budget_(plan.budget),
      slab_(to_states_ + static_cast<std::size_t>(format.num_states) * MasterBytes()),
      index_(&slab_),
      batch_(format, plan.updater) {
  CountIndex();
}

HashShard::~HashShard() {
  if (budget_ != nullptr) budget_->Give(reserved_rows_ * slab_.stride() + counted_index_bytes_);
}

// --- rows ---

ElementRun HashShard::RunAt(char* values) const {
  return {values, format_.is_staged() ? nullptr : values + to_masters_, values + to_states_};
}

std::uint64_t HashShard::VersionOf(std::uint32_t row) const {
  return row == RowIndex::kNone ? of_erased_ : slab_.At(row)->version;
}

void HashShard::SetMasters(char* values, const char* masters) const {
  if (format_.dtype == format_.master) {
    CopyRow(values, masters, MasterBytes());
    return;
  }
  if (format_.has_masters) CopyRow(values + to_masters_, masters, MasterBytes());
  NarrowElements(format_.dtype, reinterpret_cast<const float*>(masters), values, width_);
}

void HashShard::Initialize(std::uint64_t key, char* values) {
  if (initial_.are_zero()) return;
  if (format_.dtype == format_.master) return initial_.Fill(key, 1, values);
  scratch_.resize(std::max(scratch_.size(), MasterBytes()));
  initial_.Fill(key, 1, scratch_.data());
  SetMasters(values, scratch_.data());
}

void HashShard::Find(const RowSet& rows, Group* group) const {
  const std::size_t first = group->first;
  for (std::size_t i = 0; i < group->count; ++i) {
    group->hashes[i] = RowIndex::Hash(rows[first + i]);
    index_.Prefetch(group->hashes[i]);
  }
  for (std::size_t i = 0; i < group->count; ++i) {
    group->rows[i] = index_.Probe(group->hashes[i]);
    if (group->rows[i] != RowIndex::kNone) slab_.Prefetch(group->rows[i]);
  }
  for (std::size_t i = 0; i < group->count; ++i) {
    if (group->rows[i] == RowIndex::kNone) continue;
    RowSlab::Header* header = slab_.At(group->rows[i]);
    if (header->key != rows[first + i]) {
      group->rows[i] = index_.Find(group->hashes[i], rows[first + i]);
      if (group->rows[i] == RowIndex::kNone) continue;
      header = slab_.At(group->rows[i]);
    }
    group->values[i] = BehindHeader(header);
  }
}

template <typename Use>
void HashShard::ForEachGroup(const RowSet& rows, Use use) const {
  Group group;
  for (; group.first < rows.count; group.first += kGroup) {
    group.count = std::min(kGroup, rows.count - group.first);
    Find(rows, &group);
    use(group);
  }
}

void HashShard::FindOrMake(const RowSet& rows, Group* group) {
  Find(rows, group);
  for (std::size_t i = 0; i < group->count; ++i) {
    std::uint32_t& row = group->rows[i];
    if (row == RowIndex::kNone) {
      const std::uint64_t key = rows[group->first + i];
      row = index_.Find(group->hashes[i], key);  // it may have been made for an equal one
      const bool is_new = row == RowIndex::kNone;
      if (is_new) row = Make(group->hashes[i], key);
      group->values[i] = BehindHeader(slab_.At(row));
    }
    slab_.At(row)->version = version_;
  }
}

std::uint32_t HashShard::Make(std::uint64_t hash, std::uint64_t key) {
  const std::uint32_t row = slab_.Take(key);
  try {
    index_.Insert(hash, row);
  } catch (const std::bad_alloc&) {
    slab_.Give(row);
    throw;
  }
  Initialize(key, BehindHeader(slab_.At(row)));
  return row;
}

template <typename Use>
Status HashShard::ForEachWritten(const RowSet& rows, Use use) {
  PS_RETURN_IF_ERROR(Reserve(rows));
  ++version_;
  Status status;
  try {
    Group group;
    for (; group.first < rows.count; group.first += kGroup) {
      group.count = std::min(kGroup, rows.count - group.first);
      FindOrMake(rows, &group);
      use(group);
    }
  } catch (const std::bad_alloc&) {
    status = Status::ResourceExhausted("table " + spec_.name + ": the system has no memory for more than " +
                                       std::to_string(num_rows()) + " keys, some of a call were not applied");
  }
  CountIndex();
  return status;
}

// --- memory ---

void HashShard::CountIndex() {
  if (budget_ != nullptr) budget_->TakeAnyway(index_.bytes() - counted_index_bytes_);
  counted_index_bytes_ = index_.bytes();
}

std::size_t HashShard::CountMissing(const RowSet& rows) const {
  std::vector<std::uint64_t> missing;
  ForEachGroup(rows, [&](const Group& group) {
    for (std::size_t i = 0; i < group.count; ++i)
      if (group.rows[i] == RowIndex::kNone) missing.push_back(rows[group.first + i]);
  });
  std::sort(missing.begin(), missing.end());
  return static_cast<std::size_t>(std::unique(missing.begin(), missing.end()) - missing.begin());
}

Status HashShard::Reserve(const RowSet& rows) {
  const std::size_t left = reserved_rows_ - slab_.num_used();
  if (rows.count <= left) return Status::Ok();
  const std::size_t few = std::max(kReservedBlindly / slab_.stride(), num_rows() / 8);
  if (rows.count - left <= few && ReserveRows(rows.count - left).ok()) return Status::Ok();
  const std::size_t missing = CountMissing(rows);
  return missing <= left ? Status::Ok() : ReserveRows(missing - left);
}

Status HashShard::ReserveRows(std::size_t count) {
  const std::string whom = "table " + spec_.name + " (" + std::to_string(num_rows()) + " keys)";
  const std::size_t bytes = count * slab_.stride();
  if (budget_ != nullptr) PS_RETURN_IF_ERROR(budget_->Take(bytes, whom));
  bool has_numbers = false;
  try {
    has_numbers = slab_.Reserve(reserved_rows_ + count - slab_.num_used());
  } catch (const std::bad_alloc&) {
    has_numbers = false;
  }
  if (!has_numbers) {
    if (budget_ != nullptr) budget_->Give(bytes);
    return Status::ResourceExhausted(whom + ": the system has no memory for " + std::to_string(count) +
                                     " more: use more servers");
  }
  reserved_rows_ += count;
  return Status::Ok();
}

// --- changing ---

Status HashShard::Update(const RowSet& rows, const void* delta, const UpdateContext& context) {
  return RunUpdate(rows, static_cast<const char*>(delta), format_.dtype, context);
}

Status HashShard::RunUpdate(const RowSet& rows, const char* delta, DType delta_dtype,
                            const UpdateContext& context) {
  UpdateContext own = context;
  own.state_step = static_cast<std::ptrdiff_t>(MasterBytes());
  batch_.Begin(own, delta_dtype);
  const std::size_t delta_bytes = width_ * SizeOf(delta_dtype);
  const Status status = ForEachWritten(
      rows, [&](const Group& group) { Apply(group, delta + group.first * delta_bytes, delta_dtype); });
  batch_.Flush();
  return status;
}

void HashShard::Apply(const Group& group, const char* delta, DType delta_dtype) {
  if (delta_dtype == format_.dtype) {
    const Updater::Shortcut shortcut = updater_->shortcut();
    if (shortcut == Updater::Shortcut::kAssign) return CopyIn(group, delta);
    if (shortcut == Updater::Shortcut::kAdd && !format_.has_masters)
      return AddToPlaces(format_.dtype, group.values, group.count, width_, delta);
  }
  const std::size_t delta_bytes = width_ * SizeOf(delta_dtype);
  for (std::size_t i = 0; i < group.count; ++i)
    batch_.Add(RunAt(group.values[i]), delta + i * delta_bytes, width_);
}

Status HashShard::ApplyMasters(const RowSet& rows, const void* values, bool sets,
                               const UpdateContext& context) {
  const char* const from = static_cast<const char*>(values);
  if (!sets) return RunUpdate(rows, from, format_.master, context);
  return ForEachWritten(rows, [&](const Group& group) {
    for (std::size_t i = 0; i < group.count; ++i)
      SetMasters(group.values[i], from + (group.first + i) * MasterBytes());
  });
}

void HashShard::CopyIn(const Group& group, const char* values) const {
  for (std::size_t i = 0; i < group.count; ++i) {
    const char* const from = values + i * ValueBytes();
    CopyRow(group.values[i], from, ValueBytes());
    if (format_.has_masters)
      WidenElements(format_.dtype, from, reinterpret_cast<float*>(group.values[i] + to_masters_), width_);
  }
}

Status HashShard::Set(const RowSet& rows, const void* values) {
  const char* const from = static_cast<const char*>(values);
  return ForEachWritten(rows, [&](const Group& group) { CopyIn(group, from + group.first * ValueBytes()); });
}

void HashShard::Erase(const RowSet& rows) {
  of_erased_ = ++version_;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::uint64_t hash = RowIndex::Hash(rows[i]);
    const std::uint32_t row = index_.Find(hash, rows[i]);
    if (row == RowIndex::kNone) continue;
    index_.Erase(hash, row);
    slab_.Give(row);
  }
}

// --- reading ---

void HashShard::ReadOne(std::uint64_t key, const char* row, char* to) const {
  if (row != nullptr) return CopyRow(to, row, ValueBytes());
  if (format_.dtype == format_.master) return initial_.Fill(key, 1, to);
  scratch_.resize(std::max(scratch_.size(), MasterBytes()));
  initial_.Fill(key, 1, scratch_.data());
  NarrowElements(format_.dtype, reinterpret_cast<const float*>(scratch_.data()), to, width_);
}

void HashShard::Read(const RowSet& rows, void* values) const {
  char* to = static_cast<char*>(values);
  ForEachGroup(rows, [&](const Group& group) {
    for (std::size_t i = 0; i < group.count; ++i, to += ValueBytes()) {
      const bool is_here = group.rows[i] != RowIndex::kNone;
      ReadOne(rows[group.first + i], is_here ? group.values[i] : nullptr, to);
    }
  });
}

void HashShard::ReadSince(const RowSet& rows, std::uint64_t since, void* values, Changed* changed) const {
  changed->places.clear();
  char* to = static_cast<char*>(values);
  ForEachGroup(rows, [&](const Group& group) {
    for (std::size_t i = 0; i < group.count; ++i) {
      if (VersionOf(group.rows[i]) <= since) continue;
      const bool is_here = group.rows[i] != RowIndex::kNone;
      ReadOne(rows[group.first + i], is_here ? group.values[i] : nullptr, to);
      to += ValueBytes();
      changed->places.push_back(static_cast<std::uint32_t>(group.first + i));
    }
  });
}

// --- coming back ---

Status HashShard::Restore(const Piece& piece) {
  const std::size_t array = piece.rows.count * MasterBytes();
  if (piece.bytes != array * static_cast<std::size_t>(1 + format_.num_states)) {
    return Status::InvalidArgument("table " + spec_.name + ": a piece of " +
                                   std::to_string(piece.rows.count) + " rows has " +
                                   std::to_string(piece.bytes) + " bytes, which is not what this table has");
  }
  const char* const from = static_cast<const char*>(piece.arrays);
  return ForEachWritten(piece.rows, [&](const Group& group) {
    for (std::size_t i = 0; i < group.count; ++i) {
      const char* const masters = from + (group.first + i) * MasterBytes();
      SetMasters(group.values[i], masters);
      for (std::size_t k = 0; k < static_cast<std::size_t>(format_.num_states); ++k)
        CopyRow(group.values[i] + to_states_ + k * MasterBytes(), masters + (k + 1) * array, MasterBytes());
    }
  });
}

}  // namespace ps
