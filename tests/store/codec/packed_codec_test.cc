#include "store/codec/packed_codec.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace ps {
namespace {

TEST(PackedCodecTest, TheFirstCodeIsInTheHighestBits) {
  const std::uint8_t twos[] = {3, 0, 2, 1, 0, 3, 3, 3};
  std::uint8_t to[2];
  PackCodes<2>(twos, 2, to);
  EXPECT_EQ(to[0], 0b11001001);
  EXPECT_EQ(to[1], 0b00111111);
  const std::uint8_t ones[] = {1, 0, 0, 0, 1, 0, 1, 1};
  PackCodes<1>(ones, 1, to);
  EXPECT_EQ(to[0], 0b10001011);
}

TEST(PackedCodecTest, EveryByteCanBePacked) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::uint8_t codes[8];
    std::uint8_t to = 0;
    for (unsigned i = 0; i < 8; ++i) codes[i] = static_cast<std::uint8_t>(byte >> (7 - i) & 1);
    PackCodes<1>(codes, 1, &to);
    ASSERT_EQ(to, byte);
    for (unsigned i = 0; i < 4; ++i) codes[i] = static_cast<std::uint8_t>(byte >> (6 - 2 * i) & 3);
    PackCodes<2>(codes, 1, &to);
    ASSERT_EQ(to, byte);
  }
}

}  // namespace
}  // namespace ps
