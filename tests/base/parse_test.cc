#include "base/parse.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(ParseTest, WholeNumbersAreTakenWhole) {
  EXPECT_EQ(ParseInteger("42", 0, 100), 42);
  EXPECT_EQ(ParseInteger("-7", -10, 10), -7);
  EXPECT_EQ(ParseInteger("9223372036854775807", 0, INT64_MAX), INT64_MAX);
}

TEST(ParseTest, AnythingElseIsNoNumber) {
  for (const char* text : {"", "2x", "x2", " 2", "2 ", "+2", "0x10", "1e3", "1.0", "-", "--2"}) {
    EXPECT_EQ(ParseInteger(text, -100, 100), std::nullopt) << text;
  }
}

TEST(ParseTest, NumbersOutsideTheRangeAreRefused) {
  EXPECT_EQ(ParseInteger("0", 1, 5), std::nullopt);
  EXPECT_EQ(ParseInteger("6", 1, 5), std::nullopt);
  EXPECT_EQ(ParseInteger("99999999999999999999", 0, INT64_MAX), std::nullopt);
}

TEST(ParseTest, SecondsMayHaveFractions) {
  EXPECT_EQ(ParseSeconds("0", 10000), 0);
  EXPECT_EQ(ParseSeconds("2", 10000), 2000);
  EXPECT_EQ(ParseSeconds("0.5", 10000), 500);
  EXPECT_EQ(ParseSeconds(".25", 10000), 250);
  EXPECT_EQ(ParseSeconds("1.", 10000), 1000);
  EXPECT_EQ(ParseSeconds("1.0006", 10000), 1001);
  EXPECT_EQ(ParseSeconds("0.000000", 10000), 0);
}

TEST(ParseTest, AVeryShortTimeIsNotNone) { EXPECT_EQ(ParseSeconds("0.00001", 10000), 1); }

TEST(ParseTest, WrongSecondsAreRefused) {
  for (const char* text : {"", ".", "-1", "1s", "1,5", "1.2.3", "1e3", "nan", "11", "10.001"}) {
    EXPECT_EQ(ParseSeconds(text, 10000), std::nullopt) << text;
  }
  EXPECT_EQ(ParseSeconds("10.0", 10000), 10000);
}

TEST(ParseTest, SecondsAreWrittenShort) {
  EXPECT_EQ(FormatSeconds(2000), "2");
  EXPECT_EQ(FormatSeconds(1500), "1.5");
  EXPECT_EQ(FormatSeconds(7), "0.007");
  EXPECT_EQ(FormatSeconds(0), "0");
}

}  // namespace
}  // namespace ps
