#ifndef PS_STORE_CODEC_PACKED_CODEC_H_
#define PS_STORE_CODEC_PACKED_CODEC_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "device/launch.h"
#include "device/pack_bits.h"
#include "store/codec/codec.h"
#include "store/codec/finite.h"
#include "store/codec/float_input.h"
#include "store/codec/header.h"

namespace ps {

// Values of f32, f16 or bf16 as codes of kBits of a rule of device/rules/, with a residual. The body: element
// 0 in the highest bits of byte 0 and so on, zeros up to a whole 4-byte word; so the bytes are the same on
// all machines. MXNet's, to the bit, but for values that are not finite: those are refused.
template <typename Rule>
class PackedCodec : public Codec {
 public:
  static constexpr std::size_t kPerByte = 8 / Rule::kBits;
  static constexpr std::size_t kPerWord = 4 * kPerByte;

  PackedCodec(CodecHeader::Id id, const Rule& rule, DType dtype);

  bool HasResidual() const override { return true; }
  std::size_t MaxBytes(std::size_t count) const override { return CodecHeader::kBytes + BodyBytes(count); }
  Result<std::size_t> Encode(const void* values, std::size_t count, float* residual, char* to) const override;
  Status Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const override;

 private:
  static_assert(FloatInput::kBlock % kPerWord == 0, "blocks are whole words");

  // The body of RunWide: codes of a block, and what they leave in the residuals.
  struct EncodeBlock {
    const Rule& rule;
    const float* gradients;
    float* residual;
    std::size_t count;
    std::uint8_t* to;

    PS_ALWAYS_INLINE void operator()() const {
      std::uint8_t codes[FloatInput::kBlock];
      ForEach(count, rule, static_cast<std::uint8_t*>(codes), residual, gradients);
      const std::size_t num_bytes = BodyBytes(count);
      for (std::size_t i = count; i < num_bytes * kPerByte; ++i) codes[i] = 0;
      PackCodes<Rule::kBits>(codes, num_bytes, to);
    }
  };

  static std::size_t BodyBytes(std::size_t count) { return PackedBytes<Rule::kBits>(count); }
  CodecHeader Header(std::size_t count) const { return {id_, dtype_, rule_.threshold, count, 0}; }
  // kBytes: of the values of one byte of codes.
  template <std::size_t kBytes>
  void Unpack(const char* body, std::size_t count, char* values) const;

  const CodecHeader::Id id_;
  const Rule rule_;
  const DType dtype_;
  std::vector<char> table_;  // by byte: the kPerByte elements that it stands for
};

template <typename Rule>
PackedCodec<Rule>::PackedCodec(CodecHeader::Id id, const Rule& rule, DType dtype)
    : id_(id), rule_(rule), dtype_(dtype), table_(256 * kPerByte * SizeOf(dtype)) {
  std::vector<float> values(256 * kPerByte);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t shift = 8 - static_cast<std::size_t>(Rule::kBits) * (i % kPerByte + 1);
    values[i] = rule.Decode(static_cast<std::uint8_t>(i / kPerByte >> shift & ((1U << Rule::kBits) - 1)));
  }
  if (dtype == DType::kF32) {
    std::memcpy(table_.data(), values.data(), table_.size());
  } else {
    NarrowElements(dtype, values.data(), table_.data(), values.size());
  }
}

template <typename Rule>
Result<std::size_t> PackedCodec<Rule>::Encode(const void* values, std::size_t count, float* residual,
                                              char* to) const {
  PS_RETURN_IF_ERROR(CheckFiniteSums(dtype_, values, residual, count));
  Header(count).Write(to);
  auto* const body = reinterpret_cast<std::uint8_t*>(to + CodecHeader::kBytes);
  FloatInput input(values, dtype_);
  for (std::size_t at = 0; at < count; at += FloatInput::kBlock) {
    const std::size_t size = std::min(FloatInput::kBlock, count - at);
    RunWide(EncodeBlock{rule_, input.Block(at, size), residual + at, size, body + at / kPerByte});
  }
  return MaxBytes(count);
}

template <typename Rule>
template <std::size_t kBytes>
void PackedCodec<Rule>::Unpack(const char* body, std::size_t count, char* values) const {
  const std::size_t whole = count / kPerByte;
  const auto entry = [&](std::size_t i) {
    return table_.data() + static_cast<std::uint8_t>(body[i]) * kBytes;
  };
  for (std::size_t i = 0; i < whole; ++i) std::memcpy(values + i * kBytes, entry(i), kBytes);
  const std::size_t rest = (count % kPerByte) * (kBytes / kPerByte);
  if (rest != 0) std::memcpy(values + whole * kBytes, entry(whole), rest);
}

template <typename Rule>
Status PackedCodec<Rule>::Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const {
  PS_RETURN_IF_ERROR(Header(count).Check(bytes, size).status());
  PS_RETURN_IF_ERROR(CheckBody(size, BodyBytes(count)));
  const char* const body = bytes + CodecHeader::kBytes;
  char* const to = static_cast<char*>(values);
  if (dtype_ == DType::kF32) {
    Unpack<kPerByte * sizeof(float)>(body, count, to);
  } else {
    Unpack<kPerByte * sizeof(std::uint16_t)>(body, count, to);
  }
  return Status::Ok();
}

}  // namespace ps
#endif  // PS_STORE_CODEC_PACKED_CODEC_H_
