#include "store/dense_shard.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "base/copy.h"
#include "base/guarded.h"
#include "store/elements.h"

namespace ps {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// Initial values are written so many bytes at a time.
constexpr std::size_t kFillBytes = std::size_t{64} << 10;
// What is not larger gets its pages at once, which takes about 10 ms.
constexpr std::size_t kMostPrefaulted = std::size_t{16} << 20;
constexpr int kGroupBits = 6;
// So many rows ahead, or together, memory is asked for.
constexpr std::size_t kAhead = 8;
constexpr std::size_t kGroup = 32;

int GroupBits(std::size_t width) { return width == 1 ? kGroupBits : 0; }

// The rows of a list one after the other.
template <std::size_t kBytes>
void GatherRows(const char* from, std::uint64_t first_row, const RowSet& rows, char* to) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (i + kAhead < rows.count) __builtin_prefetch(from + (rows.keys[i + kAhead] - first_row) * kBytes);
    std::memcpy(to + i * kBytes, from + (rows.keys[i] - first_row) * kBytes, kBytes);
  }
}

}  // namespace

// --- making it ---

ElementFormat DenseShard::FormatOf(const ShardPlan& plan) {
  const DType dtype = plan.spec->dtype;
  const DType master = MasterOf(dtype);
  return {dtype, master, plan.spec->multi_precision && dtype != master, plan.updater->NumStates()};
}

bool DenseShard::PlanLayout(const ShardPlan& plan, const ElementFormat& format, Layout* layout) {
  std::size_t elements;
  if (__builtin_mul_overflow(plan.num_rows, static_cast<std::size_t>(plan.spec->width), &elements))
    return false;
  const std::size_t arrays = 1 + (format.has_masters ? 1 : 0) + static_cast<std::size_t>(format.num_states);
  std::size_t most;
  // No array has larger elements, or more than a line at its end.
  if (__builtin_mul_overflow(elements, 8 * arrays, &most) || most > SIZE_MAX / 2 - arrays * kLine)
    return false;
  const auto lines = [](std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; };
  layout->step = lines(elements * SizeOf(format.master));
  layout->masters = format.dtype == format.master ? 0 : lines(elements * SizeOf(format.dtype));
  layout->states = layout->masters + (format.is_staged() ? 0 : layout->step);
  layout->total = layout->states + static_cast<std::size_t>(format.num_states) * layout->step;
  return true;
}

Result<std::unique_ptr<DenseShard>> DenseShard::Create(const ShardPlan& plan) {
  const ElementFormat format = FormatOf(plan);
  const std::string whom = "table " + plan.spec->name + " (" + std::to_string(plan.num_rows) + " rows of " +
                           std::to_string(plan.spec->width) + " elements)";
  Layout layout;
  if (!PlanLayout(plan, format, &layout))
    return Status::ResourceExhausted(whom + " is larger than any memory: use fewer rows or more servers");
  const std::size_t bytes =
      layout.total +
      RowVersions::BytesFor(plan.num_rows, GroupBits(static_cast<std::size_t>(plan.spec->width)));
  if (plan.budget != nullptr) PS_RETURN_IF_ERROR(plan.budget->Take(bytes, whom));
  try {
    return std::unique_ptr<DenseShard>(new DenseShard(plan, format, layout));
  } catch (const std::bad_alloc&) {
    if (plan.budget != nullptr) plan.budget->Give(bytes);
    return Status::ResourceExhausted(whom + ": the system has no " + std::to_string(bytes) +
                                     " bytes for it: use more servers");
  }
}

DenseShard::DenseShard(const ShardPlan& plan, const ElementFormat& format, const Layout& layout)
    : spec_(*plan.spec),
      updater_(plan.updater),
      format_(format),
      first_row_(plan.first_row),
      num_rows_(plan.num_rows),
      width_(static_cast<std::size_t>(plan.spec->width)),
      value_bytes_(SizeOf(format.dtype)),
      master_bytes_(SizeOf(format.master)),
      layout_(layout),
      initial_(plan.spec->init, format.master, width_),
      budget_(plan.budget),
      block_(layout.total),
      versions_(num_rows_, GroupBits(width_)),
      batch_(format, plan.updater) {
  if (!initial_.are_zero()) {
    const std::size_t per_block = std::max<std::size_t>(1, kFillBytes / MasterRowBytes());
    unfilled_ = UnfilledBlocks(num_rows_, per_block);
  }
  if (block_.bytes() <= kMostPrefaulted) block_.Prefault(block_.bytes());
}

DenseShard::~DenseShard() {
  if (budget_ != nullptr) budget_->Give(layout_.total + RowVersions::BytesFor(num_rows_, GroupBits(width_)));
}

// --- where things are ---

char* DenseShard::Masters(std::uint64_t row) const {
  if (format_.is_staged()) return nullptr;
  return block_.data() + layout_.masters + (row - first_row_) * MasterRowBytes();
}

char* DenseShard::State(int k, std::uint64_t row) const {
  return block_.data() + layout_.states + static_cast<std::size_t>(k) * layout_.step +
         (row - first_row_) * MasterRowBytes();
}

// --- initial values ---

void DenseShard::Fill(const RowSet& rows) const {
  if (unfilled_.none()) return;
  ForEachRun(rows, [this](std::uint64_t row, std::size_t count, std::size_t) {
    unfilled_.Take(row - first_row_, count,
                   [this](std::size_t begin, std::size_t size) { FillBlock(begin, size); });
  });
}

void DenseShard::FillBlock(std::size_t begin, std::size_t count) const {
  const std::uint64_t row = first_row_ + begin;
  if (format_.dtype == format_.master) return initial_.Fill(row, count, Values(row));
  const std::size_t most = std::max<std::size_t>(1, kFillBytes / MasterRowBytes());
  scratch_.resize(std::max(scratch_.size(), std::min(most, count) * MasterRowBytes()));
  for (std::size_t at = 0; at < count; at += most) {
    const std::size_t size = std::min(most, count - at);
    initial_.Fill(row + at, size, scratch_.data());
    SetMasters(row + at, size, scratch_.data());
  }
}

void DenseShard::SetMasters(std::uint64_t row, std::size_t count, const char* masters) const {
  if (char* const own = Masters(row)) CopyBytes(own, masters, count * MasterRowBytes());
  if (format_.dtype != format_.master)
    NarrowElements(format_.dtype, reinterpret_cast<const float*>(masters), Values(row), count * width_);
}

Status DenseShard::InitializeValues() {
  if (num_rows_ == 0) return Status::Ok();
  const RowSet all = RowSet::Range(first_row_, num_rows_);
  const std::size_t size = num_rows_ * width_;
  Fill(all);
  if (format_.dtype == format_.master) {
    const Status made = Guarded([&] { return updater_->Initialize(Values(first_row_), size); });
    if (!made.ok()) FillBlock(0, num_rows_);  // for whoever tries again
    PS_RETURN_IF_ERROR(made);
  } else {
    std::vector<float> masters(size);
    WidenElements(format_.dtype, Values(first_row_), masters.data(), size);
    PS_RETURN_IF_ERROR(updater_->Initialize(masters.data(), size));
    SetMasters(first_row_, num_rows_, reinterpret_cast<const char*>(masters.data()));
  }
  Mark(all);
  return Status::Ok();
}

// --- changing ---

void DenseShard::Mark(const RowSet& rows) {
  ++version_;
  if (rows.is_range()) return versions_.SetRange(rows.begin - first_row_, rows.count, version_);
  for (std::size_t i = 0; i < rows.count; ++i) versions_.Set(rows.keys[i] - first_row_, version_);
}

Status DenseShard::CheckWhole(const RowSet& rows) const {
  if (!updater_->NeedsShare() || IsWhole(rows)) return Status::Ok();
  return Status::InvalidArgument("table " + spec_.name + ": updater " + spec_.updater +
                                 " looks at the whole table: an update must have all of its rows");
}

Status DenseShard::Update(const RowSet& rows, const void* delta, const UpdateContext& context) {
  PS_RETURN_IF_ERROR(CheckWhole(rows));
  Fill(rows);
  const char* const from = static_cast<const char*>(delta);
  const Updater::Shortcut shortcut = updater_->shortcut();
  if (shortcut == Updater::Shortcut::kAssign) {
    CopyIn(rows, from);
  } else if (shortcut == Updater::Shortcut::kAdd && !format_.has_masters) {
    AddDelta(rows, from);
  } else {
    RunUpdater(rows, from, format_.dtype, context);
  }
  Mark(rows);
  return Status::Ok();
}

void DenseShard::AddDelta(const RowSet& rows, const char* delta) {
  if (rows.is_range()) return AddElements(format_.dtype, Values(rows.begin), delta, rows.count * width_);
  char* places[kGroup];
  for (std::size_t first = 0; first < rows.count; first += kGroup) {
    const std::size_t count = std::min(kGroup, rows.count - first);
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = Values(rows.keys[first + i]);
      __builtin_prefetch(places[i], 1);
    }
    AddToPlaces(format_.dtype, places, count, width_, delta + first * RowBytes());
  }
}

void DenseShard::RunUpdater(const RowSet& rows, const char* delta, DType delta_dtype,
                            const UpdateContext& context) {
  UpdateContext own = context;
  own.state_step = static_cast<std::ptrdiff_t>(layout_.step);
  batch_.Begin(own, delta_dtype);
  const std::size_t delta_bytes = width_ * SizeOf(delta_dtype);
  ForEachRun(rows, [&](std::uint64_t row, std::size_t count, std::size_t place) {
    batch_.Add({Values(row), Masters(row), State(0, row)}, delta + place * delta_bytes, count * width_);
  });
  batch_.Flush();
}

void DenseShard::CopyIn(const RowSet& rows, const char* values) {
  ForEachRun(rows, [&](std::uint64_t row, std::size_t count, std::size_t place) {
    const char* const from = values + place * RowBytes();
    CopyBytes(Values(row), from, count * RowBytes());
    if (format_.has_masters)
      WidenElements(format_.dtype, from, reinterpret_cast<float*>(Masters(row)), count * width_);
  });
}

Status DenseShard::Set(const RowSet& rows, const void* values) {
  Fill(rows);
  CopyIn(rows, static_cast<const char*>(values));
  Mark(rows);
  return Status::Ok();
}

Status DenseShard::ApplyMasters(const RowSet& rows, const void* values, bool sets,
                                const UpdateContext& context) {
  if (format_.dtype == format_.master) return sets ? Set(rows, values) : Update(rows, values, context);
  const char* const from = static_cast<const char*>(values);
  if (!sets) PS_RETURN_IF_ERROR(CheckWhole(rows));
  Fill(rows);
  if (sets) {
    ForEachRun(rows, [&](std::uint64_t row, std::size_t count, std::size_t place) {
      SetMasters(row, count, from + place * MasterRowBytes());
    });
  } else {
    RunUpdater(rows, from, format_.master, context);
  }
  Mark(rows);
  return Status::Ok();
}

void DenseShard::Erase(const RowSet& rows) {
  Fill(rows);
  ForEachRun(rows, [&](std::uint64_t row, std::size_t count, std::size_t) {
    FillBlock(row - first_row_, count);
    for (int k = 0; k < format_.num_states; ++k) std::memset(State(k, row), 0, count * MasterRowBytes());
  });
  Mark(rows);
}

// --- reading ---

void DenseShard::Read(const RowSet& rows, void* values) const {
  Fill(rows);
  char* const to = static_cast<char*>(values);
  if (!rows.is_range() && RowBytes() == 4) return GatherRows<4>(block_.data(), first_row_, rows, to);
  if (!rows.is_range() && RowBytes() == 8) return GatherRows<8>(block_.data(), first_row_, rows, to);
  ForEachRun(rows, [&](std::uint64_t row, std::size_t count, std::size_t place) {
    if (place + kAhead < rows.count) __builtin_prefetch(Values(rows[place + kAhead]));
    CopyBytes(to + place * RowBytes(), Values(row), count * RowBytes());
  });
}

void DenseShard::ReadSince(const RowSet& rows, std::uint64_t since, void* values, Changed* changed) const {
  Fill(rows);
  changed->places.clear();
  char* to = static_cast<char*>(values);
  ForEachRun(rows, [&](std::uint64_t row, std::size_t count, std::size_t place) {
    const std::size_t begin = row - first_row_;
    for (std::size_t at = begin; at < begin + count;) {
      const std::size_t end = versions_.EndOfSame(at, begin + count, since);
      if (versions_.Of(at) > since) {
        CopyBytes(to, Values(first_row_ + at), (end - at) * RowBytes());
        to += (end - at) * RowBytes();
        for (std::size_t i = at; i < end; ++i)
          changed->places.push_back(static_cast<std::uint32_t>(place + (i - begin)));
      }
      at = end;
    }
  });
}

// --- another rule ---

// What is not filled in `from` is filled here when it is asked for.
Status DenseShard::TakeFrom(const Shard& other) {
  const auto& from = static_cast<const DenseShard&>(other);
  CopyWhereDifferent(block_.data(), from.block_.data(), num_rows_ * RowBytes());
  if (format_.has_masters && from.format_.has_masters) {
    CopyWhereDifferent(Masters(first_row_), from.Masters(first_row_), num_rows_ * MasterRowBytes());
  } else if (format_.has_masters) {
    WidenElements(format_.dtype, Values(first_row_), reinterpret_cast<float*>(Masters(first_row_)),
                  num_rows_ * width_);
  }
  versions_.CopyFrom(from.versions_);
  unfilled_ = from.unfilled_;
  version_ = from.version_;
  return Status::Ok();
}

// --- checkpoints ---

void DenseShard::CopyPiece(std::uint64_t row, std::size_t count, char* to) const {
  const std::size_t bytes = count * MasterRowBytes();
  if (format_.is_staged()) {
    WidenElements(format_.dtype, Values(row), reinterpret_cast<float*>(to), count * width_);
  } else {
    CopyBytes(to, Masters(row), bytes);
  }
  for (int k = 0; k < format_.num_states; ++k)
    CopyBytes(to + static_cast<std::size_t>(k + 1) * bytes, State(k, row), bytes);
}

Status DenseShard::ForEachPiece(const std::function<Status(const Piece&)>& take) const {
  const std::size_t row_bytes = MasterRowBytes() * static_cast<std::size_t>(1 + format_.num_states);
  const std::size_t per_piece = std::max<std::size_t>(1, kPieceBytes / row_bytes);
  for (std::size_t begin = 0; begin < num_rows_; begin += per_piece) {
    const std::size_t count = std::min(per_piece, num_rows_ - begin);
    const RowSet rows = RowSet::Range(first_row_ + begin, count);
    Fill(rows);
    scratch_.resize(std::max(scratch_.size(), count * row_bytes));
    CopyPiece(rows.begin, count, scratch_.data());
    PS_RETURN_IF_ERROR(take({rows, scratch_.data(), count * row_bytes}));
  }
  return Status::Ok();
}

Status DenseShard::Restore(const Piece& piece) {
  const std::size_t bytes = piece.rows.count * MasterRowBytes();
  if (piece.bytes != bytes * static_cast<std::size_t>(1 + format_.num_states)) {
    return Status::InvalidArgument("table " + spec_.name + ": a piece of " +
                                   std::to_string(piece.rows.count) + " rows has " +
                                   std::to_string(piece.bytes) + " bytes, which is not what this table has");
  }
  Fill(piece.rows);
  const char* const from = static_cast<const char*>(piece.arrays);
  ForEachRun(piece.rows, [&](std::uint64_t row, std::size_t count, std::size_t place) {
    const std::size_t at = place * MasterRowBytes();
    SetMasters(row, count, from + at);
    for (int k = 0; k < format_.num_states; ++k)
      CopyBytes(State(k, row), from + static_cast<std::size_t>(k + 1) * bytes + at, count * MasterRowBytes());
  });
  return Status::Ok();
}

}  // namespace ps
