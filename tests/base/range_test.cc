#include "ps/range.h"

#include <gtest/gtest.h>

#include "ps/base.h"

namespace ps {
namespace {

TEST(RangeTest, IsEmptyByDefault) {
  EXPECT_EQ(Range(), Range(0, 0));
  EXPECT_EQ(Range().size(), 0u);
}

TEST(RangeTest, KnowsItsEndsAndItsSize) {
  const Range range(3, kMaxKey);
  EXPECT_EQ(range.begin(), 3u);
  EXPECT_EQ(range.end(), kMaxKey);
  EXPECT_EQ(range.size(), kMaxKey - 3);
  EXPECT_NE(range, Range(3, 4));
}

}  // namespace
}  // namespace ps
