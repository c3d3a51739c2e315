#include "store/elements.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "store/element_type.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define PS_F16C __attribute__((target("avx2,f16c")))
#endif

namespace ps {
namespace {

// So many elements go through f32 at a time.
constexpr std::size_t kBlock = 256;

// --- one 16-bit float ---

float FromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
std::uint32_t ToBits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float Widen(BF16Bits value) { return FromBits(std::uint32_t{value.bits} << 16); }

void Narrow(float from, BF16Bits* to) {
  const std::uint32_t bits = ToBits(from);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    to->bits = static_cast<std::uint16_t>((bits >> 16) | 0x40U);  // a NaN stays one
  } else {
    to->bits = static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
  }
}

float Widen(F16Bits value) {
  const std::uint32_t sign = std::uint32_t{value.bits & 0x8000U} << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fU;
  const std::uint32_t fraction = value.bits & 0x3ffU;
  if (exponent == 0x1fU)
    return FromBits(sign | 0x7f800000U | (fraction << 13) | (fraction != 0 ? 0x400000U : 0U));
  if (exponent != 0) return FromBits(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

void Narrow(float from, F16Bits* to) {
  const std::uint32_t bits = ToBits(from);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U | ((magnitude >> 13) & 0x3ffU);
  } else if (magnitude >= 0x477ff000U) {
    half = 0x7c00U;  // what would round to 65536 or more
  } else if (magnitude >= 0x38800000U) {
    half = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  } else {
    // Adding 0.5 leaves a multiple of 2^-24 in the low bits, rounded as the processor rounds.
    half = ToBits(FromBits(magnitude) + 0.5F) - ToBits(0.5F);
  }
  to->bits = static_cast<std::uint16_t>(sign | half);
}

// --- arrays of them ---

template <typename T>
void WidenAll(const T* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = Widen(from[i]);
}
template <typename T>
void NarrowAll(const float* from, T* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) Narrow(from[i], &to[i]);
}

#if defined(__x86_64__)

bool HasF16c() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
  return has;
}

PS_F16C std::size_t WidenWith(const F16Bits* from, float* to, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  return i;
}

PS_F16C std::size_t NarrowWith(const float* from, F16Bits* to, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  return i;
}

PS_F16C std::size_t WidenWith(const BF16Bits* from, float* to, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    const __m256i wide = _mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), wide);
  }
  return i;
}

// The upper halves of eight words, rounded; where the float is a NaN, a quiet one.
PS_F16C __m256i RoundToBF16(__m256i bits) {
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff));
  const __m256i is_nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  return _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
}

PS_F16C std::size_t NarrowWith(const float* from, BF16Bits* to, std::size_t count) {
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m256i low = RoundToBF16(_mm256_castps_si256(_mm256_loadu_ps(from + i)));
    const __m256i high = RoundToBF16(_mm256_castps_si256(_mm256_loadu_ps(from + i + 8)));
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), packed);
  }
  return i;
}

template <typename T>
void WidenArray(const T* from, float* to, std::size_t count) {
  const std::size_t done = HasF16c() ? WidenWith(from, to, count) : 0;
  WidenAll(from + done, to + done, count - done);
}
template <typename T>
void NarrowArray(const float* from, T* to, std::size_t count) {
  const std::size_t done = HasF16c() ? NarrowWith(from, to, count) : 0;
  NarrowAll(from + done, to + done, count - done);
}

#else

template <typename T>
void WidenArray(const T* from, float* to, std::size_t count) {
  WidenAll(from, to, count);
}
template <typename T>
void NarrowArray(const float* from, T* to, std::size_t count) {
  NarrowAll(from, to, count);
}

#endif

// --- sums ---

template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else {
    return a + b;
  }
}
BoolByte Sum(BoolByte a, BoolByte b) { return {static_cast<std::uint8_t>((a.byte | b.byte) != 0)}; }

// In groups of a fixed number, which compilers make vectors of.
template <typename T>
void AddArray(T* __restrict to, const T* __restrict from, std::size_t count) {
  constexpr std::size_t kGroup = 64 / sizeof(T);
  std::size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    for (std::size_t j = 0; j < kGroup; ++j) to[i + j] = Sum(to[i + j], from[i + j]);
  }
  for (; i < count; ++i) to[i] = Sum(to[i], from[i]);
}

template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, F16Bits> || std::is_same_v<T, BF16Bits>;

template <typename T>
void AddHalves(T* to, const T* from, std::size_t count) {
  float sums[kBlock];
  float terms[kBlock];
  for (std::size_t at = 0; at < count; at += kBlock) {
    const std::size_t size = std::min(kBlock, count - at);
    WidenArray(to + at, sums, size);
    WidenArray(from + at, terms, size);
    AddArray(sums, terms, size);
    NarrowArray(sums, to + at, size);
  }
}

template <typename T>
T SumOfHalves(T a, T b) {
  T sum;
  Narrow(Widen(a) + Widen(b), &sum);
  return sum;
}
F16Bits Sum(F16Bits a, F16Bits b) { return SumOfHalves(a, b); }
BF16Bits Sum(BF16Bits a, BF16Bits b) { return SumOfHalves(a, b); }

template <typename T>
void AddToAll(char* const* places, std::size_t num_places, std::size_t width, const T* from) {
  if (width == 1) {
    for (std::size_t i = 0; i < num_places; ++i) {
      T* const to = reinterpret_cast<T*>(places[i]);
      *to = Sum(*to, from[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < num_places; ++i) {
    T* const to = reinterpret_cast<T*>(places[i]);
    if constexpr (kIsHalf<T>) {
      AddHalves(to, from + i * width, width);
    } else {
      AddArray(to, from + i * width, width);
    }
  }
}

}  // namespace

void AddElements(DType dtype, void* to, const void* from, std::size_t count) {
  VisitElementType(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (kIsHalf<T>) {
      AddHalves(static_cast<T*>(to), static_cast<const T*>(from), count);
    } else {
      AddArray(static_cast<T*>(to), static_cast<const T*>(from), count);
    }
  });
}

void AddToPlaces(DType dtype, char* const* places, std::size_t num_places, std::size_t width,
                 const void* from) {
  VisitElementType(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    AddToAll(places, num_places, width, static_cast<const T*>(from));
  });
}

void WidenElements(DType dtype, const void* from, float* to, std::size_t count) {
  if (dtype == DType::kBF16) return WidenArray(static_cast<const BF16Bits*>(from), to, count);
  WidenArray(static_cast<const F16Bits*>(from), to, count);
}

void NarrowElements(DType dtype, const float* from, void* to, std::size_t count) {
  if (dtype == DType::kBF16) return NarrowArray(from, static_cast<BF16Bits*>(to), count);
  NarrowArray(from, static_cast<F16Bits*>(to), count);
}

}  // namespace ps
