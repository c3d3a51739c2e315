#include "store/update_batch.h"

#include <algorithm>
#include <cstring>

#include "store/elements.h"

namespace ps {

UpdateBatch::UpdateBatch(const ElementFormat& format, Updater* updater)
    : format_(format), updater_(updater) {}

void UpdateBatch::Begin(const UpdateContext& context, DType delta_dtype) {
  context_ = context;
  delta_dtype_ = delta_dtype;
}

void UpdateBatch::Add(const ElementRun& run, const void* delta, std::size_t count) {
  const char* const from = static_cast<const char*>(delta);
  if (format_.dtype == format_.master || updater_->NeedsShare()) return AddPiece(run, from, count);
  const std::size_t value_bytes = SizeOf(format_.dtype);
  const std::size_t master_bytes = SizeOf(format_.master);
  const std::size_t delta_bytes = SizeOf(delta_dtype_);
  for (std::size_t at = 0; at < count; at += kStagedElements) {
    const ElementRun piece{run.values + at * value_bytes,
                           run.masters == nullptr ? nullptr : run.masters + at * master_bytes,
                           run.states + at * master_bytes};
    AddPiece(piece, from + at * delta_bytes, std::min(kStagedElements, count - at));
  }
}

void UpdateBatch::AddPiece(const ElementRun& run, const char* delta, std::size_t count) {
  if (format_.dtype == format_.master) {
    runs_[num_runs_++] = {run.masters, delta, count};
  } else {
    // The same element twice in one batch would be copied before the first time is written back.
    const bool may_repeat = num_runs_ > 0 && run.values <= places_[num_runs_ - 1].values;
    if (used_ + count > capacity_ || (format_.is_staged() && may_repeat)) Flush();
    places_[num_runs_] = run;
    runs_[num_runs_++] = Stage(run, delta, count);
  }
  if (num_runs_ == kMostRuns) Flush();
}

UpdateRun UpdateBatch::Stage(const ElementRun& run, const char* delta, std::size_t count) {
  if (count > capacity_) {
    capacity_ = std::max(kStagedElements, count);
    const int arrays = format_.is_staged() ? 2 + format_.num_states : 1;
    staging_.resize(capacity_ * static_cast<std::size_t>(arrays));
  }
  UpdateRun staged{run.masters, delta, count};
  if (delta_dtype_ != format_.master) {
    float* const deltas = Staged(0) + used_;
    WidenElements(format_.dtype, delta, deltas, count);
    staged.delta = deltas;
  }
  if (format_.is_staged()) {
    float* const values = Staged(1) + used_;
    WidenElements(format_.dtype, run.values, values, count);
    for (int k = 0; k < format_.num_states; ++k)
      std::memcpy(Staged(2 + k) + used_, run.states + k * context_.state_step, count * sizeof(float));
    staged.values = values;
  }
  used_ += count;
  return staged;
}

void UpdateBatch::TakeBack(const ElementRun& run, const UpdateRun& done) {
  const float* const values = static_cast<const float*>(done.values);
  NarrowElements(format_.dtype, values, run.values, done.size);
  if (!format_.is_staged()) return;
  for (int k = 0; k < format_.num_states; ++k)
    std::memcpy(run.states + k * context_.state_step, values + static_cast<std::size_t>(k + 1) * capacity_,
                done.size * sizeof(float));
}

void UpdateBatch::Flush() {
  if (num_runs_ == 0) return;
  UpdateContext context = context_;
  if (format_.is_staged()) context.state_step = static_cast<std::ptrdiff_t>(capacity_ * sizeof(float));
  updater_->Update(runs_.data(), num_runs_, context);
  if (format_.dtype != format_.master) {
    for (std::size_t i = 0; i < num_runs_; ++i) TakeBack(places_[i], runs_[i]);
  }
  num_runs_ = 0;
  used_ = 0;
}

}  // namespace ps
