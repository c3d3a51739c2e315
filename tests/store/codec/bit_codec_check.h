// Checks of the 2-bit and the 1-bit codec against a plain loop.
#ifndef PS_TESTS_STORE_CODEC_BIT_CODEC_CHECK_H_
#define PS_TESTS_STORE_CODEC_BIT_CODEC_CHECK_H_

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {

// What a codec of `bits` does, as the specification writes it: one element's step, and what is kept back.
using PlainStep = float (*)(float* residual, float gradient, unsigned* code);

struct PlainCode {
  std::vector<float> decoded;
  std::vector<std::uint8_t> bytes;
};

inline PlainCode EncodePlainly(PlainStep step, std::size_t bits, const std::vector<float>& values,
                               std::vector<float>* residual) {
  const std::size_t per_byte = 8 / bits;
  PlainCode plain;
  plain.bytes.resize((values.size() + 4 * per_byte - 1) / (4 * per_byte) * 4);
  for (std::size_t i = 0; i < values.size(); ++i) {
    unsigned code = 0;
    plain.decoded.push_back(step(&(*residual)[i], values[i], &code));
    plain.bytes[i / per_byte] =
        static_cast<std::uint8_t>(plain.bytes[i / per_byte] | code << (8 - bits * (i % per_byte + 1)));
  }
  return plain;
}

// Several pushes of random values of all counts: bytes, residuals and decoded values, bit for bit.
inline void CheckAgainstPlain(const Codec& codec, PlainStep step, std::size_t bits) {
  for (const std::size_t count : kCodecCounts) {
    std::vector<float> residual(count);
    std::vector<float> plain_residual(count);
    for (std::uint32_t push = 0; push < 4; ++push) {
      const std::vector<float> values = RandomFloats(push, count, 2);
      const PlainCode plain = EncodePlainly(step, bits, values, &plain_residual);
      const std::vector<char> bytes = Encode(codec, values, residual.data()).value();
      ASSERT_EQ(std::vector<std::uint8_t>(bytes.begin() + CodecHeader::kBytes, bytes.end()), plain.bytes)
          << count;
      ASSERT_EQ(residual, plain_residual) << count;
      ASSERT_EQ(Decode<float>(codec, bytes, count).value(), plain.decoded) << count;
    }
  }
}

// 16-bit floats have the bytes and residuals of the same numbers in f32.
inline void CheckHalves(const std::string& name, double threshold) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const auto wide = MakeCodecFor(name, threshold, DType::kF32);
    const auto codec = MakeCodecFor(name, threshold, dtype);
    for (const std::size_t count : kCodecCounts) {
      const std::vector<std::uint16_t> values = Narrowed(dtype, RandomFloats(3, count));
      std::vector<float> residual(count);
      std::vector<float> wide_residual(count);
      const std::vector<char> bytes = Encode(*codec, values, residual.data()).value();
      const std::vector<char> expected = Encode(*wide, Widened(dtype, values), wide_residual.data()).value();
      EXPECT_EQ(BodyOf(bytes), BodyOf(expected));
      EXPECT_EQ(residual, wide_residual);
      EXPECT_EQ(Widened(dtype, Decode<std::uint16_t>(*codec, bytes, count).value()),
                Decode<float>(*wide, expected, count).value());
    }
  }
}

// What is not finite changes neither the residual nor the memory that was to be written.
inline void CheckNotFinite(const Codec& codec) {
  std::vector<float> values = RandomFloats(1, 600);
  values[401] = std::numeric_limits<float>::infinity();
  values[500] = std::nanf("");
  std::vector<float> residual = RandomFloats(2, 600);
  const std::vector<float> before = residual;
  std::vector<char> to(codec.MaxBytes(600), 'x');
  const Status status = codec.Encode(values.data(), 600, residual.data(), to.data()).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("element 401 "), std::string::npos) << status;
  EXPECT_EQ(residual, before);
  EXPECT_EQ(to, std::vector<char>(to.size(), 'x'));
}

}  // namespace ps
#endif  // PS_TESTS_STORE_CODEC_BIT_CODEC_CHECK_H_
