#include "store/codec/pairs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace ps {
namespace {

template <typename T>
std::vector<char> Write(std::size_t count, const std::vector<std::pair<std::uint64_t, T>>& pairs) {
  std::vector<char> bytes(pairs.size() * (IndexBytes(count) + sizeof(T)));
  PairWriter<T> writer(count, pairs.size(), bytes.data());
  for (const auto& [index, value] : pairs) writer.Add(index, value);
  return bytes;
}

TEST(PairsTest, AreReadBackForElementsOfAnySize) {
  const std::vector<char> bytes = Write<std::int8_t>(4, {{1, 5}, {3, -5}});
  std::vector<std::int8_t> small(4, 9);
  ASSERT_TRUE(ReadPairs(bytes.data(), bytes.size(), DType::kI8, 4, small.data()).ok());
  EXPECT_EQ(small, (std::vector<std::int8_t>{0, 5, 0, -5}));
  const std::vector<char> wide = Write<double>(3, {{0, 0.1}});
  std::vector<double> doubles(3, 9);
  ASSERT_TRUE(ReadPairs(wide.data(), wide.size(), DType::kF64, 3, doubles.data()).ok());
  EXPECT_EQ(doubles, (std::vector<double>{0.1, 0, 0}));
}

TEST(PairsTest, ManyElementsHaveWiderIndices) {
  EXPECT_EQ(IndexBytes(std::size_t{1} << 31), 4U);
  EXPECT_EQ(IndexBytes((std::size_t{1} << 32) - 1), 4U);
  EXPECT_EQ(IndexBytes(std::size_t{1} << 32), 8U);
  const std::vector<char> bytes = Write<float>(std::size_t{1} << 33, {{5000000000U, 1.0F}});
  ASSERT_EQ(bytes.size(), 12U);
  std::uint64_t index;
  std::memcpy(&index, bytes.data(), sizeof(index));
  EXPECT_EQ(index, 5000000000U);
}

TEST(PairsTest, WhatIsNoListOfPairsIsRefused) {
  std::vector<float> values(4);
  const auto read = [&](const std::vector<char>& bytes) {
    return ReadPairs(bytes.data(), bytes.size(), DType::kF32, 4, values.data()).code();
  };
  EXPECT_EQ(read({}), StatusCode::kOk);
  EXPECT_EQ(values, std::vector<float>(4, 0.0F));
  EXPECT_EQ(read(Write<float>(4, {{4, 1.0F}})), StatusCode::kInvalidArgument);
  EXPECT_EQ(read(Write<float>(4, {{2, 1.0F}, {2, 1.0F}})), StatusCode::kInvalidArgument);
  EXPECT_EQ(read(Write<float>(4, {{2, 1.0F}, {1, 1.0F}})), StatusCode::kInvalidArgument);
  EXPECT_EQ(read(Write<float>(4, {{0, 1}, {1, 1}, {2, 1}, {3, 1}})), StatusCode::kOk);
  EXPECT_EQ(read(Write<float>(4, {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}})), StatusCode::kInvalidArgument);
  EXPECT_EQ(read(std::vector<char>(7)), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
