#include "base/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace ps {
namespace {

constexpr size_t kUsual = ArenaHeap::kUsualBytes;

TEST(ArenaTest, WhoIsGivenItSeesWhatIsWrittenAndCanNotWriteItself) {
  const std::shared_ptr<Arena> mine = Arena::Create(7, 8192);
  ASSERT_NE(mine, nullptr);
  mine->base()[5000] = 'x';
  const std::shared_ptr<Arena> theirs = Arena::Open(mine->memfd(), 7, 8192);
  ASSERT_NE(theirs, nullptr);
  EXPECT_EQ(theirs->base()[5000], 'x');
  mine->base()[5000] = 'y';
  EXPECT_EQ(theirs->base()[5000], 'y');
  EXPECT_EQ(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, mine->memfd().fd(), 0), MAP_FAILED);
  EXPECT_NE(mprotect(theirs->base(), 8192, PROT_READ | PROT_WRITE), 0);
  EXPECT_NE(ftruncate(mine->memfd().fd(), 4096), 0);
}

TEST(ArenaTest, WhatIsNoArenaIsRefused) {
  const std::shared_ptr<Arena> arena = Arena::Create(7, 8192);
  EXPECT_EQ(Arena::Open(arena->memfd(), 7, 4096), nullptr) << "another size";
  EXPECT_EQ(Arena::Open(arena->memfd(), 7, 0), nullptr);
  Descriptor unsealed(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(unsealed.fd(), 8192), 0);
  EXPECT_EQ(Arena::Open(unsealed, 7, 8192), nullptr) << "it could shrink";
  EXPECT_EQ(Arena::Open(Descriptor(), 7, 8192), nullptr);
}

TEST(ArenaHeapTest, BlocksLieApartAndAreAligned) {
  ArenaHeap heap;
  std::mt19937 random(3);
  std::vector<std::pair<std::shared_ptr<char>, size_t>> blocks;
  for (int i = 0; i < 2000; ++i) {
    if (!blocks.empty() && random() % 3 == 0) {
      const size_t which = random() % blocks.size();
      const auto& [block, bytes] = blocks[which];
      ASSERT_TRUE(
          std::all_of(block.get(), block.get() + bytes, [first = *block](char c) { return c == first; }));
      std::swap(blocks[which], blocks.back());
      blocks.pop_back();
      continue;
    }
    const size_t bytes = 1 + random() % (random() % 2 == 0 ? 300 : 20000);
    std::shared_ptr<char> block = heap.Allocate(bytes);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block.get()) % (bytes >= 4096 ? 4096 : 64), 0u);
    std::fill(block.get(), block.get() + bytes, static_cast<char>(i));
    blocks.emplace_back(std::move(block), bytes);
  }
  blocks.clear();
  // All gaps have become one.
  const std::shared_ptr<char> whole = heap.Allocate(kUsual);
  EXPECT_EQ(heap.Find(whole.get(), kUsual)->id(), 1u);
}

TEST(ArenaHeapTest, FindsTheArenaOfAllOfTheBytes) {
  ArenaHeap heap;
  EXPECT_EQ(heap.Find("text", 4), nullptr);
  const std::shared_ptr<char> block = heap.Allocate(100000);
  const std::shared_ptr<Arena> arena = heap.Find(block.get() + 10, 1000);
  ASSERT_NE(arena, nullptr);
  EXPECT_EQ(heap.Find(arena->base() + arena->bytes() - 10, 10), arena);
  EXPECT_EQ(heap.Find(arena->base() + arena->bytes() - 10, 11), nullptr);
  EXPECT_EQ(heap.Find(arena->base() + arena->bytes(), 1), nullptr);
  EXPECT_EQ(heap.Find(arena->base() - 1, 1), nullptr);
}

TEST(ArenaHeapTest, LargeOnesGoAndTheUsualOneIsKept) {
  ArenaHeap heap;
  std::shared_ptr<char> usual = heap.Allocate(10);
  char* const place = usual.get();
  std::shared_ptr<char> large = heap.Allocate(kUsual + 1);
  EXPECT_NE(heap.Find(large.get(), kUsual + 1)->id(), heap.Find(usual.get(), 10)->id());
  large = nullptr;
  EXPECT_EQ(heap.num_gone(), 1u);
  usual = nullptr;
  EXPECT_EQ(heap.num_gone(), 1u);
  EXPECT_EQ(heap.Allocate(20).get(), place);
}

}  // namespace
}  // namespace ps
