#include "store/shard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "ps/half.h"
#include "tests/store/test_updaters.h"

namespace ps {
namespace {

using Rows = std::vector<std::uint64_t>;

TableSpec Dense(DType dtype, std::int64_t rows, std::int64_t width) {
  TableSpec spec;
  spec.name = "t";
  spec.dtype = dtype;
  spec.rows = rows;
  spec.width = width;
  return spec;
}

std::unique_ptr<Shard> Make(const TableSpec& spec, Updater* updater, std::uint64_t first_row = 0) {
  ShardPlan plan;
  plan.spec = &spec;
  plan.updater = updater;
  plan.first_row = first_row;
  plan.num_rows = static_cast<std::uint64_t>(spec.rows);
  return MakeShard(plan).value();
}

RowSet List(const Rows& rows) { return RowSet::List(rows.data(), rows.size()); }

template <typename T>
std::vector<T> Read(const Shard& shard, const RowSet& rows, std::int64_t width) {
  std::vector<T> values(rows.count * static_cast<std::size_t>(width), T{77});
  shard.Read(rows, values.data());
  return values;
}

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

TEST(ShardTest, AnotherRuleTakesValuesAndVersionsOver) {
  AddingUpdater<float> add;
  SumTimesCount<float> rule;
  TableSpec spec = Dense(DType::kF32, 40000, 2);
  spec.init = Init::Uniform(-1, 1, 7);  // of which only a part is ever filled in
  const auto before = Make(spec, &add, 100);
  const auto expected = Make(spec, &add, 100);
  const std::vector<float> delta = {1, 2, 3, 4};
  const Rows first = {100, 30000};
  const Rows second = {30000, 101};
  const Rows all = {100, 101, 30000};
  for (const auto& shard : {before.get(), expected.get()}) {
    ASSERT_TRUE(shard->Update(List(first), delta.data(), {}).ok());
    ASSERT_TRUE(shard->Update(List(second), delta.data(), {}).ok());
  }
  const auto after = Make(spec, &rule, 100);
  ASSERT_TRUE(TakeValues(*before, after.get()).ok());
  EXPECT_EQ(after->version(), 2U);
  std::vector<float> values(6);
  Shard::Changed changed;
  after->ReadSince(List(all), 1, values.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(Read<float>(*after, RowSet::Range(100, 40000), 2),
            Read<float>(*expected, RowSet::Range(100, 40000), 2));
  ASSERT_TRUE(after->Update(RowSet::Range(100, 1), delta.data(), {}).ok());
  EXPECT_EQ(Read<float>(*after, RowSet::Range(100, 1), 2), (std::vector<float>{1, 2}))
      << "its states were zeros";
}

TEST(ShardTest, MastersAreMadeOfTheValuesAndDroppedAgain) {
  AddingUpdater<float> add;
  TableSpec spec = Dense(DType::kF16, 100, 1);
  const auto plain = Make(spec, &add);
  const std::vector<Half> ones(100, Half(1.0F));
  ASSERT_TRUE(plain->Set(RowSet::Range(0, 100), ones.data()).ok());
  spec.multi_precision = true;
  const auto masters = Make(spec, &add);
  ASSERT_TRUE(TakeValues(*plain, masters.get()).ok());
  const std::vector<Half> small(100, Half(1.0F / 4096));
  for (int i = 0; i < 2048; ++i) ASSERT_TRUE(masters->Update(RowSet::Range(0, 100), small.data(), {}).ok());
  const auto others = Make(spec, &add);
  ASSERT_TRUE(TakeValues(*masters, others.get()).ok()) << "masters go on as masters";
  spec.multi_precision = false;
  const auto again = Make(spec, &add);
  ASSERT_TRUE(TakeValues(*masters, again.get()).ok());
  for (const auto& shard : {masters.get(), others.get(), again.get()}) {
    EXPECT_EQ(static_cast<float>(Read<Half>(*shard, RowSet::Range(99, 1), 1)[0]), 1.5F);
    for (int i = 0; i < 2048; ++i) ASSERT_TRUE(shard->Update(RowSet::Range(0, 100), small.data(), {}).ok());
  }
  EXPECT_EQ(static_cast<float>(Read<Half>(*others, RowSet::Range(99, 1), 1)[0]), 2.0F);
  EXPECT_EQ(static_cast<float>(Read<Half>(*again, RowSet::Range(99, 1), 1)[0]), 1.5F)
      << "there are no masters any more";
}

}  // namespace
}  // namespace ps
