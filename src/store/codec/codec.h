#ifndef PS_STORE_CODEC_CODEC_H_
#define PS_STORE_CODEC_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ps/dtype.h"
#include "ps/sarray.h"
#include "ps/status.h"
#include "ps/table_spec.h"

namespace ps {

// Makes values shorter for their way. Stateless: what the sender has to remember is handed in. Thread-safe.
// The bytes begin with a header of their own (codec/header.h), so that what comes from outside is checked
// against the table before it is read.
class Codec {
 public:
  virtual ~Codec() = default;

  // Whether Encode needs a residual: one f32 per element, zero at first, kept by the sender per table and
  // row.
  virtual bool HasResidual() const { return false; }
  // The largest result for so many elements, in bytes.
  virtual std::size_t MaxBytes(std::size_t count) const = 0;
  // Writes `count` elements to `to` (MaxBytes of room) and says how many bytes they took. Values that are not
  // finite, where the codec cannot carry them, are kInvalidArgument naming the index; then residual and `to`
  // are as before.
  virtual Result<std::size_t> Encode(const void* values, std::size_t count, float* residual,
                                     char* to) const = 0;
  // The other way round: kInvalidArgument when the bytes are not exactly `count` elements of this codec. Any
  // bytes may come. `values` has room for `count`, and is undefined after an error.
  virtual Status Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const = 0;
};

// The codec of a spec for elements of `dtype`; "none" copies and has no header. A parameter of 0 stands for
// 0.5 with 2bit, 0.01 with topk, 1 with fixed. kInvalidArgument: unknown name (lists them), a dtype or
// parameter it is not for.
Result<std::unique_ptr<Codec>> MakeCodec(const CodecSpec& spec, DType dtype);
// The same; null for "none", for who has values where they are and need not copy them.
Result<std::unique_ptr<Codec>> MakeCodecOrNone(const CodecSpec& spec, DType dtype);

}  // namespace ps
#endif  // PS_STORE_CODEC_CODEC_H_
