#include "transport/shm/spin.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(SpinPolicyTest, SpinsAsLongAsItIsTold) {
  SpinPolicy policy(20, 8);
  EXPECT_TRUE(policy.ever());
  EXPECT_EQ(policy.BudgetUs(1000, 0), 20);
  EXPECT_EQ(policy.BudgetUs(2000, 0), 20);
}

TEST(SpinPolicyTest, ByDefaultOnlyWhereThereAreSeveralProcessors) {
  EXPECT_EQ(SpinPolicy(-1, 2).BudgetUs(0, 0), SpinPolicy::kDefaultUs);
  EXPECT_FALSE(SpinPolicy(-1, 1).ever());
  EXPECT_TRUE(SpinPolicy(50, 1).ever()) << "who asks for it gets it";
}

TEST(SpinPolicyTest, ZeroIsOff) {
  EXPECT_FALSE(SpinPolicy(0, 8).ever());
  EXPECT_EQ(SpinPolicy(0, 8).BudgetUs(0, 0), 0);
}

TEST(SpinPolicyTest, BacksOffAfterItWasTakenOffTheProcessor) {
  SpinPolicy policy(20, 2);
  EXPECT_EQ(policy.BudgetUs(0, 700), 20) << "what was before is of no interest";
  EXPECT_EQ(policy.BudgetUs(1000, 701), 0);
  EXPECT_EQ(policy.BudgetUs(1000 + SpinPolicy::kBackOffUs - 1, 701), 0);
  EXPECT_EQ(policy.BudgetUs(1000 + SpinPolicy::kBackOffUs, 701), 20);
  EXPECT_EQ(policy.BudgetUs(20000, 705), 0);
}

TEST(SpinPolicyTest, AnotherThreadIsNotHeldResponsible) {
  SpinPolicy policy(20, 2);
  EXPECT_EQ(policy.BudgetUs(0, 700), 20);
  policy.ChangeThread();
  EXPECT_EQ(policy.BudgetUs(1000, 5), 20);
  EXPECT_EQ(policy.BudgetUs(2000, 6), 0);
}

TEST(SpinPolicyTest, SystemTellsProcessorsAndSwitches) {
  EXPECT_GE(NumProcessors(), 1);
  EXPECT_GE(InvoluntarySwitches(), 0);
}

}  // namespace
}  // namespace ps
