#include "store/row_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <new>
#include <random>
#include <unordered_map>
#include <vector>

namespace ps {
namespace {

class RowIndexTest : public testing::Test {
 protected:
  void Insert(std::uint64_t key) {
    ASSERT_TRUE(slab_.Reserve(1));
    rows_[key] = slab_.Take(key);
    index_.Insert(RowIndex::Hash(key), rows_[key]);
  }
  void Erase(std::uint64_t key) {
    index_.Erase(RowIndex::Hash(key), rows_[key]);
    slab_.Give(rows_[key]);
    rows_.erase(key);
  }
  std::uint32_t Find(std::uint64_t key) const { return index_.Find(RowIndex::Hash(key), key); }
  void ExpectAll() const {
    for (const auto& [key, row] : rows_) {
      ASSERT_EQ(Find(key), row) << key;
      ASSERT_NE(index_.Probe(RowIndex::Hash(key)), RowIndex::kNone);
    }
  }

  RowSlab slab_{8};
  RowIndex index_{&slab_};
  std::unordered_map<std::uint64_t, std::uint32_t> rows_;
};

// The key whose hash this is.
std::uint64_t KeyWithHash(std::uint64_t hash) {
  const auto undo_shift = [](std::uint64_t value, int shift) {
    std::uint64_t result = value;
    for (int done = shift; done < 64; done += shift) result = value ^ (result >> shift);
    return result;
  };
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t result = odd;
    for (int i = 0; i < 6; ++i) result *= 2 - odd * result;
    return result;
  };
  hash = undo_shift(hash, 31) * inverse(0x94d049bb133111ebULL);
  hash = undo_shift(hash, 27) * inverse(0xbf58476d1ce4e5b9ULL);
  hash = undo_shift(hash, 30);
  return (hash - 0xd1b54a32d192ed03ULL) * inverse(0x9e3779b97f4a7c15ULL);
}

TEST_F(RowIndexTest, FindsNothingInNothing) {
  EXPECT_EQ(Find(0), RowIndex::kNone);
  EXPECT_EQ(Find(UINT64_MAX), RowIndex::kNone);
}

TEST_F(RowIndexTest, FindsWhatWasInsertedWhileItGrows) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t key = i % 2 == 0 ? random() : static_cast<std::uint64_t>(i);
    if (rows_.count(key) == 0) Insert(key);
    if (i == 10 || i == 1000 || i == 5000 || i == 30000) ExpectAll();
  }
  ExpectAll();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t key = random();
    if (rows_.count(key) == 0) {
      EXPECT_EQ(Find(key), RowIndex::kNone);
    }
  }
  // A slot has 8 bytes, and segments are a third full at least.
  EXPECT_LE(index_.bytes(), rows_.size() * 30);
}

TEST_F(RowIndexTest, FindsTheOthersAfterAnErase) {
  constexpr std::uint64_t kSeed = 5;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937_64 random(kSeed);
  // Keys from a small set, so that they come, go and come back; and in a small table, so that they collide.
  for (int round = 0; round < 30000; ++round) {
    const std::uint64_t key = random() % 3000;
    if (rows_.count(key) == 0) {
      Insert(key);
    } else {
      Erase(key);
      ASSERT_EQ(Find(key), RowIndex::kNone);
    }
    if (round % 1000 == 0) ExpectAll();
  }
  ExpectAll();
  for (std::uint64_t key = 0; key < 3000; ++key)
    EXPECT_EQ(Find(key) == RowIndex::kNone, rows_.count(key) == 0);
}

TEST_F(RowIndexTest, KeysWhoseSlotsLookAlikeAreToldApart) {
  // They differ in bits that are neither in the place nor in the 32 bits of a slot.
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 64; ++i) keys.push_back(KeyWithHash(0x123456789abULL | i << 50));
  ASSERT_EQ(RowIndex::Hash(keys[3]), 0x123456789abULL | std::uint64_t{3} << 50);
  for (const std::uint64_t key : keys) Insert(key);
  ExpectAll();
  Erase(keys[10]);
  EXPECT_EQ(Find(keys[10]), RowIndex::kNone);
  ExpectAll();
}

TEST_F(RowIndexTest, WrapsAroundTheEndOfItsSlots) {
  for (std::uint64_t i = 0; i < 20; ++i) Insert(KeyWithHash((i << 20) | 0xfff));
  ExpectAll();
  Erase(KeyWithHash(0xfff));
  ExpectAll();
}

// Keys that somebody chose so that all of them belong into one segment, however often it is split.
TEST_F(RowIndexTest, MadeUpKeysNeitherHangItNorFillTheMemory) {
  std::size_t inserted = 0;
  try {
    for (std::uint64_t i = 0; i < 10000; ++i, ++inserted)
      Insert(KeyWithHash((i << 8) | 0xabcd000000000000ULL));
    FAIL() << "all found room";
  } catch (const std::bad_alloc&) {
  }
  EXPECT_GT(inserted, 3000U);
  EXPECT_LT(index_.bytes(), std::size_t{1} << 20);
  rows_.erase(KeyWithHash((inserted << 8) | 0xabcd000000000000ULL));
  ExpectAll();
  // Honest keys still find room.
  for (std::uint64_t key = 0; key < 1000; ++key) {
    if ((RowIndex::Hash(key) >> 60) != 0xa) Insert(key);
  }
  ExpectAll();
}

TEST_F(RowIndexTest, NoInsertMovesMoreThanASegment) {
  // Time would depend on the machine; what moves shows in the memory that is added at a time.
  std::mt19937_64 random(2);
  std::size_t before = index_.bytes();
  std::size_t most = 0;
  for (int i = 0; i < 100000; ++i) {
    Insert(random());
    most = std::max(most, index_.bytes() - before);
    before = index_.bytes();
  }
  EXPECT_LE(most, std::size_t{48} << 10);
}

}  // namespace
}  // namespace ps
