// Codecs that cannot carry NaN and infinity look before they write.
#ifndef PS_STORE_CODEC_FINITE_H_
#define PS_STORE_CODEC_FINITE_H_

#include <cstddef>

#include "ps/dtype.h"
#include "ps/status.h"

namespace ps {

// Of a float dtype. kInvalidArgument names the first value that is not finite, by index.
Status CheckFinite(DType dtype, const void* values, std::size_t count);
// The same for values of f32, f16 or bf16 and, if not null, their sums with residuals.
Status CheckFiniteSums(DType dtype, const void* values, const float* residual, std::size_t count);

// kInvalidArgument unless `codec`, whose residuals are f32, is for this dtype: f32, f16 or bf16.
Status CheckCompressible(const char* codec, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_FINITE_H_
