#ifndef PS_STORE_CHECKPOINT_STEPS_H_
#define PS_STORE_CHECKPOINT_STEPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ps/status.h"
#include "store/checkpoint/files.h"

namespace ps {

// The checkpoints at a place are folders named by their steps, numbers that grow. One is complete when it has
// a whole MANIFEST; what was begun and never ended is skipped, and removed when a later one is complete.

// All steps that there are, complete or not, in order.
Result<std::vector<std::uint64_t>> ListSteps(CheckpointFiles* files);

struct NewestStep {
  std::uint64_t step = 0;
  std::vector<std::uint64_t> incomplete;  // newer ones that were begun and never ended: worth a warning
};
// The newest complete one. kNotFound: there is none. kInvalidArgument: its manifest is there, but damaged; an
// older one is not taken in its place in silence.
Result<NewestStep> FindNewestStep(CheckpointFiles* files);

// A step for a new checkpoint: above all that there are.
Result<std::uint64_t> NextStep(CheckpointFiles* files);

// Removes all complete steps but the newest `keep` (at least 1), and what is not complete and older than the
// newest complete one. The manifest goes first, so that half a checkpoint never looks like a whole one. Where
// files cannot be removed (kFailedPrecondition) nothing happens.
Status RemoveOldSteps(CheckpointFiles* files, std::size_t keep);

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_STEPS_H_
