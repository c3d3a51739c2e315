#include "store/periodic_checkpoint.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(PeriodicCheckpointTest, BeginsAtTheFirstReadAfterTheInterval) {
  int begun = 0;
  PeriodicCheckpoint periodic(100, 1000, [&] { ++begun; });
  periodic.BeforeRead(1099);
  EXPECT_EQ(begun, 0);
  periodic.BeforeRead(1100);
  EXPECT_EQ(begun, 1);
}

TEST(PeriodicCheckpointTest, NoneBeginsWhileOneIsUnderWay) {
  int begun = 0;
  PeriodicCheckpoint periodic(100, 0, [&] { ++begun; });
  for (int now = 100; now < 1000; ++now) periodic.BeforeRead(now);
  EXPECT_EQ(begun, 1);
  periodic.Ended(1000);
  periodic.BeforeRead(1099);
  EXPECT_EQ(begun, 1);
  periodic.BeforeRead(1100);
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace ps
