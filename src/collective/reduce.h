#ifndef PS_COLLECTIVE_REDUCE_H_
#define PS_COLLECTIVE_REDUCE_H_

#include <cstddef>

#include "ps/collective.h"
#include "ps/dtype.h"
#include "ps/status.h"

namespace ps {

// Whether there is such a reduction of these elements: kInvalidArgument for sums and products of bools.
Status CheckReduce(ReduceOp op, DType dtype);

struct Reduction {
  ReduceOp op = ReduceOp::kSum;
  DType dtype = DType::kF32;
};

// to[i] = op(first[i], second[i]). `to` may be one of the two; else nothing overlaps. The order of the two
// tells equal values with different bits apart (a zero's sign), so both ends of an exchange use the same one.
// Needs CheckReduce.
void Reduce(const Reduction& reduction, const void* first, const void* second, void* to, std::size_t count);

}  // namespace ps

#endif  // PS_COLLECTIVE_REDUCE_H_
