#include "store/staging.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace ps {
namespace {

std::shared_ptr<Contribution> Of(std::uint64_t round, int worker) {
  auto contribution = std::make_shared<Contribution>(nullptr, 0, SArray<Key>(), SArray<char>(), false);
  contribution->round = round;
  contribution->worker = worker;
  return contribution;
}

class StagingTest : public testing::Test {
 protected:
  // Workers of what comes next in the sum.
  std::vector<int> Next(std::uint64_t round, int worker) {
    std::vector<int> workers;
    for (const auto& next : staging_.TakeNextInSum(round, worker)) workers.push_back(next->worker);
    return workers;
  }

  Staging staging_;
};

TEST_F(StagingTest, WithoutAnOrderWhatIsInNoSumYetIsFoundOnceItsWorkerIsDone) {
  staging_.Put(1, Of(1, 2));
  staging_.Put(2, Of(1, 0));
  staging_.Put(3, Of(2, 2));
  const auto found = staging_.FindUnsummed(1, [](int worker) { return worker == 2; });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->worker, 2);
  found[0]->is_folded = true;
  EXPECT_TRUE(staging_.FindUnsummed(1, [](int worker) { return worker == 2; }).empty());
  EXPECT_EQ(staging_.FindUnsummed(1, [](int) { return true; }).size(), 1u);
}

TEST_F(StagingTest, WhatWasPutIsTakenByItsPlace) {
  const auto first = Of(1, 2);
  const auto second = Of(1, 2);
  staging_.Put(10, first);
  staging_.Put(11, second);
  EXPECT_EQ(staging_.Take(1, 2, 11), second);
  EXPECT_EQ(staging_.Take(1, 2, 10), first);
}

TEST_F(StagingTest, TheSumGoesByWorkersWhateverCameFirst) {
  staging_.Put(1, Of(1, 2));
  EXPECT_TRUE(Next(1, 0).empty()) << "worker 0 has not come";
  staging_.Put(2, Of(1, 0));
  EXPECT_EQ(Next(1, 1), std::vector<int>{0});
  EXPECT_TRUE(Next(1, 1).empty()) << "told once";
  staging_.Put(3, Of(1, 1));
  EXPECT_EQ(Next(1, 3), (std::vector<int>{1, 2}));
}

TEST_F(StagingTest, OtherRoundsWait) {
  staging_.Put(1, Of(2, 0));
  EXPECT_TRUE(Next(1, 5).empty());
  staging_.Put(2, Of(1, 3));
  EXPECT_EQ(Next(1, 5), std::vector<int>{3});
  EXPECT_EQ(Next(2, 5), std::vector<int>{0});
}

}  // namespace
}  // namespace ps
