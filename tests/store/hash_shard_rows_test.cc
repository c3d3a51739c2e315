#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "ps/half.h"
#include "store/hash_shard.h"

namespace ps {
namespace {

using Keys = std::vector<std::uint64_t>;
using Floats = std::vector<float>;

// A shard and its rule.
struct Ruled {
  TableSpec spec;
  std::unique_ptr<Updater> updater;
  std::unique_ptr<HashShard> shard;

  Ruled(const std::string& rule, DType dtype = DType::kF32, bool masters = false,
        MemoryBudget* budget = nullptr) {
    spec.name = "t";
    spec.kind = TableSpec::kHash;
    spec.dtype = dtype;
    spec.width = 2;
    spec.updater = rule;
    spec.multi_precision = masters;
    updater = MakeUpdater(rule, {}, {MasterOf(dtype), 1}).value();
    ShardPlan plan;
    plan.spec = &spec;
    plan.updater = updater.get();
    plan.budget = budget;
    shard = HashShard::Create(plan).value();
  }
  void Update(const Keys& keys, const void* delta, std::int64_t count = 1) const {
    UpdateContext context;
    context.count = count;
    ASSERT_TRUE(shard->Update(RowSet::List(keys.data(), keys.size()), delta, context).ok());
  }
  Floats Read(const Keys& keys) const {
    Floats values(2 * keys.size());
    shard->Read(RowSet::List(keys.data(), keys.size()), values.data());
    return values;
  }
};

Floats Counting(std::size_t size) {
  Floats values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i + 1);
  return values;
}

TEST(HashShardRowsTest, AnotherRuleHasTheRowsAndStatesOfItsOwn) {
  Keys keys(3000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 0x9E3779B97F4A7C15u;
  const Floats values = Counting(6000);
  const Ruled add("add");
  add.Update(keys, values.data());
  const Ruled adam("adam");
  ASSERT_TRUE(TakeValues(*add.shard, adam.shard.get()).ok());
  EXPECT_EQ(adam.Read(keys), values);
  EXPECT_EQ(adam.shard->num_rows(), 3000u);
  EXPECT_EQ(adam.shard->version(), add.shard->version());
  // As a table that was adam's from the beginning, and had these values.
  const Ruled fresh("adam");
  ASSERT_TRUE(fresh.shard->Set(RowSet::List(keys.data(), keys.size()), values.data()).ok());
  for (int step = 1; step <= 3; ++step) {
    adam.Update(keys, values.data(), step);
    fresh.Update(keys, values.data(), step);
  }
  EXPECT_EQ(adam.Read(keys), fresh.Read(keys));
}

TEST(HashShardRowsTest, VersionsStaySoThatReadersGoOn) {
  const Ruled add("add");
  const Floats one = {1, 1};
  add.Update({1}, one.data());
  add.Update({2}, one.data());
  const Ruled adam("adam");
  ASSERT_TRUE(TakeValues(*add.shard, adam.shard.get()).ok());
  const Keys keys = {1, 2, 3};
  Floats values(6);
  Shard::Changed changed;
  adam.shard->ReadSince(RowSet::List(keys.data(), 3), 1, values.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{1}));
  adam.Update({1}, one.data());
  adam.shard->ReadSince(RowSet::List(keys.data(), 3), 2, values.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{0}));
}

TEST(HashShardRowsTest, StatesThatWereThereStayWithTheRowsThatComeAndOthersGo) {
  const Ruled before("momentum");
  const Floats twos = Counting(4);
  before.Update({1, 2}, twos.data());
  const Ruled live("momentum");
  const Floats sets = {10, 20, 30, 40};
  const Keys live_keys = {2, 3};
  ASSERT_TRUE(live.shard->Set(RowSet::List(live_keys.data(), 2), sets.data()).ok());
  ASSERT_TRUE(TakeValues(*live.shard, before.shard.get()).ok());
  EXPECT_EQ(before.shard->num_rows(), 2u);
  EXPECT_EQ(before.Read({1, 2, 3}), (Floats{0, 0, 10, 20, 30, 40}));
  const Floats zeros(4);
  before.Update(live_keys, zeros.data(), 2);
  const Floats values = before.Read(live_keys);
  EXPECT_NE(values[0], 10) << "the velocity of row 2 goes on";
  EXPECT_EQ(values[2], 30) << "row 3 has none";
}

TEST(HashShardRowsTest, MastersAreMadeOfTheValuesAndDroppedAgain) {
  const Ruled plain("add", DType::kF16);
  const std::vector<Half> ones(2, Half(1.0f));
  plain.Update({5}, ones.data());
  const Ruled masters("add", DType::kF16, true);
  ASSERT_TRUE(TakeValues(*plain.shard, masters.shard.get()).ok());
  const std::vector<Half> small(2, Half(1.0f / 4096));
  for (int i = 0; i < 2048; ++i) masters.Update({5}, small.data());
  const Ruled again("add", DType::kF16);
  ASSERT_TRUE(TakeValues(*masters.shard, again.shard.get()).ok());
  std::vector<Half> values(2);
  const Keys key = {5};
  again.shard->Read(RowSet::List(key.data(), 1), values.data());
  EXPECT_EQ(static_cast<float>(values[0]), 1.5f);
  for (int i = 0; i < 2048; ++i) again.Update({5}, small.data());
  again.shard->Read(RowSet::List(key.data(), 1), values.data());
  EXPECT_EQ(static_cast<float>(values[0]), 1.5f) << "there are no masters any more";
}

TEST(HashShardRowsTest, WhatTheBudgetDoesNotHaveIsRefusedAndTheOtherStays) {
  MemoryBudget budget(600000);
  const Ruled add("add", DType::kF32, false, &budget);
  Keys keys(10000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  const Floats values = Counting(20000);
  add.Update(keys, values.data());
  const std::uint64_t used = budget.used_bytes();
  {
    const Ruled adam("adam", DType::kF32, false, &budget);
    EXPECT_EQ(MakeRoom(*add.shard, adam.shard.get()).code(), StatusCode::kResourceExhausted);
    EXPECT_EQ(TakeValues(*add.shard, adam.shard.get()).code(), StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(budget.used_bytes(), used);
  EXPECT_EQ(add.Read(keys), values);
}

}  // namespace
}  // namespace ps
