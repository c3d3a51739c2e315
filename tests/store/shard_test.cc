#include "store/shard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/store/test_updaters.h"

namespace ps {
namespace {

TEST(ShardTest, TheSpecSaysWhichKindIsMade) {
  AddingUpdater<float> add;
  TableSpec spec;
  spec.name = "t";
  spec.rows = 3;
  ShardPlan plan;
  plan.spec = &spec;
  plan.updater = &add;
  plan.num_rows = 3;
  EXPECT_EQ(MakeShard(plan).value()->num_rows(), 3U);
  spec.kind = TableSpec::kHash;
  EXPECT_EQ(MakeShard(plan).value()->num_rows(), 0U);
}

TEST(ShardTest, WhatCannotBeMadeIsAnError) {
  SumTimesCount<float> rule(true);
  TableSpec spec;
  spec.kind = TableSpec::kHash;
  ShardPlan plan;
  plan.spec = &spec;
  plan.updater = &rule;
  EXPECT_EQ(MakeShard(plan).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
