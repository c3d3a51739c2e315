#include "store/codec/fixed_codec.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "device/rules/fixed_point.h"
#include "store/codec/finite.h"
#include "store/codec/header.h"
#include "store/element_type.h"
#include "store/mix64.h"

namespace ps {
namespace {

// The body: the least and the largest number (f64), then the codes.
constexpr std::size_t kRangeBytes = 2 * sizeof(double);

struct ValueRange {
  double low = 0;
  double high = 0;
};

template <typename T>
ValueRange RangeOf(const T* values, std::size_t count) {
  if (count == 0) return {};
  ValueRange range{static_cast<double>(values[0]), static_cast<double>(values[0])};
  for (std::size_t i = 1; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

std::uint64_t BitsOf(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// The largest finite number.
double MostOf(DType dtype) {
  switch (dtype) {
    case DType::kF64: return std::numeric_limits<double>::max();
    case DType::kF16: return 65504;
    case DType::kBF16: return 0x1.fep127;
    default: return std::numeric_limits<float>::max();
  }
}

// kBytes: of a code.
template <std::size_t kBytes, typename T>
void WriteCodes(const rules::FixedPoint& rule, const T* values, std::size_t count, char* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t code = rule.Encode(static_cast<double>(values[i]), i);
    std::memcpy(to + i * kBytes, &code, kBytes);
  }
}

template <std::size_t kBytes, typename T>
void ReadCodes(const rules::FixedPoint& rule, const char* from, std::size_t count, T* values) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t code = 0;
    std::memcpy(&code, from + i * kBytes, kBytes);
    values[i] = static_cast<T>(rule.Decode(code));
  }
}

// Calls `run` with the number of bytes as a type.
template <typename Run>
void WithBytes(std::size_t bytes, const Run& run) {
  switch (bytes) {
    case 1: return run(std::integral_constant<std::size_t, 1>());
    case 2: return run(std::integral_constant<std::size_t, 2>());
    case 3: return run(std::integral_constant<std::size_t, 3>());
    default: return run(std::integral_constant<std::size_t, 4>());
  }
}

class FixedCodec : public Codec {
 public:
  FixedCodec(std::size_t bytes, DType dtype) : bytes_(bytes), dtype_(dtype) {}

  std::size_t MaxBytes(std::size_t count) const override { return CodecHeader::kBytes + BodyBytes(count); }
  Result<std::size_t> Encode(const void* values, std::size_t count, float* residual, char* to) const override;
  Status Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const override;

 private:
  std::size_t BodyBytes(std::size_t count) const { return kRangeBytes + count * bytes_; }
  CodecHeader Header(std::size_t count) const {
    return {CodecHeader::kFixed, dtype_, static_cast<double>(bytes_), count, 0};
  }
  rules::FixedPoint Rule(const ValueRange& range, std::uint64_t seed) const {
    return {range.low, range.high, std::ldexp(1.0, static_cast<int>(8 * bytes_)) - 2, seed};
  }

  const std::size_t bytes_;
  const DType dtype_;
  mutable std::atomic<std::uint64_t> num_calls_{0};
};

Result<std::size_t> FixedCodec::Encode(const void* values, std::size_t count, float* /*residual*/,
                                       char* to) const {
  PS_RETURN_IF_ERROR(CheckFinite(dtype_, values, count));
  Header(count).Write(to);
  const std::uint64_t call = num_calls_.fetch_add(1, std::memory_order_relaxed);
  char* const body = to + CodecHeader::kBytes;
  VisitFloat(dtype_, [&](auto type) {
    const auto* const from = static_cast<const typename decltype(type)::Type*>(values);
    const ValueRange range = RangeOf(from, count);
    std::memcpy(body, &range.low, sizeof(range.low));
    std::memcpy(body + sizeof(range.low), &range.high, sizeof(range.high));
    const std::uint64_t seed = Mix64(Mix64(BitsOf(range.low)) ^ Mix64(BitsOf(range.high) + call + 1));
    const rules::FixedPoint rule = Rule(range, seed);
    WithBytes(bytes_, [&](auto bytes) { WriteCodes<bytes()>(rule, from, count, body + kRangeBytes); });
  });
  return MaxBytes(count);
}

Status FixedCodec::Decode(const char* bytes, std::size_t size, std::size_t count, void* values) const {
  PS_RETURN_IF_ERROR(Header(count).Check(bytes, size).status());
  PS_RETURN_IF_ERROR(CheckBody(size, BodyBytes(count)));
  const char* const body = bytes + CodecHeader::kBytes;
  ValueRange range;
  std::memcpy(&range.low, body, sizeof(range.low));
  std::memcpy(&range.high, body + sizeof(range.low), sizeof(range.high));
  const double most = MostOf(dtype_);
  if (!(range.low >= -most && range.low <= range.high && range.high <= most))
    return Status::InvalidArgument("encoded values are between " + std::to_string(range.low) + " and " +
                                   std::to_string(range.high));
  const rules::FixedPoint rule = Rule(range, 0);
  VisitFloat(dtype_, [&](auto type) {
    auto* const to = static_cast<typename decltype(type)::Type*>(values);
    WithBytes(bytes_, [&](auto width) { ReadCodes<width()>(rule, body + kRangeBytes, count, to); });
  });
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<Codec>> MakeFixedCodec(double bytes, DType dtype) {
  if (bytes != 1 && bytes != 2 && bytes != 3 && bytes != 4)
    return Status::InvalidArgument("codec fixed: 1, 2, 3 or 4 bytes per number, not " +
                                   std::to_string(bytes));
  if (!IsFloat(dtype))
    return Status::InvalidArgument(std::string("codec fixed is for f32, f64, f16 and bf16, not ") +
                                   NameOf(dtype));
  return std::unique_ptr<Codec>(std::make_unique<FixedCodec>(static_cast<std::size_t>(bytes), dtype));
}

}  // namespace ps
