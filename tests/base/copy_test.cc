#include "base/copy.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ps {
namespace {

struct Loop {
  const char* name;
  void (*copy)(void* to, const void* from, size_t bytes);
};
const std::vector<Loop>& Loops() {
  static const std::vector<Loop> loops = {{"CopyBytes", CopyBytes},
                                          {"CopyFromPeer", CopyFromPeer},
                                          {"CopyToPeer", CopyToPeer},
                                          {"CopyToRest", CopyToRest},
                                          {"CopyPastCaches", internal::CopyPastCaches}};
  return loops;
}

constexpr size_t kMargin = 192;  // around the copy, which must stay as it was
constexpr char kUntouched = 0x5a;

// Bytes that are different from their neighbours at all distances that matter.
std::vector<char> Source(size_t bytes) {
  std::vector<char> source(bytes);
  uint32_t state = 12345;
  for (char& byte : source) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return source;
}

class Copies {
 public:
  explicit Copies(size_t most) : source_(Source(most + kMargin)), target_(most + 3 * kMargin) {}

  void Check(const Loop& loop, size_t bytes, size_t to, size_t from) {
    std::fill(target_.begin(), target_.begin() + static_cast<int64_t>(to + bytes + 2 * kMargin), kUntouched);
    char* const begin = target_.data() + kMargin + to;
    loop.copy(begin, source_.data() + from, bytes);
    const bool same = std::equal(begin, begin + bytes, source_.data() + from);
    const bool clean = std::all_of(target_.data(), begin, IsUntouched) &&
                       std::all_of(begin + bytes, begin + bytes + kMargin, IsUntouched);
    ASSERT_TRUE(same && clean) << loop.name << " of " << bytes << " bytes from +" << from << " to +" << to;
  }

 private:
  static bool IsUntouched(char byte) { return byte == kUntouched; }

  const std::vector<char> source_;
  std::vector<char> target_;
};

struct Offsets {
  size_t to;
  size_t from;
};

TEST(CopyTest, SmallSizesAtAllOffsets) {
  Copies copies(130);
  for (const Loop& loop : Loops()) {
    for (const Offsets& at : {Offsets{0, 0}, {0, 17}, {1, 0}, {1, 1}, {1, 64}, {31, 17}, {63, 0}, {63, 64}}) {
      for (size_t bytes = 0; bytes <= 130; ++bytes)
        ASSERT_NO_FATAL_FAILURE(copies.Check(loop, bytes, at.to, at.from));
    }
  }
}

TEST(CopyTest, AllOffsetsAroundTheFirstOwnSize) {
  constexpr size_t kMost = 130;
  Copies copies(kOwnCopyBytes + kMost);
  for (const Loop& loop : Loops()) {
    for (size_t i = 0; i <= kMost; ++i) {
      for (const size_t extra : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, i}) {
        const size_t bytes = kOwnCopyBytes - 65 + extra;
        ASSERT_NO_FATAL_FAILURE(copies.Check(loop, bytes, i, 0));
        ASSERT_NO_FATAL_FAILURE(copies.Check(loop, bytes, 0, i));
        ASSERT_NO_FATAL_FAILURE(copies.Check(loop, bytes, i, i));
        ASSERT_NO_FATAL_FAILURE(copies.Check(loop, bytes, i, kMost - i));
      }
    }
  }
}

TEST(CopyTest, SizesAroundWholeLinesAndPages) {
  constexpr size_t kGroup = 4 * 4096;
  Copies copies(3 * kGroup + 130);
  for (const Loop& loop : Loops()) {
    for (const size_t base : {size_t{4096}, kGroup, 2 * kGroup, 3 * kGroup}) {
      for (size_t bytes = base - 66; bytes <= base + 130; ++bytes)
        ASSERT_NO_FATAL_FAILURE(copies.Check(loop, bytes, bytes % 64, bytes % 7));
    }
  }
}

// Nothing is read or written beyond the ends: the pages behind them are not there.
TEST(CopyTest, NeitherEndIsReadBeyond) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t room = 8 * page;
  const auto guarded = [&] {
    char* const all =
        static_cast<char*>(mmap(nullptr, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(all + page, room, PROT_READ | PROT_WRITE), 0);
    return all + page;
  };
  char* const from = guarded();
  char* const to = guarded();
  const std::vector<char> source = Source(room);
  std::copy(source.begin(), source.end(), from);
  for (const Loop& loop : Loops()) {
    for (const size_t bytes :
         {size_t{1}, size_t{100}, kOwnCopyBytes, kOwnCopyBytes + 1, 4 * page + 63, room - 1, room}) {
      loop.copy(to, from, bytes);
      EXPECT_TRUE(std::equal(from, from + bytes, to)) << loop.name << " " << bytes;
      loop.copy(to + room - bytes, from + room - bytes, bytes);
      EXPECT_TRUE(std::equal(from + room - bytes, from + room, to + room - bytes))
          << loop.name << " " << bytes;
    }
  }
  munmap(from - page, room + 2 * page);
  munmap(to - page, room + 2 * page);
}

TEST(CopyTest, WhatIsLargerThanTheCachesArrivesToo) {
  const std::vector<char> source = Source((size_t{33} << 20) + 77);
  std::vector<char> target(source.size());
  for (const Loop& loop : Loops()) {
    std::fill(target.begin(), target.end(), kUntouched);
    loop.copy(target.data(), source.data(), source.size());
    EXPECT_TRUE(target == source) << loop.name;
  }
}

}  // namespace
}  // namespace ps
