#ifndef PS_GROUP_MERGE_H_
#define PS_GROUP_MERGE_H_

#include <vector>

#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// How what several devices have becomes one value.
enum class MergeKind : std::uint8_t {
  kSum,
  kMean,    // the sum divided by their number; floats only
  kGather,  // one after the other, by the first dimension
};

// The value of a round.
struct MergedValue {
  Tensor values;
  bool is_lent = false;  // it is the array of the only device, where it lies; else memory of its own
};

// Merges arrays of equal shape (rows, columns) and dtype, at least one, in their order, whose bits do not
// depend on threads. In the processor's memory, or with `may_stay` on the device of the first one. Waits for
// what writes the arrays; done when it returns. Throws Error.
MergedValue MergeParts(Resources* resources, MergeKind kind, const std::vector<TensorView>& parts,
                       bool may_stay);
// The shape of what `num_parts` arrays become.
Shape MergedShape(const Shape& part, MergeKind kind, std::size_t num_parts);

}  // namespace ps

#endif  // PS_GROUP_MERGE_H_
