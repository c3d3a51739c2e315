#include "postoffice/key_ranges.h"

#include <gtest/gtest.h>

#include "ps/base.h"

namespace ps {
namespace {

TEST(KeyRangesTest, BeginsAreMultiplesOfTheWidth) {
  for (int n : {1, 2, 3, 7, 1000}) {
    const std::vector<Range> ranges = ServerKeyRanges(n);
    ASSERT_EQ(ranges.size(), static_cast<size_t>(n));
    const uint64_t width = kMaxKey / static_cast<uint64_t>(n);
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(ranges[i].begin(), width * static_cast<uint64_t>(i));
      if (i + 1 < n) {
        EXPECT_EQ(ranges[i].end(), ranges[i + 1].begin());
      }
    }
    EXPECT_EQ(ranges.back().end(), kMaxKey);
  }
}

TEST(KeyRangesTest, WithoutServersThereIsNone) { EXPECT_TRUE(ServerKeyRanges(0).empty()); }

}  // namespace
}  // namespace ps
