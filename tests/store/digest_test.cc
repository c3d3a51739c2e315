#include "store/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ps {
namespace {

// What is stored today must be found again by every later version: these are XXH3's own values.
TEST(DigestTest, IsTheSameForAllTimes) {
  EXPECT_EQ(DigestOf(""), 0x2D06800538D394C2u);
  EXPECT_EQ(DigestOf("weights"), DigestOf(std::string("weights")));
  EXPECT_EQ(DigestOf(std::string(1, '\0')), 0xC44BDFF4074EECDBu);
}

TEST(DigestTest, EveryBitCounts) {
  std::string text(1000, 'x');
  const std::uint64_t before = DigestOf(text);
  for (std::size_t i = 0; i < text.size(); i += 37) {
    text[i] ^= 1;
    EXPECT_NE(DigestOf(text), before) << i;
    text[i] ^= 1;
  }
  EXPECT_NE(DigestOf(text + "x"), before);
}

TEST(DigestTest, PiecesGiveTheSameAsTheWhole) {
  const std::string text(5000, 'y');
  Digester digester;
  EXPECT_EQ(digester.value(), DigestOf(""));
  for (const std::size_t step : {1u, 7u, 512u, 5000u}) {
    digester.Reset();
    for (std::size_t at = 0; at < text.size(); at += step) {
      digester.Add(text.data() + at, std::min(step, text.size() - at));
    }
    digester.Add(nullptr, 0);
    EXPECT_EQ(digester.value(), DigestOf(text));
  }
}

}  // namespace
}  // namespace ps
