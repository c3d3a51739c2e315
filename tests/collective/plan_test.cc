#include "collective/plan.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ps {
namespace {

constexpr Algorithm kAlgorithms[] = {Algorithm::kRollCall, Algorithm::kDoubling, Algorithm::kHalving,
                                     Algorithm::kDirect,   Algorithm::kRing,     Algorithm::kBruck,
                                     Algorithm::kTree,     Algorithm::kChain};

Signature Of(CollectiveKind kind, std::uint64_t count) {
  return {kind, ReduceOp::kSum, DType::kF32, 0, count};
}

std::vector<Plan> PlansOf(Algorithm algorithm, const Signature& signature, int size) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < size; ++rank) plans.push_back(MakePlan(algorithm, signature, rank, size));
  return plans;
}

// What `rank` sends is what those it goes to expect.
void CheckSends(const std::vector<Plan>& plans, int rank) {
  const Plan& plan = plans[static_cast<std::size_t>(rank)];
  ASSERT_EQ(plan.steps.size(), plans[0].steps.size());
  for (std::size_t round = 0; round < plan.steps.size(); ++round) {
    const PlanStep& step = plan.steps[round];
    ASSERT_NE(step.to, rank);
    ASSERT_LT(step.to, static_cast<int>(plans.size()));
    if (step.to < 0) continue;
    const PlanStep& theirs = plans[static_cast<std::size_t>(step.to)].steps[round];
    ASSERT_EQ(theirs.from, rank) << "round " << round << " of " << plans.size();
    ASSERT_EQ(theirs.in, step.out);
    ASSERT_EQ(theirs.take, step.take);
    ASSERT_TRUE(step.take == Take::kToken || step.out.size() > 0);
  }
}

void CheckPlans(Algorithm algorithm, int size) {
  for (const std::uint64_t count : {0, 1, 5, 100}) {
    const std::vector<Plan> plans = PlansOf(algorithm, Of(CollectiveKind::kAllreduce, count), size);
    for (int rank = 0; rank < size; ++rank) CheckSends(plans, rank);
  }
}

TEST(PlanTest, WhatOneSendsInARoundTheOtherReceivesInIt) {
  for (const Algorithm algorithm : kAlgorithms)
    for (int size = 1; size <= 17; ++size) CheckPlans(algorithm, size);
}

TEST(PlanTest, AllButDoublingBeginWithARollCall) {
  for (const Algorithm algorithm : kAlgorithms) {
    const Plan plan = MakePlan(algorithm, Of(CollectiveKind::kAllreduce, 1000), 2, 5);
    ASSERT_GE(plan.steps.size(), 3u);
    for (int round = 0; round < 3; ++round) {
      const bool is_token = plan.steps[static_cast<std::size_t>(round)].take == Take::kToken;
      EXPECT_EQ(is_token, algorithm != Algorithm::kDoubling);
    }
  }
}

TEST(PlanTest, WithFewRanksEverybodyTellsEverybody) {
  const Plan plan = MakePlan(Algorithm::kDirect, Of(CollectiveKind::kAllreduce, 1000), 2, 4);
  std::set<int> told;
  std::set<int> heard;
  for (std::size_t round = 0; round < 3; ++round) {
    EXPECT_EQ(plan.steps[round].take, Take::kToken);
    told.insert(plan.steps[round].to);
    heard.insert(plan.steps[round].from);
  }
  EXPECT_EQ(told, (std::set<int>{0, 1, 3}));
  EXPECT_EQ(heard, told);
}

// Whoever has called something else is found: a rank that begins with a roll call speaks to the next one.
TEST(PlanTest, ARollCallBeginsWithTheNextRank) {
  for (int rank = 0; rank < 5; ++rank) {
    const Plan plan = MakePlan(Algorithm::kRing, Of(CollectiveKind::kAllreduce, 1000), rank, 5);
    EXPECT_EQ(plan.steps[0].to, (rank + 1) % 5);
    EXPECT_EQ(plan.steps[0].from, (rank + 4) % 5);
  }
}

TEST(PlanTest, SizesChoose) {
  const auto choose = [](CollectiveKind kind, std::uint64_t bytes) {
    return ChooseAlgorithm(kind, bytes, 4);
  };
  EXPECT_EQ(choose(CollectiveKind::kAllreduce, 8), Algorithm::kDoubling);
  EXPECT_EQ(choose(CollectiveKind::kAllreduce, 64 << 10), Algorithm::kHalving);
  EXPECT_EQ(choose(CollectiveKind::kAllreduce, 4 << 20), Algorithm::kDirect);
  EXPECT_EQ(choose(CollectiveKind::kReduceScatter, 8), Algorithm::kDoubling);
  EXPECT_EQ(choose(CollectiveKind::kReduceScatter, 4 << 20), Algorithm::kDirect);
  EXPECT_EQ(choose(CollectiveKind::kAllgather, 8), Algorithm::kBruck);
  EXPECT_EQ(choose(CollectiveKind::kAllgather, 4 << 20), Algorithm::kDirect);
  EXPECT_EQ(choose(CollectiveKind::kBroadcast, 8), Algorithm::kTree);
  EXPECT_EQ(choose(CollectiveKind::kBroadcast, 4 << 20), Algorithm::kChain);
  EXPECT_EQ(ChooseAlgorithm(CollectiveKind::kAllreduce, 4 << 20, 8), Algorithm::kDirect);
  EXPECT_EQ(ChooseAlgorithm(CollectiveKind::kAllreduce, 4 << 20, 9), Algorithm::kRing);
  EXPECT_EQ(choose(CollectiveKind::kBarrier, 0), Algorithm::kRollCall);
  EXPECT_EQ(choose(CollectiveKind::kAllreduce, 0), Algorithm::kRollCall);
  EXPECT_EQ(ChooseAlgorithm(CollectiveKind::kAllreduce, 8, 1), Algorithm::kRollCall);
}

TEST(PlanTest, BlocksAreConsecutiveAndCoverTheArray) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{100}, UINT64_MAX - 1})
    for (int size = 1; size <= 9; ++size) {
      std::uint64_t end = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Range block = BlockOf(count, rank, size);
        EXPECT_EQ(block.begin(), end);
        end = block.end();
      }
      EXPECT_EQ(end, count);
    }
  EXPECT_EQ(BlockOf(10, 1, 4), Range(2, 5));
}

TEST(PlanTest, PiecesHoldWholeElements) {
  const Signature signature{CollectiveKind::kAllreduce, ReduceOp::kSum, DType::kF64, 0, 1 << 20};
  EXPECT_EQ(MakePlan(signature, 0, 2).piece * 8, 256u << 10);
}

}  // namespace
}  // namespace ps
