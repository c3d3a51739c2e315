#include "store/zeroed_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace ps {
namespace {

bool AllZero(const ZeroedBlock& block) {
  return std::all_of(block.data(), block.data() + block.bytes(), [](char byte) { return byte == 0; });
}

TEST(ZeroedBlockTest, HoldsZerosAndIsAlignedWhateverItsSize) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{262143},
                                  std::size_t{262145}, std::size_t{2097152}, std::size_t{5000001}}) {
    const ZeroedBlock block(bytes);
    EXPECT_GE(block.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 64, 0U);
    block.Prefault(bytes);
    EXPECT_TRUE(AllZero(block)) << bytes;
    std::fill_n(block.data(), block.bytes(), 'x');
  }
}

TEST(ZeroedBlockTest, NothingIsNull) {
  const ZeroedBlock block(0);
  EXPECT_EQ(block.data(), nullptr);
  EXPECT_EQ(block.bytes(), 0U);
  block.Prefault(100);
}

TEST(ZeroedBlockTest, MovingKeepsTheAddress) {
  ZeroedBlock block(1000);
  char* const data = block.data();
  ZeroedBlock moved(std::move(block));
  EXPECT_EQ(moved.data(), data);
  ZeroedBlock other(5);
  other = std::move(moved);
  EXPECT_EQ(other.data(), data);
}

TEST(ZeroedBlockTest, WhatTheSystemDoesNotHaveThrows) {
  EXPECT_THROW(ZeroedBlock(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(ZeroedBlock(SIZE_MAX / 2), std::bad_alloc);
  EXPECT_THROW(ZeroedBlock(std::size_t{1} << 60), std::bad_alloc);
}

}  // namespace
}  // namespace ps
