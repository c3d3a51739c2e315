#include "store/codec/half_codec.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/copy.h"
#include "store/codec/header.h"
#include "store/element_type.h"
#include "store/elements.h"

namespace ps {
namespace {

constexpr std::size_t kBlock = 256;

// The least magnitude that is rounded to infinity.
constexpr float kTooLargeForF16 = 65520;
constexpr float kTooLargeForBF16 = 0x1.ffp127F;

class HalfCodec : public Codec {
 public:
  HalfCodec(DType wire, DType dtype) : wire_(wire), dtype_(dtype) {}

  std::size_t MaxBytes(std::size_t count) const override { return CodecHeader::kBytes + BodyBytes(count); }
  Result<std::size_t> Encode(const void* values, std::size_t count, float* residual, char* to) const override;
  Status Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const override;

 private:
  static std::size_t BodyBytes(std::size_t count) { return count * sizeof(std::uint16_t); }
  CodecHeader Header(std::size_t count) const {
    return {wire_ == DType::kF16 ? CodecHeader::kF16 : CodecHeader::kBF16, dtype_, 0, count, 0};
  }
  template <typename T>
  Status CheckRange(const T* values, std::size_t count) const;
  template <typename T>
  void Narrow(const T* from, std::size_t count, char* to) const;
  template <typename T>
  void Widen(const char* from, std::size_t count, T* to) const;

  const DType wire_;
  const DType dtype_;
};

// Through f32, whatever T is. The arrays are in blocks of at most kBlock.
template <typename T>
void ToFloats(const T* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

template <typename T>
bool IsTooLarge(T value, float too_large) {
  return std::fabs(static_cast<float>(value)) >= too_large && std::isfinite(static_cast<double>(value));
}

template <typename T>
Status HalfCodec::CheckRange(const T* values, std::size_t count) const {
  const float too_large = wire_ == DType::kF16 ? kTooLargeForF16 : kTooLargeForBF16;
  for (std::size_t at = 0; at < count; at += kBlock) {
    const std::size_t size = std::min(kBlock, count - at);
    int num_large = 0;
    for (std::size_t i = at; i < at + size; ++i) num_large += IsTooLarge(values[i], too_large) ? 1 : 0;
    if (num_large == 0) continue;
    std::size_t first = at;
    while (!IsTooLarge(values[first], too_large)) ++first;
    return Status::InvalidArgument("element " + std::to_string(first) + " is " +
                                   std::to_string(static_cast<double>(values[first])) +
                                   ", which would become infinite in " + NameOf(wire_));
  }
  return Status::Ok();
}

template <typename T>
void HalfCodec::Narrow(const T* from, std::size_t count, char* to) const {
  float wide[kBlock];
  std::uint16_t narrow[kBlock];
  for (std::size_t at = 0; at < count; at += kBlock) {
    const std::size_t size = std::min(kBlock, count - at);
    ToFloats(from + at, size, wide);
    NarrowElements(wire_, wide, narrow, size);
    std::memcpy(to + at * sizeof(narrow[0]), narrow, size * sizeof(narrow[0]));
  }
}

template <typename T>
void HalfCodec::Widen(const char* from, std::size_t count, T* to) const {
  float wide[kBlock];
  std::uint16_t narrow[kBlock];
  for (std::size_t at = 0; at < count; at += kBlock) {
    const std::size_t size = std::min(kBlock, count - at);
    std::memcpy(narrow, from + at * sizeof(narrow[0]), size * sizeof(narrow[0]));
    WidenElements(wire_, narrow, wide, size);
    for (std::size_t i = 0; i < size; ++i) to[at + i] = static_cast<T>(wide[i]);
  }
}

Result<std::size_t> HalfCodec::Encode(const void* values, std::size_t count, float* /*residual*/,
                                      char* to) const {
  char* const body = to + CodecHeader::kBytes;
  const Status status = VisitFloat(dtype_, [&](auto type) {
    using T = typename decltype(type)::Type;
    const T* const from = static_cast<const T*>(values);
    if (dtype_ == wire_) {
      CopyBytes(body, values, BodyBytes(count));
      return Status::Ok();
    }
    PS_RETURN_IF_ERROR(CheckRange(from, count));
    Narrow(from, count, body);
    return Status::Ok();
  });
  PS_RETURN_IF_ERROR(status);
  Header(count).Write(to);
  return MaxBytes(count);
}

Status HalfCodec::Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const {
  PS_RETURN_IF_ERROR(Header(count).Check(bytes, size).status());
  PS_RETURN_IF_ERROR(CheckBody(size, BodyBytes(count)));
  const char* const body = bytes + CodecHeader::kBytes;
  if (dtype_ == wire_) {
    CopyBytes(values, body, BodyBytes(count));
    return Status::Ok();
  }
  return VisitFloat(dtype_, [&](auto type) {
    Widen(body, count, static_cast<typename decltype(type)::Type*>(values));
    return Status::Ok();
  });
}

Result<std::unique_ptr<Codec>> Make(DType wire, DType dtype) {
  if (!IsFloat(dtype)) {
    return Status::InvalidArgument(std::string("codec ") + NameOf(wire) +
                                   " is for f32, f64, f16 and bf16, not " + NameOf(dtype));
  }
  return std::unique_ptr<Codec>(std::make_unique<HalfCodec>(wire, dtype));
}

}  // namespace

Result<std::unique_ptr<Codec>> MakeF16Codec(double /*parameter*/, DType dtype) {
  return Make(DType::kF16, dtype);
}

Result<std::unique_ptr<Codec>> MakeBF16Codec(double /*parameter*/, DType dtype) {
  return Make(DType::kBF16, dtype);
}

}  // namespace ps
