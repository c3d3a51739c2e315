// Rules and states in checkpoints: what was changed since a table was made goes on, alone or with the values.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/job.h"
#include "tests/support/ruled_table.h"

namespace ps {
namespace {

class StoreStates : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override { folder_ = NewFolder("store_states"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};
INSTANTIATE_TEST_SUITE_P(Ways, StoreStates, EveryWay(), NameOfWay);

TEST_P(StoreStates, ACheckpointGoesOnWithTheRuleAndTheOptionsInForce) {
  const auto run = [](StoreTable& table, int from, int to) {
    for (int step = from; step <= to; ++step) Step(table, step);
  };
  Floats expected;
  {
    StoreWorld world(GetParam(), 2, 1);
    const auto table = world[0].Create(Spec("assign", Consistency::Bsp()));
    table->SetUpdater(Choice("adam lr=.01")).Wait();
    run(*table, 1, 3);
    table->SetOptions("beta1=.5").Wait();
    table->SetOptions("lr=.5", 7).Wait();
    run(*table, 4, 5);
    world[0].Save(folder_);
    run(*table, 6, 9);
    expected = Values(*table);
  }
  for (const int servers : {1, 3}) {
    StoreWorld world(GetParam(), servers, 1);
    const auto table = world[0].Create(Spec("assign", Consistency::Bsp()));
    world[0].Load(folder_);
    table->SetUpdater(Choice("adam lr=.01")).Wait();  // as a program does that starts again
    run(*table, 6, 9);
    EXPECT_EQ(Values(*table), expected) << servers << " servers";
  }
}

// V185.
TEST_P(StoreStates, StatesAreLoadedWithOrWithoutTheRule) {
  Floats values;
  {
    StoreWorld world(GetParam(), 2, 1);
    const auto table = world[0].Create(Spec("assign"));
    table->SetUpdater(Choice("adam lr=.25")).Wait();
    for (int step = 1; step <= 3; ++step) Step(*table, step);
    values = Values(*table);
    world[0].Save(folder_);
  }
  const Floats expected = Unbroken("adam lr=.25", Floats(kSize), 1, 4);
  for (const auto what : {LoadOptions::kStates, LoadOptions::kStatesAndRule}) {
    StoreWorld world(GetParam(), 3, 1);
    const auto table = world[0].Create(Spec("assign"));
    table->SetAsync(Rows::All(), values.data()).Wait();
    if (what == LoadOptions::kStates) {
      EXPECT_THROW(world[0].Load(folder_, {what, ""}), Error) << "assign has no such states";
      table->SetUpdater(Choice("adam lr=.25")).Wait();
    }
    EXPECT_EQ(world[0].Load(folder_, {what, ""}), 1u);
    EXPECT_EQ(Values(*table), values) << "values stay";
    Step(*table, 4);
    EXPECT_EQ(Values(*table), expected) << what;
  }
}

TEST_P(StoreStates, OnlyTablesOfAPrefixAreSavedAndLoaded) {
  StoreWorld world(GetParam(), 2, 1);
  std::vector<std::unique_ptr<StoreTable>> tables;
  for (const char* name : {"a/w", "a/v", "b/w"}) {
    TableSpec spec = Spec("add");
    spec.name = name;
    tables.push_back(world[0].Create(spec));
    Step(*tables.back(), 1);
  }
  const Floats saved = Values(*tables[0]);
  EXPECT_THROW(world[0].Save(folder_, {2, "c/"}), Error);
  world[0].Save(folder_, {2, "a/"});
  for (const auto& table : tables) Step(*table, 2);
  const Floats later = Values(*tables[0]);
  world[0].Load(folder_, {LoadOptions::kAll, "a/v"});
  EXPECT_EQ(Values(*tables[0]), later);
  EXPECT_EQ(Values(*tables[1]), saved);
  world[0].Load(folder_);
  EXPECT_EQ(Values(*tables[0]), saved);
  EXPECT_EQ(Values(*tables[2]), later) << "it was not saved";
}

// The server whose part was whole had read it. Each load but the last one is of states, of which there would
// be no room for two more.
TEST(StoreStatesMemory, AFailedLoadOfStatesKeepsNothing) {
  const std::string folder = NewFolder("store_states");
  Config config;
  config.server_memory_limit = 2000000;  // a table with momentum takes 1,200,000 bytes of it on each server
  StoreWorld world(Way::kCluster, 2, 1, config);
  TableSpec spec = DenseSpec("a/w", 300000);
  spec.updater = "momentum";
  const auto table = world[0].Create(spec);
  Floats values(300000);
  world[0].Save(folder);
  const std::string file = folder + "/1/shard-1";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  for (const auto what : {LoadOptions::kStates, LoadOptions::kStatesAndRule}) {
    for (const char* prefix : {"", "a/"}) EXPECT_THROW(world[0].Load(folder, {what, prefix}), Error);
    TableSpec other = DenseSpec("other", 300000);
    EXPECT_NO_THROW(world[0].Create(other)) << static_cast<int>(what);
    world[0].EraseTable("other").Wait();
    // Its memory goes with the last lane that lets go of it: what is read here has gone through all of them.
    table->Get(Rows::All(), values.data());
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ps
