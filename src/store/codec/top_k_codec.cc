#include "store/codec/top_k_codec.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "store/codec/finite.h"
#include "store/codec/float_input.h"
#include "store/codec/header.h"
#include "store/codec/magnitude_cut.h"
#include "store/codec/pairs.h"
#include "store/element_type.h"

namespace ps {
namespace {

// Largest finite one.
template <typename T>
constexpr float kMost = std::numeric_limits<float>::max();
template <>
constexpr float kMost<Half> = 65504;
template <>
constexpr float kMost<BFloat16> = 0x1.fep127F;

class TopKCodec : public Codec {
 public:
  TopKCodec(double share, DType dtype) : share_(share), dtype_(dtype) {}

  bool HasResidual() const override { return true; }
  std::size_t MaxBytes(std::size_t count) const override {
    return CodecHeader::kBytes + NumSent(count) * (IndexBytes(count) + SizeOf(dtype_));
  }
  Result<std::size_t> Encode(const void* values, std::size_t count, float* residual, char* to) const override;
  Status Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const override;

 private:
  std::size_t NumSent(std::size_t count) const {
    return std::min(count, static_cast<std::size_t>(std::ceil(share_ * static_cast<double>(count))));
  }
  CodecHeader Header(std::size_t count) const { return {CodecHeader::kTopK, dtype_, share_, count, 0}; }

  const double share_;
  const DType dtype_;
};

void AddToResidual(const void* values, DType dtype, std::size_t count, float* residual) {
  FloatInput input(values, dtype);
  for (std::size_t at = 0; at < count; at += FloatInput::kBlock) {
    const std::size_t size = std::min(FloatInput::kBlock, count - at);
    AddElements(DType::kF32, residual + at, input.Block(at, size), size);
  }
}

// Moves what is sent out of the residual.
template <typename T>
void MoveOut(float* residual, std::size_t count, MagnitudeCut cut, PairWriter<T> to) {
  for (std::size_t i = 0; i < count; ++i) {
    const float magnitude = std::fabs(residual[i]);
    std::uint32_t bits;
    std::memcpy(&bits, &magnitude, sizeof(bits));
    if (bits < cut.bits || (bits == cut.bits && cut.num_equal == 0)) continue;
    if (bits == cut.bits) --cut.num_equal;
    const T sent(std::clamp(residual[i], -kMost<T>, kMost<T>));
    to.Add(i, sent);
    residual[i] -= static_cast<float>(sent);
  }
}

Result<std::size_t> TopKCodec::Encode(const void* values, std::size_t count, float* residual,
                                      char* to) const {
  PS_RETURN_IF_ERROR(CheckFiniteSums(dtype_, values, residual, count));
  Header(count).Write(to);
  AddToResidual(values, dtype_, count, residual);
  const std::size_t not_zero = count - static_cast<std::size_t>(std::count(residual, residual + count, 0.0F));
  const std::size_t num_sent = std::min(NumSent(count), not_zero);
  if (num_sent == 0) return CodecHeader::kBytes;
  const MagnitudeCut cut = MagnitudeCut::Find(residual, count, num_sent);
  VisitFloat(dtype_, [&](auto type) {
    using T = typename decltype(type)::Type;
    MoveOut(residual, count, cut, PairWriter<T>(count, num_sent, to + CodecHeader::kBytes));
  });
  return CodecHeader::kBytes + num_sent * (IndexBytes(count) + SizeOf(dtype_));
}

Status TopKCodec::Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const {
  PS_RETURN_IF_ERROR(Header(count).Check(bytes, size).status());
  if (size > MaxBytes(count)) return CheckBody(size, MaxBytes(count) - CodecHeader::kBytes);
  return ReadPairs(bytes + CodecHeader::kBytes, size - CodecHeader::kBytes, dtype_, count, values);
}

}  // namespace

Result<std::unique_ptr<Codec>> MakeTopKCodec(double share, DType dtype) {
  PS_RETURN_IF_ERROR(CheckCompressible("topk", dtype));
  if (!(share > 0) || share > 1) {
    return Status::InvalidArgument(
        "codec topk: the share of elements that is sent must be above 0 and at most 1, "
        "not " +
        std::to_string(share));
  }
  return std::unique_ptr<Codec>(std::make_unique<TopKCodec>(share, dtype));
}

}  // namespace ps
