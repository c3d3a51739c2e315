#ifndef PS_STORE_CODEC_HEADER_H_
#define PS_STORE_CODEC_HEADER_H_

#include <cstddef>
#include <cstdint>

#include "ps/dtype.h"
#include "ps/status.h"

namespace ps {

// What stands in front of encoded values, little-endian:
//
//   0 codec id   1 version   2 dtype   3 form   4 zeros   8 count   16 bits of the parameter (f64)   24 body
//
// Both sides know all of it from the table's spec: it is there so that bytes of another codec, table or
// version are refused, not misread.
struct CodecHeader {
  // They travel: never changed, never used again.
  enum Id : std::uint8_t {
    kSparse = 1,
    kF16 = 2,
    kBF16 = 3,
    kTwoBit = 4,
    kOneBit = 5,
    kTopK = 6,
    kFixed = 7
  };
  static constexpr std::size_t kBytes = 24;
  static constexpr std::uint8_t kVersion = 1;

  Id id = kSparse;
  DType dtype = DType::kF32;
  double parameter = 0;
  std::uint64_t count = 0;
  std::uint8_t form = 0;  // of the body, where the codec has several

  // kBytes at `to`.
  void Write(char* to) const;
  // The form, if `size` bytes begin with this header, whatever its form is; kInvalidArgument says what is
  // different.
  Result<std::uint8_t> Check(const char* bytes, std::size_t size) const;
};

// kInvalidArgument unless the body has so many bytes; `size` is with the header.
Status CheckBody(std::size_t size, std::size_t body_bytes);

}  // namespace ps
#endif  // PS_STORE_CODEC_HEADER_H_
