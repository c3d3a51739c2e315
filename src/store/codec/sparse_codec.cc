#include "store/codec/sparse_codec.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/copy.h"
#include "store/codec/header.h"
#include "store/codec/pairs.h"
#include "store/element_type.h"

namespace ps {
namespace {

// The form of the body: the bytes of an index, or none for values as they are.
constexpr std::uint8_t kRaw = 0;

std::uint8_t IndexForm(std::size_t count) { return static_cast<std::uint8_t>(IndexBytes(count)); }

// Whether an element is sent.
template <typename T>
class IsAbove {
 public:
  explicit IsAbove(double clip)
      : clip_(clip), whole_(clip < 0x1p64 ? static_cast<std::uint64_t>(clip) : UINT64_MAX) {}

  bool operator()(T value) const {
    if constexpr (std::is_same_v<T, BoolByte>) {
      return static_cast<std::uint64_t>(value.byte != 0) > whole_;
    } else if constexpr (std::is_integral_v<T>) {
      // The magnitude of the lowest number is one more than that of the highest.
      const auto bits = static_cast<std::uint64_t>(value);
      return (value < 0 ? std::uint64_t{0} - bits : bits) > whole_;
    } else {
      return !(std::fabs(static_cast<double>(value)) <= clip_);
    }
  }

 private:
  const double clip_;
  const std::uint64_t whole_;  // the part of clip before the point
};

class SparseCodec : public Codec {
 public:
  SparseCodec(double clip, DType dtype) : clip_(clip), dtype_(dtype), element_bytes_(SizeOf(dtype)) {}

  std::size_t MaxBytes(std::size_t count) const override {
    // Pairs are at most half as many.
    const std::size_t pairs = count / 2 * (IndexBytes(count) + element_bytes_);
    return CodecHeader::kBytes + std::max(pairs, count * element_bytes_);
  }
  Result<std::size_t> Encode(const void* values, std::size_t count, float* residual, char* to) const override;
  Status Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const override;

 private:
  CodecHeader Header(std::size_t count, std::uint8_t form) const {
    return {CodecHeader::kSparse, dtype_, clip_, count, form};
  }

  const double clip_;
  const DType dtype_;
  const std::size_t element_bytes_;
};

template <typename T>
std::size_t CountAbove(const T* values, std::size_t count, const IsAbove<T>& is_above) {
  std::size_t above = 0;
  for (std::size_t i = 0; i < count; ++i) above += is_above(values[i]) ? 1 : 0;
  return above;
}

template <typename T>
void WritePairs(const T* values, std::size_t count, const IsAbove<T>& is_above, PairWriter<T> to) {
  for (std::size_t i = 0; i < count; ++i) {
    if (is_above(values[i])) to.Add(i, values[i]);
  }
}

Result<std::size_t> SparseCodec::Encode(const void* values, std::size_t count, float* /*residual*/,
                                        char* to) const {
  char* const body = to + CodecHeader::kBytes;
  return VisitElementType(dtype_, [&](auto type) -> std::size_t {
    using T = typename decltype(type)::Type;
    const T* const from = static_cast<const T*>(values);
    const IsAbove<T> is_above(clip_);
    const std::size_t above = CountAbove(from, count, is_above);
    if (2 * above >= count) {
      Header(count, kRaw).Write(to);
      CopyBytes(body, values, count * sizeof(T));
      return CodecHeader::kBytes + count * sizeof(T);
    }
    Header(count, IndexForm(count)).Write(to);
    WritePairs(from, count, is_above, PairWriter<T>(count, above, body));
    return CodecHeader::kBytes + above * (IndexBytes(count) + sizeof(T));
  });
}

Status SparseCodec::Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const {
  const Result<std::uint8_t> form = Header(count, kRaw).Check(bytes, size);
  PS_RETURN_IF_ERROR(form.status());
  const char* const body = bytes + CodecHeader::kBytes;
  if (form.value() == IndexForm(count))
    return ReadPairs(body, size - CodecHeader::kBytes, dtype_, count, values);
  if (form.value() != kRaw)
    return Status::InvalidArgument("sparse values have indices of as many bytes: " +
                                   std::to_string(form.value()));
  PS_RETURN_IF_ERROR(CheckBody(size, count * element_bytes_));
  CopyBytes(values, body, count * element_bytes_);
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<Codec>> MakeSparseCodec(double clip, DType dtype) {
  if (!(clip >= 0) || !std::isfinite(clip)) {
    return Status::InvalidArgument(
        "codec sparse: the magnitude below which elements are left out must be 0 " +
        ("or more, not " + std::to_string(clip)));
  }
  return std::unique_ptr<Codec>(std::make_unique<SparseCodec>(clip, dtype));
}

}  // namespace ps
