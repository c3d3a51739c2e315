// Bytes that can be checked after they were moved.
#ifndef PS_TESTS_BENCH_FLOORS_PATTERN_H_
#define PS_TESTS_BENCH_FLOORS_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace ps::floors {

constexpr std::size_t kLineBytes = 64;

// The 8 bytes at `offset` of every block.
inline std::uint64_t PatternAt(std::size_t offset) { return (offset + 1) * 0x9E3779B97F4A7C15u; }

inline void FillPattern(char* bytes, std::size_t size) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = PatternAt(at);
    std::memcpy(bytes + at, &word, sizeof(word));
  }
}

// Looks at one word in each `stride` bytes; throws when one is wrong. `stride` is a multiple of 8.
inline void CheckPattern(const char* bytes, std::size_t size, std::size_t stride) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= size; at += stride) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, sizeof(word));
    if (word != PatternAt(at)) throw std::runtime_error("bytes have changed on their way");
  }
}

// A stream's receiver checks one word per page, so that checking costs it nothing to speak of.
constexpr std::size_t kCheckStride = 4096;

}  // namespace ps::floors

#endif  // PS_TESTS_BENCH_FLOORS_PATTERN_H_
