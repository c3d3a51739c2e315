// What the tests of codecs do again and again.
#ifndef PS_TESTS_STORE_CODEC_CODING_H_
#define PS_TESTS_STORE_CODEC_CODING_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/codec/codec.h"
#include "store/codec/header.h"
#include "store/elements.h"

namespace ps {

// Around groups of 4, 8, 16 and 32, around blocks, and long.
constexpr std::size_t kCodecCounts[] = {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 255, 256, 257, 10007};

inline std::unique_ptr<Codec> MakeCodecFor(const std::string& name, double parameter, DType dtype) {
  CodecSpec spec;
  spec.name = name;
  spec.parameter = parameter;
  return MakeCodec(spec, dtype).value();
}

// The encoded values. The memory is exactly as large as MaxBytes says, so that sanitizers see more.
template <typename T>
Result<std::vector<char>> Encode(const Codec& codec, const std::vector<T>& values,
                                 float* residual = nullptr) {
  const std::unique_ptr<char[]> to(new char[codec.MaxBytes(values.size())]);
  const Result<std::size_t> size = codec.Encode(values.data(), values.size(), residual, to.get());
  if (!size.ok()) return size.status();
  EXPECT_LE(size.value(), codec.MaxBytes(values.size()));
  return std::vector<char>(to.get(), to.get() + size.value());
}

template <typename T>
Result<std::vector<T>> Decode(const Codec& codec, const std::vector<char>& bytes, std::size_t count) {
  std::vector<T> values(count, T{77});
  const Status status = codec.Decode(bytes.data(), bytes.size(), count, values.data());
  if (!status.ok()) return status;
  return values;
}

template <typename T>
std::vector<T> RoundTrip(const Codec& codec, const std::vector<T>& values, float* residual = nullptr) {
  return Decode<T>(codec, Encode(codec, values, residual).value(), values.size()).value();
}

// Without the header, as hexadecimal digits.
inline std::string BodyOf(const std::vector<char>& bytes) {
  std::string digits;
  for (std::size_t i = CodecHeader::kBytes; i < bytes.size(); ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    digits += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return digits;
}

inline std::vector<float> RandomFloats(std::uint32_t seed, std::size_t count, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline std::vector<std::uint16_t> Narrowed(DType dtype, const std::vector<float>& values) {
  std::vector<std::uint16_t> narrow(values.size());
  NarrowElements(dtype, values.data(), narrow.data(), values.size());
  return narrow;
}

inline std::vector<float> Widened(DType dtype, const std::vector<std::uint16_t>& values) {
  std::vector<float> wide(values.size());
  WidenElements(dtype, values.data(), wide.data(), values.size());
  return wide;
}

// Truncated, prolonged, of another count, and with each byte of the header changed: an error each time.
template <typename T>
void CheckRefusals(const Codec& codec, const std::vector<char>& bytes, std::size_t count) {
  const auto refused = [&](const std::vector<char>& wrong, std::size_t expected) {
    return Decode<T>(codec, wrong, expected).status().code() == StatusCode::kInvalidArgument;
  };
  ASSERT_TRUE(Decode<T>(codec, bytes, count).ok());
  for (std::size_t i = 0; i < CodecHeader::kBytes; ++i) {
    std::vector<char> wrong = bytes;
    wrong[i] = static_cast<char>(wrong[i] ^ 0x40);
    // The form of the body is the codec's own affair, see there.
    EXPECT_TRUE(i == 3 || refused(wrong, count)) << "byte " << i;
    EXPECT_TRUE(
        refused(std::vector<char>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(i)), count));
  }
  std::vector<char> longer = bytes;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer, count));
  if (bytes.size() > CodecHeader::kBytes) {
    EXPECT_TRUE(refused(std::vector<char>(bytes.begin(), bytes.end() - 1), count));
  }
  EXPECT_TRUE(refused(bytes, count + 1));
}

}  // namespace ps
#endif  // PS_TESTS_STORE_CODEC_CODING_H_
