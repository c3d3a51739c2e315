#include "store/codec/key_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace ps {
namespace {

using Keys = std::vector<std::uint64_t>;

// In memory that is exactly as large as MaxBytes says.
std::vector<char> Encode(const Keys& keys) {
  const std::unique_ptr<char[]> to(new char[KeyCodec::MaxBytes(keys.size())]);
  const std::size_t size = KeyCodec::Encode(keys.data(), keys.size(), to.get());
  EXPECT_LE(size, KeyCodec::MaxBytes(keys.size()));
  return std::vector<char>(to.get(), to.get() + size);
}

bool Decode(const std::vector<char>& bytes, std::size_t count, Keys* keys) {
  keys->assign(count, 77);
  return KeyCodec::Decode(bytes.data(), bytes.size(), count, keys->data()).ok();
}

void ExpectRoundTrip(const Keys& keys) {
  Keys read;
  ASSERT_TRUE(Decode(Encode(keys), keys.size(), &read));
  ASSERT_EQ(read, keys);
}

TEST(KeyCodecTest, ListsOfAllKindsArriveAsTheyAre) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 17U, 1000U}) {
    // From dense to as wide as keys can be, so that differences have 1 to 10 bytes.
    for (int bits = 1; bits <= 64; ++bits) {
      Keys keys(count);
      for (std::uint64_t& key : keys) key = random() >> (64 - bits);
      ExpectRoundTrip(keys);
      std::sort(keys.begin(), keys.end());
      ExpectRoundTrip(keys);
    }
  }
}

TEST(KeyCodecTest, TheEndsOfAllKeys) {
  ExpectRoundTrip({0});
  ExpectRoundTrip({UINT64_MAX});
  ExpectRoundTrip({0, UINT64_MAX});
  ExpectRoundTrip({UINT64_MAX, 0});
  ExpectRoundTrip(Keys(100, UINT64_MAX));
  ExpectRoundTrip({UINT64_MAX - 5, UINT64_MAX - 4, UINT64_MAX - 3, UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX,
                   UINT64_MAX, UINT64_MAX, UINT64_MAX});
}

TEST(KeyCodecTest, DenseKeysTakeAByte) {
  Keys keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 1000000 + 100 * i;
  EXPECT_EQ(Encode(keys).size(), 1 + 3 + 999U);
}

TEST(KeyCodecTest, NoListIsMuchLongerThanItWas) {
  Keys far = {1ULL << 63, (1ULL << 63) + (1ULL << 62)};
  EXPECT_EQ(Encode(far).size(), 1 + 16U);
  std::reverse(far.begin(), far.end());
  EXPECT_EQ(Encode(far).size(), 1 + 16U);
}

TEST(KeyCodecTest, WhatIsNotSoManyKeysIsRefused) {
  Keys read;
  EXPECT_FALSE(Decode({}, 0, &read));
  EXPECT_FALSE(Decode({}, 1, &read));
  EXPECT_FALSE(Decode({2, 1}, 1, &read));
  for (const Keys& keys : {Keys{1, 2, 3}, Keys{3, 2, 1}, Keys(20, 5), Keys{1, 1000, 1000000}}) {
    const std::vector<char> bytes = Encode(keys);
    EXPECT_FALSE(Decode(bytes, keys.size() + 1, &read));
    EXPECT_FALSE(Decode(bytes, keys.size() - 1, &read));
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(Decode(std::vector<char>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)),
                          keys.size(), &read));
  }
}

TEST(KeyCodecTest, NumbersOfMoreThan64BitsAreRefused) {
  Keys read;
  const std::vector<char> most = {1,      '\xff', '\xff', '\xff', '\xff', '\xff',
                                  '\xff', '\xff', '\xff', '\xff', 1};
  ASSERT_TRUE(Decode(most, 1, &read));
  EXPECT_EQ(read[0], UINT64_MAX);
  std::vector<char> wrong = most;
  wrong.back() = 2;
  EXPECT_FALSE(Decode(wrong, 1, &read));
  wrong.back() = '\x81';
  wrong.push_back(0);
  EXPECT_FALSE(Decode(wrong, 1, &read));
  // The sum of two differences.
  std::vector<char> sum = most;
  sum.push_back(1);
  EXPECT_FALSE(Decode(sum, 2, &read));
  // And of eight at once, behind a key near the end.
  std::vector<char> eight = most;
  eight.insert(eight.end(), 8, 1);
  EXPECT_FALSE(Decode(eight, 9, &read));
}

}  // namespace
}  // namespace ps
