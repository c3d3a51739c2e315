// Work on whole arrays, on a stream: the functors of device/rules/ with the launcher of the stream's device.
//
// What each does stands in sums.h, casts.h, rows.h, bits.h and updates.h, once for all launchers.
//
// All return at once; the work is done in order with the rest of the stream, and arrays lie where its device
// can use them. An element has the same bits on every device, but that a NaN is any NaN and that a
// cast to an integer that can not hold the value gives any integer. What can not be (a dtype without such an
// operation, sizes that differ) is kInvalidArgument at once, and nothing is done.
#ifndef PS_DEVICE_KERNELS_H_
#define PS_DEVICE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/rules/element_rule.h"
#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// to = from[0] + from[1] + ..., of equal size and dtype; at most four are added at a time, as MXNet adds:
// b0 += ((b1 + b2) + b3) + b4. `to` may be from[0], and
// overlaps none of the others. 16-bit floats: each such step is made in float and
// rounded once. Integers wrap around.
Status Sum(Stream* stream, const TensorView& to, const std::vector<const void*>& from);
// values *= factor; floats only.
Status Scale(Stream* stream, const TensorView& values, double factor);
// As C++ casts.
Status Cast(Stream* stream, const TensorView& to, const TensorView& from);
// All elements `value`, as C++ casts it.
Status Fill(Stream* stream, const TensorView& to, double value);

// Rows of a matrix, the first dimension of which counts them: `ids` are i64, on the device, each within it.
// The processor looks, and fails; a CUDA device does not. to[i] = from[ids[i]]
Status GatherRows(Stream* stream, const TensorView& to, const TensorView& from, const TensorView& ids);
// to[ids[i]] = from[i]; ids differ.
Status ScatterRows(Stream* stream, const TensorView& to, const TensorView& from, const TensorView& ids);
// to[ids[i]] += from[i]; ids differ.
Status AddRows(Stream* stream, const TensorView& to, const TensorView& from, const TensorView& ids);
// Sorts `ids` (i64) and leaves out repetitions: the first *count of `ids`, when the stream has come here.
// What is behind them has any content.
Status UniqueRows(Stream* stream, const TensorView& ids, std::int64_t* count);

// The codes of the 2-bit and 1-bit codecs without their header: bytes as device/rules/two_bit.h and one_bit.h
// make them, the first element in the highest bits, whole 4-byte words. f32 only.
struct BitRule {
  enum Kind : std::uint8_t { kTwoBit, kOneBit };
  Kind kind = kTwoBit;
  float threshold = 0.5F;  // kTwoBit: above 0
};
std::size_t BytesOfBits(const BitRule& rule, std::size_t count);
// Where codes go: BytesOfBits bytes on the device; and how many values were refused (on the processor's
// side).
struct BitOutput {
  std::uint8_t* codes = nullptr;
  std::int64_t* num_refused = nullptr;  // valid when the stream has come here
};
// residual += gradient, then what leaves as a code is taken off it. Gradients that are not finite, or
// would make the residual so, take no part: they count as 0.
Status EncodeBits(Stream* stream, const BitRule& rule, const TensorView& gradient, float* residual,
                  const BitOutput& to);
// values += what the codes mean.
Status DecodeAddBits(Stream* stream, const BitRule& rule, const std::uint8_t* codes,
                     const TensorView& values);

// rule(values[i], contribution[i], states[0][i], ...) of an updater, f32 only: the weights of a model that
// lie on a device are updated there as on a server. As many states as the rule has; none of the arrays
// overlap.
Status Update(Stream* stream, const rules::ElementRule& rule, const TensorView& values,
              const float* contribution, const std::vector<float*>& states);

}  // namespace ps

#endif  // PS_DEVICE_KERNELS_H_
