#include "van/liveness.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(LivenessTest, ANodeIsSilentFromTheTimeoutOn) {
  Liveness liveness;
  liveness.Watch(9, 1000);
  liveness.Watch(8, 1500);
  EXPECT_TRUE(liveness.Silent(500, 1499).empty());
  EXPECT_EQ(liveness.Silent(500, 1500), std::vector<int>({9}));
  EXPECT_EQ(liveness.Silent(500, 2000), std::vector<int>({8, 9}));
}

TEST(LivenessTest, AnySignOfLifeStartsTheTimeAgain) {
  Liveness liveness;
  liveness.Watch(9, 0);
  EXPECT_TRUE(liveness.Heard(9, 400));
  EXPECT_EQ(liveness.SilentFor(9, 450), 50);
  EXPECT_TRUE(liveness.Silent(500, 899).empty());
  EXPECT_EQ(liveness.Silent(500, 900), std::vector<int>({9}));
}

TEST(LivenessTest, SignsThatComeInTheWrongOrderDoNotTurnTimeBack) {
  Liveness liveness;
  liveness.Watch(9, 0);
  liveness.Heard(9, 400);
  liveness.Heard(9, 300);
  EXPECT_EQ(liveness.SilentFor(9, 400), 0);
  EXPECT_EQ(liveness.SilentFor(9, 350), 0);
}

TEST(LivenessTest, ForgottenNodesAreNeverSilent) {
  Liveness liveness;
  liveness.Watch(9, 0);
  liveness.Forget(9);
  EXPECT_FALSE(liveness.Heard(9, 10));
  EXPECT_EQ(liveness.SilentFor(9, 5000), -1);
  EXPECT_TRUE(liveness.Silent(1, 5000).empty());
}

}  // namespace
}  // namespace ps
