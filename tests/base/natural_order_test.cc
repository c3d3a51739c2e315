#include "base/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ps {
namespace {

TEST(NaturalOrderTest, NumbersInTextsCompareAsNumbers) {
  EXPECT_LT(NaturalCompare("worker-9", "worker-10"), 0);
  EXPECT_GT(NaturalCompare("worker-10", "worker-9"), 0);
  EXPECT_LT(NaturalCompare("a2b9", "a2b10"), 0);
  EXPECT_LT(NaturalCompare("99999999999999999999998", "99999999999999999999999"), 0);
}

TEST(NaturalOrderTest, APrefixComesFirst) {
  EXPECT_LT(NaturalCompare("", "a"), 0);
  EXPECT_LT(NaturalCompare("worker", "worker-1"), 0);
}

TEST(NaturalOrderTest, ZeroMeansEqualTexts) {
  EXPECT_EQ(NaturalCompare("w-1", "w-1"), 0);
  EXPECT_LT(NaturalCompare("w-1", "w-01"), 0);
  EXPECT_NE(NaturalCompare("01-1", "1-01"), 0);
  EXPECT_EQ(NaturalCompare("01-1", "1-01") < 0, NaturalCompare("1-01", "01-1") > 0);
}

TEST(NaturalOrderTest, SortsAnyPermutationAlike) {
  const std::vector<std::string> sorted = {"", "0", "00", "1", "01", "9", "10", "a", "a1", "a9", "a10", "b"};
  std::mt19937 generator(1);
  std::vector<std::string> shuffled = sorted;
  for (int round = 0; round < 20; ++round) {
    std::shuffle(shuffled.begin(), shuffled.end(), generator);
    std::sort(shuffled.begin(), shuffled.end(),
              [](const std::string& a, const std::string& b) { return NaturalCompare(a, b) < 0; });
    EXPECT_EQ(shuffled, sorted);
  }
}

TEST(NaturalOrderTest, AddressesCompareAsNumbers) {
  EXPECT_LT(HostCompare("10.0.0.9", "10.0.0.10"), 0);
  EXPECT_LT(HostCompare("9.255.255.255", "10.0.0.1"), 0);
  EXPECT_LT(HostCompare("fe80::2", "fe80::10"), 0);
  EXPECT_EQ(HostCompare("::1", "0:0:0:0:0:0:0:1"), 0);
}

TEST(NaturalOrderTest, AddressesComeBeforeNames) {
  EXPECT_LT(HostCompare("250.0.0.1", "::1"), 0);
  EXPECT_LT(HostCompare("ffff::1", "a-name"), 0);
  EXPECT_LT(HostCompare("node-9", "node-10"), 0);
}

}  // namespace
}  // namespace ps
