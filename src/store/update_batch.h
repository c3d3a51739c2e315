#ifndef PS_STORE_UPDATE_BATCH_H_
#define PS_STORE_UPDATE_BATCH_H_

#include <array>
#include <cstddef>
#include <vector>

#include "ps/dtype.h"
#include "ps/updater.h"

namespace ps {

// How the elements of a shard lie in memory, in a dense block or in the rows of a hash table alike. An
// updater computes in the master dtype, with the k-th state of an element (k + 1) * state_step bytes behind
// it. Most dtypes are their own master. 16-bit floats either have masters in f32 beside the values, which
// are rounded copies of them, or (the usual thing) no masters: then they and their states go through f32 in
// blocks.
struct ElementFormat {
  DType dtype = DType::kF32;
  DType master = DType::kF32;
  bool has_masters = false;  // that are not the values
  int num_states = 0;

  bool is_staged() const { return dtype != master && !has_masters; }
};

// Elements of a shard that follow each other.
struct ElementRun {
  char* values = nullptr;   // dtype
  char* masters = nullptr;  // master dtype; the values where these are their own; null if is_staged()
  char* states = nullptr;   // the first one
};

// Hands elements of a shard and what came for them to an updater, many at a time. One thread.
class UpdateBatch {
 public:
  // `updater` outlives it.
  UpdateBatch(const ElementFormat& format, Updater* updater);

  // `context` with the shard's state_step, and the dtype of deltas (the elements' or their master's) hold
  // until the next Begin.
  void Begin(const UpdateContext& context, DType delta_dtype);
  // `delta` and the elements must stay where they are until Flush. Runs may repeat: they are handed over in
  // the order of the calls.
  void Add(const ElementRun& run, const void* delta, std::size_t count);
  // Everything that was added is applied.
  void Flush();

 private:
  static constexpr std::size_t kMostRuns = 64;
  static constexpr std::size_t kStagedElements = 1024;

  void AddPiece(const ElementRun& run, const char* delta, std::size_t count);
  // Copies into f32 what the updater is to see; returns where.
  UpdateRun Stage(const ElementRun& run, const char* delta, std::size_t count);
  void TakeBack(const ElementRun& run, const UpdateRun& done);
  float* Staged(int array) { return staging_.data() + static_cast<std::size_t>(array) * capacity_; }

  const ElementFormat format_;
  Updater* const updater_;
  UpdateContext context_;  // the shard's
  DType delta_dtype_ = DType::kF32;
  std::size_t num_runs_ = 0;
  std::array<UpdateRun, kMostRuns> runs_;
  std::array<ElementRun, kMostRuns> places_;  // of dtypes that are not their own master

  // Deltas, and if is_staged() values and states behind them: each `capacity_` elements, `used_` of them
  // taken.
  std::vector<float> staging_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace ps
#endif  // PS_STORE_UPDATE_BATCH_H_
