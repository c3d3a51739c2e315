#include "store/round_sum.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/copy.h"
#include "store/element_type.h"
#include "store/elements.h"

namespace ps {
namespace {

constexpr std::size_t kFirstRows = 64;
// So many 16-bit floats are widened at a time.
constexpr std::size_t kWideElements = 4096;

}  // namespace

RoundSum::RoundSum(const ShardPlan& plan)
    : table_(plan.spec->name),
      dtype_(plan.spec->dtype),
      master_(MasterOf(dtype_)),
      is_of_dense_table_(plan.spec->kind == TableSpec::kDense),
      width_(static_cast<std::size_t>(plan.spec->width)),
      value_bytes_(SizeOf(dtype_)),
      master_bytes_(SizeOf(master_)),
      first_row_(plan.first_row),
      num_rows_(plan.num_rows),
      budget_(plan.budget) {}

RoundSum::~RoundSum() {
  if (budget_ != nullptr) budget_->Give(counted_bytes_);
}

bool RoundSum::IsWhole(const RowSet& rows) const {
  return is_of_dense_table_ && rows.is_range() && rows.begin == first_row_ && rows.count == num_rows_;
}

Status RoundSum::Fold(const RowSet& rows, const void* delta) {
  if (rows.count == 0) return Status::Ok();
  const char* const from = static_cast<const char*>(delta);
  if (is_dense_) {
    FoldIntoDense(rows, from);
    return Status::Ok();
  }
  return IsWhole(rows) ? FoldWhole(from) : FoldList(rows, from);
}

// --- elements ---

void RoundSum::CopyWide(char* to, const char* from, std::size_t count) const {
  if (dtype_ == master_) return CopyBytes(to, from, count * value_bytes_);
  WidenElements(dtype_, from, reinterpret_cast<float*>(to), count);
}

void RoundSum::AddWide(char* to, const char* from, std::size_t count) const {
  if (dtype_ == master_) return AddElements(dtype_, to, from, count);
  float wide[kWideElements];
  for (std::size_t at = 0; at < count; at += kWideElements) {
    const std::size_t size = std::min(kWideElements, count - at);
    WidenElements(dtype_, from + at * value_bytes_, wide, size);
    AddElements(master_, to + at * master_bytes_, wide, size);
  }
}

// To which anything may be added without a change: of floats that is -0, because 0 + -0 is 0.
void RoundSum::FillNothing(char* to, std::size_t count) const {
  VisitElementType(master_, [&](auto type) {
    using T = typename decltype(type)::Type;
    if constexpr (std::is_floating_point_v<T>) {
      std::fill_n(reinterpret_cast<T*>(to), count, T{-0.0});
    } else {
      std::memset(to, 0, count * sizeof(T));
    }
  });
}

void RoundSum::Scale(char* values, std::size_t count, double scale) const {
  if (scale == 1) return;
  VisitElementType(master_, [&](auto type) {
    using T = typename decltype(type)::Type;
    if constexpr (std::is_floating_point_v<T>) {
      T* const elements = reinterpret_cast<T*>(values);
      for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<T>(elements[i] * scale);
    }
  });
}

// --- folding ---

Status RoundSum::FoldWhole(const char* delta) {
  PS_RETURN_IF_ERROR(MakeDense());
  CopyWide(dense_.data(), delta, num_rows_ * width_);
  // What was listed came before. It makes no difference which of two numbers is added to the other.
  const std::vector<std::uint64_t>& rows = slots_.rows();
  for (std::size_t slot = 0; slot < rows.size(); ++slot)
    AddElements(master_, DenseRow(rows[slot]), Slot(slot), width_);
  slots_.Clear();
  num_listed_ = 0;
  is_dense_ = true;
  return Status::Ok();
}

void RoundSum::FoldIntoDense(const RowSet& rows, const char* delta) {
  if (rows.is_range()) return AddWide(DenseRow(rows.begin), delta, rows.count * width_);
  char* places[kGroup];
  for (std::size_t first = 0; first < rows.count; first += kGroup) {
    const std::size_t count = std::min(kGroup, rows.count - first);
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = DenseRow(rows[first + i]);
      __builtin_prefetch(places[i], 1);
    }
    AddPlaces(places, count, delta + first * width_ * value_bytes_);
  }
}

Status RoundSum::FoldList(const RowSet& rows, const char* delta) {
  PS_RETURN_IF_ERROR(Reserve(slots_.rows().size() + rows.count));
  std::uint32_t slots[kGroup];
  char* places[kGroup];
  for (std::size_t first = 0; first < rows.count; first += kGroup) {
    const std::size_t count = std::min(kGroup, rows.count - first);
    slots_.FindOrAdd(rows, first, count, slots);
    const std::size_t num_new = slots_.rows().size() - num_listed_;
    FillNothing(Slot(num_listed_), num_new * width_);
    num_listed_ += num_new;
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = Slot(slots[i]);
      __builtin_prefetch(places[i], 1);
    }
    AddPlaces(places, count, delta + first * width_ * value_bytes_);
  }
  return Status::Ok();
}

void RoundSum::AddPlaces(char* const* places, std::size_t count, const char* delta) {
  if (dtype_ == master_) return AddToPlaces(dtype_, places, count, width_, delta);
  const std::size_t step = std::max<std::size_t>(1, kWideElements / width_);
  wide_.resize(std::min(step, kGroup) * width_);
  for (std::size_t at = 0; at < count; at += step) {
    const std::size_t size = std::min(step, count - at);
    WidenElements(dtype_, delta + at * width_ * value_bytes_, wide_.data(), size * width_);
    AddToPlaces(master_, places + at, size, width_, wide_.data());
  }
}

// --- the end of a round ---

Status RoundSum::Apply(Shard* shard, double scale, bool sets, const UpdateContext& context) {
  if (is_empty()) return Status::Ok();
  const std::vector<std::uint64_t>& listed = slots_.rows();
  const RowSet rows =
      is_dense_ ? RowSet::Range(first_row_, num_rows_) : RowSet::List(listed.data(), listed.size());
  char* const sums = is_dense_ ? dense_.data() : listed_.data();
  Scale(sums, rows.count * width_, scale);
  const Status status = shard->ApplyMasters(rows, sums, sets, context);
  slots_.Clear();
  num_listed_ = 0;
  is_dense_ = false;
  return status;
}

// --- memory ---

Status RoundSum::Count(std::size_t bytes) {
  if (budget_ != nullptr) PS_RETURN_IF_ERROR(budget_->Take(bytes, "the sum of a round of table " + table_));
  counted_bytes_ += bytes;
  return Status::Ok();
}

Status RoundSum::MakeDense() {
  if (dense_.data() != nullptr) return Status::Ok();
  const std::size_t bytes = num_rows_ * RowBytes();
  PS_RETURN_IF_ERROR(Count(bytes));
  try {
    dense_ = ZeroedBlock(bytes);
  } catch (const std::bad_alloc&) {
    if (budget_ != nullptr) budget_->Give(bytes);
    counted_bytes_ -= bytes;
    return Status::ResourceExhausted("the sum of a round of table " + table_ + ": the system has no " +
                                     std::to_string(bytes) + " bytes for it");
  }
  return Status::Ok();
}

Status RoundSum::Reserve(std::size_t num_rows) {
  if (num_rows <= list_capacity_) return Status::Ok();
  const std::size_t capacity = std::max({kFirstRows, 2 * list_capacity_, num_rows});
  const std::size_t more = capacity - list_capacity_;
  const std::size_t bytes = more * RowBytes() + RowSlots::BytesFor(more);
  PS_RETURN_IF_ERROR(Count(bytes));
  try {
    ZeroedBlock larger(capacity * RowBytes());
    slots_.Reserve(capacity);
    if (num_listed_ != 0) std::memcpy(larger.data(), listed_.data(), num_listed_ * RowBytes());
    listed_ = std::move(larger);
  } catch (const std::bad_alloc&) {
    if (budget_ != nullptr) budget_->Give(bytes);
    counted_bytes_ -= bytes;
    return Status::ResourceExhausted("the sum of a round of table " + table_ +
                                     ": the system has no memory for " + std::to_string(capacity) + " rows");
  }
  list_capacity_ = capacity;
  return Status::Ok();
}

}  // namespace ps
