#include "base/copy.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/sanitizer.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#define PS_COPY_AVX2 __attribute__((target("avx2")))
#endif

namespace ps {
namespace {

// What a cache holds at least where the system does not tell.
constexpr long kUnknownCacheBytes = 32L << 20;

size_t LastCacheBytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
  const long bytes = -1;
#endif
  return static_cast<size_t>(bytes > 0 ? bytes : kUnknownCacheBytes);
}

#if defined(__x86_64__)

constexpr size_t kVector = sizeof(__m256i);
constexpr size_t kLine = 64;
constexpr size_t kPage = 4096;
// So many pages are read at a time.
constexpr size_t kStreams = 4;
constexpr size_t kAhead = 1024;  // bytes fetched ahead of a copy past the caches

bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

// Whether REP MOVSB is fast ("ERMS"). Sanitizers do not see what it touches.
bool HasFastRep() {
#if defined(PS_ADDRESS_SANITIZER) || defined(PS_THREAD_SANITIZER)
  return false;
#endif
  static const bool has = [] {
    constexpr unsigned kExtended = 7;
    constexpr unsigned kBit = 1U << 9;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(kExtended, 0, &a, &b, &c, &d) != 0 && (b & kBit) != 0;
  }();
  return has;
}

// A place less than a line behind its source, modulo a page, is copied to in another way, and slowly.
bool IsCloseBehind(const void* to, const void* from) {
  const size_t behind = (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from)) % kPage;
  return behind > 0 && behind < kLine;
}

void CopyRep(void* to, const void* from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

PS_COPY_AVX2 inline __m256i Load(const char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
PS_COPY_AVX2 inline void Store(char* to, __m256i bytes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
}
PS_COPY_AVX2 inline void StorePast(char* to, __m256i bytes) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), bytes);
}

PS_COPY_AVX2 inline void CopyLine(char* to, const char* from) {
  const __m256i low = Load(from);
  const __m256i high = Load(from + kVector);
  Store(to, low);
  Store(to + kVector, high);
}

// Copies the bytes in front of the first line of `to`, and moves everything there. Needs a line at least.
PS_COPY_AVX2 inline void CopyToLine(char** to, const char** from, size_t* bytes) {
  const size_t skipped = kLine - (reinterpret_cast<uintptr_t>(*to) & (kLine - 1));
  CopyLine(*to, *from);
  *to += skipped;
  *from += skipped;
  *bytes -= skipped;
}

// The end, which has less than a line, together with what is in front of it. Needs a line at least there.
PS_COPY_AVX2 inline void CopyEnd(char* to, const char* from, size_t bytes) {
  if (bytes != 0) CopyLine(to + bytes - kLine, from + bytes - kLine);
}

PS_COPY_AVX2 void CopyLines(char* to, const char* from, size_t bytes) {
  for (; bytes >= 2 * kLine; bytes -= 2 * kLine, to += 2 * kLine, from += 2 * kLine) {
    const __m256i a = Load(from);
    const __m256i b = Load(from + kVector);
    const __m256i c = Load(from + 2 * kVector);
    const __m256i d = Load(from + 3 * kVector);
    Store(to, a);
    Store(to + kVector, b);
    Store(to + 2 * kVector, c);
    Store(to + 3 * kVector, d);
  }
  if (bytes >= kLine) {
    CopyLine(to, from);
    to += kLine;
    from += kLine;
    bytes -= kLine;
  }
  CopyEnd(to, from, bytes);
}

PS_COPY_AVX2 void CopyAvx2(char* to, const char* from, size_t bytes) {
  CopyToLine(&to, &from, &bytes);
  CopyLines(to, from, bytes);
}

PS_COPY_AVX2 void CopyStreamsAvx2(char* to, const char* from, size_t bytes) {
  CopyToLine(&to, &from, &bytes);
  for (; bytes >= kStreams * kPage; bytes -= kStreams * kPage) {
    for (size_t at = 0; at < kPage; at += kLine) {
      for (size_t stream = 0; stream < kStreams; ++stream)
        CopyLine(to + stream * kPage + at, from + stream * kPage + at);
    }
    to += kStreams * kPage;
    from += kStreams * kPage;
  }
  CopyLines(to, from, bytes);
}

PS_COPY_AVX2 void CopyPastAvx2(char* to, const char* from, size_t bytes) {
  CopyToLine(&to, &from, &bytes);
  for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine) {
    _mm_prefetch(from + kAhead, _MM_HINT_NTA);
    const __m256i low = Load(from);
    const __m256i high = Load(from + kVector);
    StorePast(to, low);
    StorePast(to + kVector, high);
  }
  _mm_sfence();
  CopyEnd(to, from, bytes);
}

#endif

}  // namespace

namespace internal {

void CopyLarge(void* to, const void* from, size_t bytes) {
#if defined(__x86_64__)
  if (HasAvx2()) return CopyAvx2(static_cast<char*>(to), static_cast<const char*>(from), bytes);
#endif
  std::memcpy(to, from, bytes);
}

void CopyLargeFromPeer(void* to, const void* from, size_t bytes) {
#if defined(__x86_64__)
  if (HasAvx2()) return CopyStreamsAvx2(static_cast<char*>(to), static_cast<const char*>(from), bytes);
#endif
  std::memcpy(to, from, bytes);
}

void CopyLargeToPeer(void* to, const void* from, size_t bytes) {
#if defined(__x86_64__)
  if (HasFastRep() && !IsCloseBehind(to, from)) return CopyRep(to, from, bytes);
#endif
  CopyLarge(to, from, bytes);
}

void CopyPastCaches(void* to, const void* from, size_t bytes) {
#if defined(__x86_64__)
  if (bytes >= kOwnCopyBytes && HasAvx2())
    return CopyPastAvx2(static_cast<char*>(to), static_cast<const char*>(from), bytes);
#endif
  CopyBytes(to, from, bytes);
}

}  // namespace internal

void CopyToRest(void* to, const void* from, size_t bytes) {
  static const size_t last_cache_bytes = LastCacheBytes();
  if (bytes <= last_cache_bytes) return CopyBytes(to, from, bytes);
  internal::CopyPastCaches(to, from, bytes);
}

}  // namespace ps
