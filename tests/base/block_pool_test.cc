#include "base/block_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "ps/sarray.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr size_t kKilobyte = 1024;
constexpr size_t kMegabyte = 1024 * kKilobyte;

// A pool that leaves nothing behind.
class OwnPool {
 public:
  explicit OwnPool(uint64_t most_kept_bytes) : pool_(most_kept_bytes) {}
  ~OwnPool() { pool_.Clear(); }
  BlockPool* operator->() { return &pool_; }

 private:
  BlockPool pool_;
};

bool KeepsNothing() {
  const char* text = std::getenv("PS_SAN");
  return text != nullptr && std::string(text) == "address";
}

TEST(BlockPoolTest, BlocksOfAllSizesAreAlignedAndHaveAFront) {
  OwnPool pool(64 * kMegabyte);
  for (const size_t bytes : {4 * kKilobyte, 4 * kKilobyte + 1, 5 * kKilobyte, 9 * kKilobyte + 7,
                             64 * kKilobyte, 64 * kKilobyte + 1, kMegabyte, 2 * kMegabyte, 3 * kMegabyte + 5,
                             32 * kMegabyte, 32 * kMegabyte + 1, 40 * kMegabyte + 123}) {
    for (int turn = 0; turn < 2; ++turn) {
      char* const block = static_cast<char*>(pool->Take(bytes));
      const size_t alignment = bytes >= 64 * kKilobyte ? 4096 : 64;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u) << bytes;
      std::memset(block - BlockPool::kFrontBytes, 1, BlockPool::kFrontBytes);
      std::memset(block, 2, bytes);
      pool->Give(block, bytes);
    }
  }
}

TEST(BlockPoolTest, AThreadGetsBackWhatItHasJustFreed) {
  if (KeepsNothing()) GTEST_SKIP() << "AddressSanitizer wants memory to stay freed";
  OwnPool pool(kMegabyte);
  void* const first = pool->Take(10000);
  void* const second = pool->Take(10000);
  pool->Give(first, 10000);
  pool->Give(second, 10000);
  EXPECT_EQ(pool->Take(10000), second);
  EXPECT_EQ(pool->Take(10000), first);
  pool->Give(first, 10000);
  {
    Thread other("other", [&] { EXPECT_EQ(pool->Take(10000), first); });
  }
  EXPECT_NE(pool->Take(10000), first) << "somebody else has it";
  EXPECT_EQ(pool->kept_bytes(), 0u);
}

TEST(BlockPoolTest, WhatOthersHaveFreedFirstIsUsedFirst) {
  if (KeepsNothing()) GTEST_SKIP() << "AddressSanitizer wants memory to stay freed";
  OwnPool pool(kMegabyte);
  std::vector<void*> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(pool->Take(10000));
  {
    Thread other("other", [&] {
      for (void* block : blocks) pool->Give(block, 10000);
    });
  }
  EXPECT_EQ(pool->kept_bytes(), 5 * 10 * kKilobyte);
  // Sizes that differ a little are of one kind.
  for (void* block : blocks) EXPECT_EQ(pool->Take(9999), block);
  EXPECT_EQ(pool->kept_bytes(), 0u);
  for (void* block : blocks) pool->Give(block, 9999);
}

TEST(BlockPoolTest, NoMoreThanTheBoundIsKept) {
  OwnPool pool(kMegabyte);
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(pool->Take(256 * kKilobyte));
  for (void* block : blocks) {
    pool->Give(block, 256 * kKilobyte);
    EXPECT_LE(pool->kept_bytes(), kMegabyte);
  }
  EXPECT_EQ(pool->kept_bytes(), KeepsNothing() ? 0 : kMegabyte);
  pool->Clear();
  EXPECT_EQ(pool->kept_bytes(), 0u);
}

TEST(BlockPoolTest, SizesOfThePastMakeRoomForThoseOfToday) {
  if (KeepsNothing()) GTEST_SKIP() << "AddressSanitizer wants memory to stay freed";
  OwnPool pool(kMegabyte);
  std::vector<void*> past;
  for (int i = 0; i < 4; ++i) past.push_back(pool->Take(256 * kKilobyte));
  for (void* block : past) pool->Give(block, 256 * kKilobyte);
  void* const block = pool->Take(512 * kKilobyte);
  pool->Give(block, 512 * kKilobyte);
  EXPECT_EQ(pool->Take(512 * kKilobyte), block);
  pool->Give(block, 512 * kKilobyte);
}

TEST(BlockPoolTest, ABlockBeyondTheBoundIsNotKept) {
  OwnPool pool(kMegabyte);
  pool->Give(pool->Take(2 * kMegabyte), 2 * kMegabyte);
  EXPECT_EQ(pool->kept_bytes(), 0u);
  OwnPool large(100 * kMegabyte);
  const size_t bytes = BlockPool::kLargestKeptBytes + 1;
  large->Give(large->Take(bytes), bytes);
  EXPECT_EQ(large->kept_bytes(), 0u);
}

TEST(BlockPoolTest, WhatNobodyNeedsAnyMoreGoesBackWhileOthersAreUsed) {
  OwnPool pool(64 * kMegabyte);
  std::vector<void*> burst;
  for (int i = 0; i < 40; ++i) burst.push_back(pool->Take(16 * kKilobyte));
  for (void* block : burst) pool->Give(block, 16 * kKilobyte);
  for (int i = 0; i < 10000; ++i) {
    void* const one = pool->Take(16 * kKilobyte);
    void* const two = pool->Take(16 * kKilobyte);
    pool->Give(one, 16 * kKilobyte);
    pool->Give(two, 16 * kKilobyte);
  }
  EXPECT_LE(pool->kept_bytes(), 3 * 16 * kKilobyte);
}

TEST(BlockPoolTest, WhatCanNotBeHadIsAnException) {
  OwnPool pool(kMegabyte);
  EXPECT_THROW(pool->Take(std::numeric_limits<size_t>::max()), std::bad_alloc);
  EXPECT_THROW(pool->Take(size_t{1} << 60), std::bad_alloc);
}

// Takes blocks, marks them, gives them back, also those of others.
void TakeAndGive(BlockPool* pool, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::pair<unsigned char*, size_t>> mine;
  for (int i = 0; i < 3000; ++i) {
    if (mine.size() < 8 && random() % 2 == 0) {
      const size_t bytes = 4096 + random() % 5 * 20000;
      auto* const block = static_cast<unsigned char*>(pool->Take(bytes));
      block[0] = block[bytes - 1] = static_cast<unsigned char>(seed);
      mine.emplace_back(block, bytes);
    } else if (!mine.empty()) {
      const size_t which = random() % mine.size();
      const auto [block, bytes] = mine[which];
      ASSERT_EQ(block[0], seed);
      ASSERT_EQ(block[bytes - 1], seed);
      pool->Give(block, bytes);
      mine.erase(mine.begin() + static_cast<int64_t>(which));
    }
  }
  for (const auto& [block, bytes] : mine) pool->Give(block, bytes);
}

TEST(BlockPoolTest, ThreadsNeverGetTheSameBlock) {
  const Watchdog watchdog;
  OwnPool pool(kMegabyte / 2);  // so that some are kept and others are not
  {
    std::deque<Thread> threads;
    for (uint32_t i = 1; i <= 4; ++i) {
      threads.emplace_back("pool" + std::to_string(i), [&pool, i] { TakeAndGive(pool.operator->(), i); });
    }
  }
  EXPECT_LE(pool->kept_bytes(), kMegabyte / 2);
}

TEST(BlockPoolTest, LargeArraysUseTheMemoryOfThoseBefore) {
  if (KeepsNothing()) GTEST_SKIP() << "AddressSanitizer wants memory to stay freed";
  BlockPool::Shared().Clear();
  constexpr size_t kFloats = 25000;
  const float* const before = SArray<float>::Uninitialized(kFloats).data();
  EXPECT_GE(BlockPool::Shared().kept_bytes(), kFloats * sizeof(float));
  SArray<float> array(kFloats, 3.0f);
  EXPECT_EQ(array.data(), before);
  SArray<float> view = array.segment(100, 200);
  array.clear();
  EXPECT_NE(SArray<float>::Uninitialized(kFloats).data(), before) << "a view still needs it";
  EXPECT_EQ(view[99], 3.0f);
}

TEST(BlockPoolTest, AChildOfForkUsesItsOwnCopy) {
  const Watchdog watchdog;
  SArray<char> mine(100000, 'p');
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) SArray<char>(100000, 'c');
    std::fill(mine.begin(), mine.end(), 'c');
    mine.clear();
    _exit(SArray<char>(50000, 'x')[49999] == 'x' ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mine[99999], 'p');
}

// Static objects of any file may hold arrays until the process has ended.
SArray<char> outlives_main(100000, 's');

TEST(BlockPoolTest, ArraysOfStaticObjectsGoWhenTheProcessEnds) {
  outlives_main = SArray<char>(200000, 's');
  EXPECT_EQ(outlives_main[199999], 's');
}

}  // namespace
}  // namespace ps
