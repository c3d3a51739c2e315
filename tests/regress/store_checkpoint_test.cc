// Checkpoints of the store: what was saved by some number of servers goes on, bit for bit, on another.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/job.h"
#include "tests/support/store_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class StoreCheckpoint : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override { folder_ = NewFolder("checkpoint"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static TableSpec Spec(const std::string& updater, TableSpec::Kind kind = TableSpec::kDense) {
    TableSpec spec;
    spec.name = updater;
    spec.updater = updater;
    spec.kind = kind;
    spec.rows = kind == TableSpec::kDense ? 101 : 0;
    spec.width = 3;
    spec.min_split = 0;
    return spec;
  }
  static Floats Gradient(int step, std::size_t size) {
    std::mt19937 random(static_cast<unsigned>(step));
    std::uniform_real_distribution<float> uniform(-1, 1);
    Floats values(size);
    for (float& value : values) value = uniform(random);
    return values;
  }
  static Rows KeysOf(const TableSpec& spec) {
    static const std::vector<std::uint64_t> keys = [] {
      std::vector<std::uint64_t> all;
      for (std::uint64_t i = 0; i < 10000; ++i) all.push_back(i * 0x9E3779B97F4A7C15u);
      return all;
    }();
    return spec.kind == TableSpec::kDense ? Rows::All() : Rows::Of(keys);
  }
  static std::size_t SizeOfAll(const TableSpec& spec) {
    return (spec.kind == TableSpec::kDense ? 101 : 10000) * static_cast<std::size_t>(spec.width);
  }
  static void Step(StoreTable& table, int step) {
    table.Add(KeysOf(table.spec()), Gradient(step, SizeOfAll(table.spec())).data());
  }
  static Floats Values(StoreTable& table) {
    Floats values(SizeOfAll(table.spec()));
    table.Get(KeysOf(table.spec()), values.data());
    return values;
  }
  Floats Unbroken(const TableSpec& spec, int steps) {
    StoreWorld world(Way::kLoopback, 1, 1);
    const auto table = world[0].Create(spec);
    for (int step = 1; step <= steps; ++step) Step(*table, step);
    return Values(*table);
  }

  std::string folder_;
};
INSTANTIATE_TEST_SUITE_P(Ways, StoreCheckpoint, EveryWay(), NameOfWay);

TEST_P(StoreCheckpoint, RulesWithStateGoOnBitForBitOnAnotherNumberOfServers) {
  const std::vector<TableSpec> specs = {Spec("adam"), Spec("momentum"), Spec("ftrl"),
                                        Spec("adagrad", TableSpec::kHash)};
  {
    StoreWorld world(GetParam(), 2, 1);
    std::vector<std::unique_ptr<StoreTable>> tables;
    for (const TableSpec& spec : specs) {
      tables.push_back(world[0].Create(spec));
      for (int step = 1; step <= 3; ++step) Step(*tables.back(), step);
    }
    EXPECT_EQ(world[0].Save(folder_), 1u);
  }
  for (const int servers : {1, 3}) {
    StoreWorld world(GetParam(), servers, 1);
    std::vector<std::unique_ptr<StoreTable>> tables;
    for (const TableSpec& spec : specs) tables.push_back(world[0].Create(spec));
    EXPECT_EQ(world[0].Load(folder_), 1u);
    for (const auto& table : tables) {
      Step(*table, 4);
      EXPECT_EQ(Values(*table), Unbroken(table->spec(), 4)) << table->spec().name << " on " << servers;
    }
  }
}

TEST_P(StoreCheckpoint, TheCutIsTheRoundThatItsSaverHasEnded) {
  TableSpec spec = Spec("add");
  spec.consistency = Consistency::Bsp();
  spec.apply = TableSpec::kMerged;
  {
    StoreWorld world(GetParam(), 2, 2);
    const auto tables = world.Create(spec);
    const Floats ones(303, 1);
    for (int round = 1; round <= 3; ++round) {
      for (const auto& table : tables) table->Add(Rows::All(), ones.data());
    }
    tables[1]->Add(Rows::All(), ones.data());  // ahead: not part of the cut
    world[0].Save(folder_);
  }
  StoreWorld world(GetParam(), 3, 2);
  const auto tables = world.Create(spec);
  world.Run([&](int worker, Store& store) {
    StoreTable& table = *tables[static_cast<std::size_t>(worker)];
    store.Load(folder_);
    EXPECT_EQ(Values(table), Floats(303, 6));
    const Floats ones(303, 1);
    table.Add(Rows::All(), ones.data());
    EXPECT_EQ(Values(table), Floats(303, 8));
  });
}

TEST_P(StoreCheckpoint, ADeltaReadAfterALoadBringsEverything) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("add"));
  Step(*table, 1);
  const Floats saved = Values(*table);
  ReadMemory memory;
  GetOptions options;
  options.memory = &memory;
  Floats buffer(303);
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  world[0].Save(folder_);
  Step(*table, 2);
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  world[0].Load(folder_);
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  EXPECT_EQ(buffer, saved);
}

TEST_P(StoreCheckpoint, WhatIsDamagedIsNamedAndChangesNothing) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("momentum"));
  Step(*table, 1);
  world[0].Save(folder_);
  Step(*table, 2);
  const Floats values = Values(*table);
  const std::string file = folder_ + "/1/shard-1";
  const auto size = std::filesystem::file_size(file);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(size / 2));
  stream.put('!');
  stream.close();
  try {
    world[0].Load(folder_);
    ADD_FAILURE() << "a damaged checkpoint was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("shard-1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(Values(*table), values);
  std::filesystem::resize_file(file, size / 2);
  EXPECT_THROW(world[0].Load(folder_), Error);
  EXPECT_EQ(Values(*table), values);
  Step(*table, 3);
}

// Also where a checkpoint of the same number was loaded before: the others must not take one for the other.
TEST_P(StoreCheckpoint, ALoadThatFailsFailsForAllWorkersAndKeepsNobodyWaiting) {
  StoreWorld world(GetParam(), 2, 2);
  const auto tables = world.Create(DenseSpec("w", 7));
  const Floats ones(7, 1);
  tables[0]->Add(Rows::All(), ones.data());
  ASSERT_EQ(world[0].Save(folder_ + "/good"), 1u);
  ASSERT_EQ(world[0].Save(folder_ + "/damaged"), 1u);
  std::filesystem::resize_file(folder_ + "/damaged/1/shard-1", 10);
  const auto read = [&] {
    Floats values(7);
    tables[1]->Get(Rows::All(), values.data());
    return values;
  };
  for (int round = 0; round < 3; ++round) {
    tables[1]->Add(Rows::All(), ones.data());
    world.Run([this](int, Store& store) {
      for (const char* const bad : {"/damaged", "/nothing", "/damaged"})
        EXPECT_THROW(store.Load(folder_ + bad), Error) << bad;
      store.Barrier();
    });
    EXPECT_EQ(read(), Floats(7, 2));
    world.Run([this](int, Store& store) { EXPECT_EQ(store.Load(folder_ + "/good"), 1u); });
    EXPECT_EQ(read(), ones);
  }
}

TEST_P(StoreCheckpoint, AnotherShapeOrTypeIsRefusedAndChangesNothing) {
  {
    StoreWorld world(GetParam(), 1, 1);
    const auto table = world[0].Create(Spec("add"));
    world[0].Save(folder_);
  }
  for (const bool is_type : {false, true}) {
    StoreWorld world(GetParam(), 1, 1);
    TableSpec other = Spec("add");
    if (is_type) {
      other.dtype = DType::kF64;
    } else {
      other.width = 4;
    }
    const auto table = world[0].Create(other);
    try {
      world[0].Load(folder_);
      ADD_FAILURE() << "another table was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(is_type ? "dtype" : "width"), std::string::npos)
          << error.what();
    }
  }
}

TEST_P(StoreCheckpoint, OnlyTheNewestStayAndTheNewestIsTaken) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("add"));
  for (int step = 1; step <= 4; ++step) {
    Step(*table, step);
    EXPECT_EQ(world[0].Save(folder_, {2, ""}), static_cast<std::uint64_t>(step));
  }
  const Floats newest = Values(*table);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/2"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/3"));
  std::filesystem::create_directory(folder_ + "/9");  // begun, never finished
  Step(*table, 5);
  EXPECT_EQ(world[0].Load(folder_), 4u);
  EXPECT_EQ(Values(*table), newest);
}

TEST_P(StoreCheckpoint, APlaceThatCannotBeWrittenFailsTheSaveAndTrainingGoesOn) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("add"));
  std::ofstream(folder_ + "/file") << "in the way";
  EXPECT_THROW(world[0].Save(folder_ + "/file"), Error);
  EXPECT_THROW(world[0].Load(folder_ + "/nothing"), Error);
  Step(*table, 1);
}

// The server whose part was whole had read it.
TEST(StoreCheckpointMemory, AFailedLoadKeepsNothing) {
  const std::string folder = NewFolder("checkpoint");
  Config config;
  config.server_memory_limit = 1500000;  // room for two such tables, not for three
  StoreWorld world(Way::kCluster, 2, 1, config);
  const auto table = world[0].Create(DenseSpec("w", 300000));
  world[0].Save(folder);
  const std::string file = folder + "/1/shard-1";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THROW(world[0].Load(folder), Error);
  EXPECT_NO_THROW(world[0].Create(DenseSpec("other", 300000)));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ps
