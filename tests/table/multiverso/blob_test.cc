#include "ps/multiverso/blob.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace multiverso {
namespace {

TEST(BlobTest, CopiesShareMemoryAndCopyFromDoesNot) {
  const std::vector<int> numbers = {1, 2, 3};
  Blob first(numbers.data(), sizeof(int) * 3);
  Blob second = first;
  Blob third;
  third.CopyFrom(first);
  second.As<int>(1) = 20;
  EXPECT_EQ(first.As<int>(1), 20);
  EXPECT_EQ(third.As<int>(1), 2);
  EXPECT_EQ(numbers[1], 2) << "what it was made of was copied";
  third = second;
  EXPECT_EQ(third.data(), first.data());
}

TEST(BlobTest, SizesAreInBytesOrInElements) {
  const Blob blob(12);
  EXPECT_EQ(blob.size(), 12u);
  EXPECT_EQ(blob.size<float>(), 3u);
  EXPECT_EQ(Blob().size(), 0u);
  EXPECT_EQ(Blob(nullptr, 0).size<int>(), 0u);
}

TEST(BlobTest, WhatIsNotInItIsRefused) {
  const Blob blob(12);
  EXPECT_THROW(blob.As<int>(3), ps::Error);
  EXPECT_THROW(blob.As<std::int64_t>(0), ps::Error) << "12 bytes are no whole number of 8";
  EXPECT_THROW(Blob().As<char>(0), ps::Error);
  EXPECT_THROW(blob[12], ps::Error);
  Blob text("abc", 3);
  EXPECT_EQ(text[2], 'c');
}

}  // namespace
}  // namespace multiverso
