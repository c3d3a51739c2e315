#include "group/placement.h"

#include <gtest/gtest.h>

#include <vector>

namespace ps {
namespace {

const DeviceId kFirst = DeviceId::Cuda(0);
const DeviceId kSecond = DeviceId::Cuda(1);
const std::vector<DeviceId> kTwo = {kFirst, kSecond};

TEST(PlacementTest, TheLargestKeyIsPlacedFirstWhereThereIsLeast) {
  Placement placement;
  // V194, in another order than that of the sizes.
  placement.Add(2, 2, kTwo);
  placement.Add(6, 6, kTwo);
  placement.Add(8, 8, kTwo);
  placement.Add(4, 4, kTwo);
  EXPECT_EQ(placement.Find(8), kFirst);
  EXPECT_EQ(placement.Find(6), kSecond);
  EXPECT_EQ(placement.Find(4), kSecond);
  EXPECT_EQ(placement.Find(2), kFirst);
}

TEST(PlacementTest, OfEqualDevicesTheLowestIndexIsTaken) {
  Placement placement;
  placement.Add(1, 5, {kSecond, kFirst});
  placement.Add(2, 5, {kSecond, kFirst});
  placement.Add(3, 5, {kSecond, kFirst});
  EXPECT_EQ(placement.Find(1), kFirst);
  EXPECT_EQ(placement.Find(2), kSecond);
  EXPECT_EQ(placement.Find(3), kFirst);
}

TEST(PlacementTest, KeysThatComeLaterFindTheOthersInTheirPlace) {
  Placement placement;
  placement.Add(1, 3, kTwo);
  EXPECT_EQ(placement.Find(1), kFirst);
  placement.Add(2, 100, kTwo);
  placement.Add(3, 1, kTwo);
  EXPECT_EQ(placement.Find(2), kSecond);
  EXPECT_EQ(placement.Find(3), kFirst);
  EXPECT_EQ(placement.Find(1), kFirst);
}

TEST(PlacementTest, AKeyStaysOnItsOwnDevices) {
  Placement placement;
  placement.Add(1, 9, {kSecond});
  placement.Add(2, 8, {kSecond});
  placement.Add(3, 7, kTwo);
  EXPECT_EQ(placement.Find(1), kSecond);
  EXPECT_EQ(placement.Find(2), kSecond);
  EXPECT_EQ(placement.Find(3), kFirst);
}

TEST(PlacementTest, WhatIsUnknownOrRemovedHasNoPlace) {
  Placement placement;
  EXPECT_FALSE(placement.Find(1).has_value());
  placement.Add(1, 10, kTwo);
  placement.Remove(1);  // before it was placed
  EXPECT_FALSE(placement.Find(1).has_value());
  placement.Add(1, 10, kTwo);
  EXPECT_EQ(placement.Find(1), kFirst);
  placement.Remove(1);
  EXPECT_FALSE(placement.Find(1).has_value());
  placement.Add(2, 1, kTwo);
  EXPECT_EQ(placement.Find(2), kFirst);  // the bytes of the first are gone
  placement.Remove(77);
}

TEST(PlacementTest, AKeyThatComesAgainIsPlacedAnew) {
  Placement placement;
  placement.Add(1, 10, kTwo);
  placement.Add(2, 4, kTwo);
  EXPECT_EQ(placement.Find(1), kFirst);
  EXPECT_EQ(placement.Find(2), kSecond);
  placement.Add(1, 1, kTwo);
  EXPECT_EQ(placement.Find(1), kFirst);
  placement.Add(3, 1, kTwo);
  EXPECT_EQ(placement.Find(3), kFirst);  // 1 there, 4 on the other
}

}  // namespace
}  // namespace ps
