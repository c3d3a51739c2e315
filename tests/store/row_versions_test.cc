#include "store/row_versions.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(RowVersionsTest, RowsBeginAtZeroAndKeepTheirOwn) {
  RowVersions versions(10, 0);
  versions.Set(3, 7);
  versions.SetRange(5, 2, 8);
  EXPECT_EQ(versions.Of(2), 0U);
  EXPECT_EQ(versions.Of(3), 7U);
  EXPECT_EQ(versions.Of(4), 0U);
  EXPECT_EQ(versions.Of(5), 8U);
  EXPECT_EQ(versions.Of(6), 8U);
  EXPECT_EQ(versions.Of(7), 0U);
}

TEST(RowVersionsTest, AGroupHasOneVersion) {
  RowVersions versions(100, 6);
  versions.Set(63, 1);
  EXPECT_EQ(versions.Of(0), 1U);
  EXPECT_EQ(versions.Of(64), 0U);
  versions.SetRange(63, 2, 2);
  EXPECT_EQ(versions.Of(0), 2U);
  EXPECT_EQ(versions.Of(99), 2U);
}

TEST(RowVersionsTest, AChangeOfAllHoldsUntilALaterOne) {
  RowVersions versions(10, 0);
  versions.Set(3, 1);
  versions.SetRange(0, 10, 5);
  versions.Set(4, 6);
  EXPECT_EQ(versions.Of(3), 5U);
  EXPECT_EQ(versions.Of(4), 6U);
  EXPECT_EQ(versions.Of(9), 5U);
}

TEST(RowVersionsTest, FindsTheEndOfRowsThatAreAlike) {
  RowVersions versions(200, 6);
  versions.Set(64, 3);
  EXPECT_EQ(versions.EndOfSame(0, 200, 2), 64U);
  EXPECT_EQ(versions.EndOfSame(70, 200, 2), 128U);
  EXPECT_EQ(versions.EndOfSame(70, 100, 2), 100U);
  EXPECT_EQ(versions.EndOfSame(130, 200, 2), 200U);
  EXPECT_EQ(versions.EndOfSame(0, 200, 3), 200U);
  versions.SetRange(0, 200, 4);
  EXPECT_EQ(versions.EndOfSame(0, 200, 3), 200U);
}

TEST(RowVersionsTest, ACountOfNothingSetsNothing) {
  RowVersions versions(4, 0);
  versions.SetRange(1, 0, 9);
  EXPECT_EQ(versions.Of(1), 0U);
}

}  // namespace
}  // namespace ps
