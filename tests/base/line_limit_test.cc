#include "base/line_limit.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(LineLimitTest, AllowsOneLinePerIntervalAndCountsTheOthers) {
  LineLimit limit(1000);
  EXPECT_TRUE(limit.Allows(5));
  EXPECT_FALSE(limit.Allows(5));
  EXPECT_FALSE(limit.Allows(1004));
  EXPECT_TRUE(limit.Allows(1005));
  EXPECT_EQ(limit.TakeHeldBack(), 2);
  EXPECT_EQ(limit.TakeHeldBack(), 0);
  EXPECT_FALSE(limit.Allows(2004)) << "counted from the line before";
  EXPECT_TRUE(limit.Allows(1000000));
  EXPECT_EQ(limit.TakeHeldBack(), 1);
}

}  // namespace
}  // namespace ps
