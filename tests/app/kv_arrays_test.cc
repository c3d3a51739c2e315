#include "ps/kv_arrays.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

KVPairs<int> Pairs(std::vector<Key> keys, std::vector<int> vals, std::vector<int> lens = {}) {
  return {SArray<Key>(keys), SArray<int>(vals), SArray<int>(lens), 0};
}

std::vector<int> Vector(const SArray<int>& array) { return {array.begin(), array.end()}; }

class KVArraysTest : public testing::Test {
 protected:
  KVPairs<int> Read(std::vector<Key> keys) { return arrays_.Read(SArray<Key>(keys), store_); }

  std::unordered_map<Key, int> store_;
  KVArrays<int> arrays_;
};

TEST_F(KVArraysTest, OneValuePerKeyStaysInTheStore) {
  ASSERT_TRUE(arrays_.Add(Pairs({1, 2}, {10, 20}), &store_).ok());
  ASSERT_TRUE(arrays_.Add(Pairs({2, 3}, {5, 7}), &store_).ok());
  EXPECT_EQ(store_, (std::unordered_map<Key, int>{{1, 10}, {2, 25}, {3, 7}}));
  const KVPairs<int> read = Read({1, 2, 9});
  EXPECT_EQ(Vector(read.vals), (std::vector<int>{10, 25, 0}));
  EXPECT_TRUE(read.lens.empty());
}

TEST_F(KVArraysTest, AnyLengthIsAddedAndReadBackWithLens) {
  const auto pushed = Pairs({1, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8}, {3, 0, 5});
  ASSERT_TRUE(arrays_.Add(pushed, &store_).ok());
  ASSERT_TRUE(arrays_.Add(pushed, &store_).ok());
  const KVPairs<int> read = Read({1, 2, 3, 4});
  EXPECT_EQ(Vector(read.vals), (std::vector<int>{2, 4, 6, 8, 10, 12, 14, 16, 0}));
  EXPECT_EQ(Vector(read.lens), (std::vector<int>{3, 0, 5, 1}));
}

TEST_F(KVArraysTest, RefusesAnotherLengthAsAWhole) {
  ASSERT_TRUE(arrays_.Add(Pairs({1, 7}, {1, 2, 3, 4}), &store_).ok());
  const Status refused = arrays_.Add(Pairs({1, 7}, {1, 1, 1, 1, 1}, {2, 3}), &store_);
  EXPECT_EQ(refused.message(), "key 7 has 2 values since its first push, this push has 3");
  EXPECT_EQ(Vector(Read({1}).vals), (std::vector<int>{1, 2}));
  EXPECT_FALSE(arrays_.Add(Pairs({1}, {1}), &store_).ok());
}

TEST_F(KVArraysTest, ALengthOfOneIsALengthToo) {
  ASSERT_TRUE(arrays_.Add(Pairs({1}, {1}), &store_).ok());
  EXPECT_EQ(arrays_.Add(Pairs({1}, {1, 2}), &store_).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(arrays_.Add(Pairs({5, 5}, {1, 2, 3}, {1, 2}), &store_).ok());
}

TEST_F(KVArraysTest, RepeatedKeysAddUp) {
  ASSERT_TRUE(arrays_.Add(Pairs({4, 4}, {1, 2}), &store_).ok());
  EXPECT_EQ(Vector(Read({4, 4}).vals), (std::vector<int>{3, 3}));
}

}  // namespace
}  // namespace ps
