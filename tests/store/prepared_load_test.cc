#include "store/prepared_load.h"

#include <gtest/gtest.h>

#include <memory>

namespace ps {
namespace {

LoadedTables Some() { return {{"w", LoadedTable()}}; }

TEST(PreparedLoadTest, WhatWasReadIsFoundByItsStepUntilItIsLetGo) {
  PreparedLoad load;
  EXPECT_EQ(load.Find(0), nullptr);
  EXPECT_TRUE(load.Keep(load.Begin(0), 4, Some()).ok());
  EXPECT_EQ(load.Find(3), nullptr);
  ASSERT_NE(load.Find(4), nullptr);
  EXPECT_EQ(load.Find(4)->count("w"), 1u);
  load.Forget();
  EXPECT_EQ(load.Find(4), nullptr);
}

TEST(PreparedLoadTest, OneThatWasGivenUpWhileItReadKeepsNothing) {
  PreparedLoad load;
  const std::uint64_t number = load.Begin(2);
  load.ForgetOf(1);
  load.ForgetOf(2);
  EXPECT_EQ(load.Keep(number, 4, Some()).code(), StatusCode::kCancelled);
  EXPECT_EQ(load.Find(4), nullptr);
}

TEST(PreparedLoadTest, ANewOneLetsGoOfWhatIsThere) {
  PreparedLoad load;
  const std::uint64_t first = load.Begin(0);
  EXPECT_TRUE(load.Keep(first, 4, Some()).ok());
  const std::uint64_t second = load.Begin(1);
  EXPECT_EQ(load.Find(4), nullptr);
  EXPECT_EQ(load.Keep(first, 4, Some()).code(), StatusCode::kCancelled);
  load.ForgetOf(0);  // it is another one's now
  EXPECT_TRUE(load.Keep(second, 5, LoadedTables()).ok());
  EXPECT_NE(load.Find(5), nullptr) << "a checkpoint may have nothing for this server";
}

TEST(PreparedLoadTest, StatesAreForTheTableAndTheRuleThatTheyWereReadFor) {
  TableSpec spec;
  spec.name = "w";
  spec.rows = 2;
  TableSlots::Place place;
  place.range = Range(0, 2);
  Executors executors(0);
  const auto make = [&] {
    return std::shared_ptr<ServerTable>(ServerTable::Make(spec, place, &executors, nullptr).value());
  };
  LoadedTable states;
  states.there = make();
  states.had = states.there->rules().rule();
  EXPECT_TRUE(states.CheckMayBeTaken(states.there.get()).ok());
  EXPECT_EQ(states.CheckMayBeTaken(nullptr).code(), StatusCode::kFailedPrecondition) << "it was erased";
  EXPECT_FALSE(states.CheckMayBeTaken(make().get()).ok()) << "and made again";
  states.had.choice.name = "sgd";
  EXPECT_FALSE(states.CheckMayBeTaken(states.there.get()).ok());
  LoadedTable whole;
  whole.table = make();
  EXPECT_TRUE(whole.CheckMayBeTaken(nullptr).ok());
}

}  // namespace
}  // namespace ps
