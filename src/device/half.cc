#include "device/half.h"

#include "device/launch.h"
#include "device/rules/cast.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define PS_HALF_F16C __attribute__((target("avx,f16c")))
#endif

namespace ps {
namespace {

// Casts all elements, as the body of RunWide.
template <typename To, typename From>
class CastAll {
 public:
  CastAll(const From* from, std::size_t size, To* to) : from_(from), size_(size), to_(to) {}

  PS_ALWAYS_INLINE void operator()() const { ForEach(size_, rules::Cast(), to_, from_); }

 private:
  const From* const from_;
  const std::size_t size_;
  To* const to_;
};

#if defined(__x86_64__)

constexpr std::size_t kGroup = 8;  // floats of a vector

// By the processor's own word for it: not all compilers' __builtin_cpu_supports know this one. That of avx
// says besides whether the system keeps the registers.
bool AskForF16c() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __builtin_cpu_supports("avx") != 0 && __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
bool HasF16c() {
  static const bool has = AskForF16c();
  return has;
}

// Both return how many elements they have converted; less than a vector is left.
PS_HALF_F16C std::size_t ConvertF16c(const Half* from, std::size_t size, float* to) {
  std::size_t i = 0;
  for (; i + kGroup <= size; i += kGroup) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  return i;
}

PS_HALF_F16C std::size_t ConvertF16c(const float* from, std::size_t size, Half* to) {
  std::size_t i = 0;
  for (; i + kGroup <= size; i += kGroup) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  return i;
}

#endif

template <typename From, typename To>
void ConvertHalves(const From* from, std::size_t size, To* to) {
  std::size_t done = 0;
#if defined(__x86_64__)
  if (HasF16c()) done = ConvertF16c(from, size, to);
#endif
  ForEach(size - done, rules::Cast(), to + done, from + done);
}

}  // namespace

void Convert(const Half* from, std::size_t size, float* to) { ConvertHalves(from, size, to); }
void Convert(const float* from, std::size_t size, Half* to) { ConvertHalves(from, size, to); }
void Convert(const BFloat16* from, std::size_t size, float* to) {
  RunWide(CastAll<float, BFloat16>(from, size, to));
}
void Convert(const float* from, std::size_t size, BFloat16* to) {
  RunWide(CastAll<BFloat16, float>(from, size, to));
}

}  // namespace ps
