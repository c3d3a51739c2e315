// The rule of a living table: changed, asked for by several workers, refused, over every way to the servers.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/half.h"
#include "tests/support/ruled_table.h"

namespace ps {
namespace {

class StoreRule : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, StoreRule, EveryWay(), NameOfWay);

TEST_P(StoreRule, ANewRuleKeepsTheValuesAndBeginsWithNoState) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("momentum"));
  for (int step = 1; step <= 3; ++step) Step(*table, step);
  const Floats before = Values(*table);
  table->SetUpdater(Choice("adam lr=.01")).Wait();
  EXPECT_EQ(Values(*table), before);
  for (int step = 4; step <= 7; ++step) Step(*table, step);
  EXPECT_EQ(Values(*table), Unbroken("adam lr=.01", before, 4, 7));
  EXPECT_EQ(world[0].Create(Spec("momentum"))->spec().updater, "momentum") << "it is opened as it was made";
}

// V187, V200, kv-case-11.
TEST_P(StoreRule, TheSameRuleFromAnybodyChangesNothing) {
  StoreWorld world(GetParam(), 2, 3);
  const auto tables = world.Create(Spec("assign"));
  tables[0]->SetUpdater(Choice("adam lr=1e-3")).Wait();
  const Floats start = Values(*tables[0]);
  for (int step = 1; step <= 10; ++step) Step(*tables[0], step);
  for (const auto& table : tables) table->SetUpdater(Choice("adam lr=1e-3")).Wait();
  EXPECT_EQ(Values(*tables[1]), Unbroken("adam lr=1e-3", start, 1, 10));
  Step(*tables[1], 11);
  EXPECT_EQ(Values(*tables[1]), Unbroken("adam lr=1e-3", start, 1, 11)) << "its states were kept";
  tables[0]->SetOptions("lr=.5").Wait();
  const Floats before = Values(*tables[0]);
  tables[2]->SetUpdater(Choice("adam lr=1e-3")).Wait();
  Step(*tables[0], 12);
  EXPECT_NE(Values(*tables[0]), Unbroken("adam lr=1e-3", start, 1, 12)) << "lr is still .5";
  EXPECT_NE(Values(*tables[0]), before);

  const Status unknown = tables[2]->SetUpdater(Choice("adamm lr=1")).WaitFor(std::chrono::minutes(1));
  EXPECT_EQ(unknown.code(), StatusCode::kNotFound);
  EXPECT_NE(unknown.message().find("adamm"), std::string::npos) << unknown;
  world[2].Flush();
}

TEST_P(StoreRule, WhatATableCannotHaveIsRefusedAndNothingHasChanged) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("adam"));
  TableSpec integers = DenseSpec("n", 10);
  integers.dtype = DType::kI32;
  const auto other = world[0].Create(integers);
  for (int step = 1; step <= 3; ++step) Step(*table, step);
  const auto refused = [](const Ticket& ticket) { return ticket.WaitFor(std::chrono::minutes(1)).message(); };
  EXPECT_NE(refused(table->SetUpdater(Choice("no_such"))).find("no_such"), std::string::npos);
  EXPECT_NE(refused(table->SetUpdater(Choice("sgd no_such=1"))).find("no_such"), std::string::npos);
  EXPECT_NE(refused(table->SetUpdater(Choice("lamb"))).find("whole table"), std::string::npos);
  EXPECT_NE(refused(table->SetUpdater(Choice("sgd"), true)).find("multi_precision"), std::string::npos);
  EXPECT_NE(refused(other->SetUpdater(Choice("adam"))).find("i32"), std::string::npos);
  world[0].Flush();
  Step(*table, 4);
  EXPECT_EQ(Values(*table), Unbroken("adam", Floats(kSize), 1, 4)) << "its states were kept";
  const std::vector<std::int32_t> ones(10, 1);
  other->Add(Rows::All(), ones.data());
  std::vector<std::int32_t> read(10);
  other->Get(Rows::All(), read.data());
  EXPECT_EQ(read, ones);
}

TEST_P(StoreRule, ARuleForTheWholeIsForATableThatOneServerHas) {
  StoreWorld world(GetParam(), 2, 1);
  TableSpec spec = Spec("assign");
  spec.min_split = 1000;
  const auto table = world[0].Create(spec);
  const Floats start(kSize, .5f);
  table->SetAsync(Rows::All(), start.data()).Wait();
  table->SetUpdater(Choice("lamb")).Wait();
  for (int step = 1; step <= 3; ++step) Step(*table, step);
  EXPECT_EQ(Values(*table), Unbroken("lamb", start, 1, 3));
}

// V127.
TEST_P(StoreRule, MastersComeAndGoWithTheRule) {
  StoreWorld world(GetParam(), 1, 1);
  TableSpec spec = DenseSpec("h", 64);
  spec.dtype = DType::kF16;
  const auto table = world[0].Create(spec);
  const std::vector<Half> ones(64, Half(1.0f));
  const std::vector<Half> small(64, Half(1.0f / 4096));
  std::vector<Half> read(64);
  table->SetAsync(Rows::All(), ones.data()).Wait();
  table->SetUpdater(Choice("add"), true).Wait();
  for (int i = 0; i < 2048; ++i) table->AddAsync(Rows::All(), small.data());
  table->Get(Rows::All(), read.data());
  EXPECT_EQ(static_cast<float>(read[63]), 1.5f);
  table->SetUpdater(Choice("add"), false).Wait();
  for (int i = 0; i < 2048; ++i) table->AddAsync(Rows::All(), small.data());
  table->Get(Rows::All(), read.data());
  EXPECT_EQ(static_cast<float>(read[63]), 1.5f) << "without masters it stalls";
}

// V074.
TEST_P(StoreRule, WithoutARuleContributionsAreRefusedAndNothingHangs) {
  for (const Consistency& consistency : {Consistency::Asp(), Consistency::Ssp(1)}) {
    StoreWorld world(GetParam(), 2, 2);
    const auto tables = world.Create(Spec(kNoUpdater, consistency));
    const Floats start(kSize, 2);
    tables[0]->SetAsync(Rows::All(), start.data()).Wait();
    Floats both(kSize);
    for (int round = 1; round <= 3; ++round) {
      for (const auto& table : tables) {
        const Status refused =
            round == 2
                ? table->AddGetAsync(Rows::All(), start.data(), both.data()).WaitFor(std::chrono::minutes(1))
                : table->AddAsync(Rows::All(), start.data()).WaitFor(std::chrono::minutes(1));
        EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
        EXPECT_NE(refused.message().find("Updater needs to be set for async mode"), std::string::npos)
            << refused;
      }
    }
    EXPECT_THROW(world[0].Flush(), Error);
    EXPECT_EQ(Values(*tables[1]), start);
    tables[1]->SetUpdater(Choice("add")).Wait();
    for (const auto& table : tables) table->Add(Rows::All(), start.data());
    EXPECT_EQ(Values(*tables[0]), Floats(kSize, 6));
  }
  TableSpec bsp = Spec(kNoUpdater, Consistency::Bsp());
  EXPECT_EQ(bsp.Validate().code(), StatusCode::kInvalidArgument);
}

TEST_P(StoreRule, WithRoundsItHoldsForThoseAfterItsSendersOnEveryServer) {
  StoreWorld world(GetParam(), 3, 2);
  const auto tables = world.Create(Spec("add", Consistency::Bsp()));
  const Floats ones(kSize, 1);
  tables[0]->Add(Rows::All(), ones.data());  // round 1, which waits for the other worker
  tables[0]->SetUpdater(Choice("sgd lr=1")).Wait();
  tables[0]->SetOptions("lr=10", 3).Wait();
  for (int round = 2; round <= 4; ++round) tables[0]->Add(Rows::All(), ones.data());
  for (int round = 1; round <= 3; ++round) {
    tables[1]->Add(Rows::All(), ones.data());
    const float expected = round == 1 ? 2.0f : round == 2 ? 0.0f : -20.0f;
    EXPECT_EQ(Values(*tables[1]), Floats(kSize, expected)) << "round " << round;
    tables[1]->SetUpdater(Choice("sgd lr=1")).Wait();  // it is in force from round 2 on
  }
  tables[1]->Add(Rows::All(), ones.data());
  EXPECT_EQ(Values(*tables[1]), Floats(kSize, -40)) << "and what was set since stays";
}

TEST_P(StoreRule, OptionsForALaterRoundAreForARuleThatComesBetween) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("sgd", Consistency::Bsp()));
  const Floats ones(kSize, 1);
  table->SetOptions("lr=8", 3).Wait();
  table->SetUpdater(Choice("sgd lr=2")).Wait();
  for (int round = 1; round <= 3; ++round) table->Add(Rows::All(), ones.data());
  EXPECT_EQ(Values(*table), Floats(kSize, -2 - 2 - 8));
}

TEST_P(StoreRule, AnOpenRoundIsAppliedByTheRuleThatItBeganWith) {
  StoreWorld world(GetParam(), 2, 1);
  TableSpec spec = Spec("add", Consistency::Bsp());
  spec.auto_close = false;
  const auto table = world[0].Create(spec);
  const Floats ones(kSize, 1);
  table->Add(Rows::All(), ones.data());
  table->SetUpdater(Choice("sgd lr=1")).Wait();
  table->CloseRound().Wait();
  EXPECT_EQ(Values(*table), Floats(kSize, 1));
  table->Add(Rows::All(), ones.data());
  table->CloseRound().Wait();
  EXPECT_EQ(Values(*table), Floats(kSize, 0));
}

TEST_P(StoreRule, ReadersOfWhatHasChangedGoOn) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("add"));
  Step(*table, 1);
  ReadMemory memory;
  GetOptions options;
  options.memory = &memory;
  std::vector<std::uint32_t> changed;
  options.changed = &changed;
  Floats buffer(kSize);
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  table->SetUpdater(Choice("adam")).Wait();
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  EXPECT_TRUE(changed.empty());
  const std::vector<std::uint64_t> rows = {7, 90};
  table->Add(Rows::Of(rows), Floats(4, 1).data());
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  std::sort(changed.begin(), changed.end());  // each server's come together
  EXPECT_EQ(changed, (std::vector<std::uint32_t>{7, 90}));
  EXPECT_EQ(buffer, Values(*table));
}

TEST_P(StoreRule, ATableIsFoundByItsName) {
  StoreWorld world(GetParam(), 3, 2);
  EXPECT_EQ(world[0].Find("w").status().code(), StatusCode::kNotFound);
  TableSpec spec = Spec("assign");
  spec.min_split = 1000;  // on one server
  const auto table = world[0].Create(spec);
  table->SetUpdater(Choice("adam")).Wait();
  const Result<TableSpec> found = world[1].Find("w");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found.value(), spec) << "as it was made";
  world[1].Create(found.value());
  world[0].EraseTable("w").Wait();
  EXPECT_EQ(world[1].Find("w").status().code(), StatusCode::kNotFound);
}

// kv-case-13.
TEST_P(StoreRule, ATableThatWasErasedComesBackInAnotherShapeAndWithItsOwnRule) {
  StoreWorld world(GetParam(), 2, 2);
  {
    const auto tables = world.Create(Spec("assign"));
    tables[0]->SetUpdater(Choice("adam")).Wait();
    Step(*tables[1], 1);
    world[0].EraseTable("w").Wait();
  }
  TableSpec other = DenseSpec("w", 3);
  other.dtype = DType::kF64;
  const auto tables = world.Create(other);
  const std::vector<double> ones(3, 1);
  for (const auto& table : tables) table->Add(Rows::All(), ones.data());
  for (const auto& table : tables) {
    std::vector<double> read(3);
    table->Get(Rows::All(), read.data());
    EXPECT_EQ(read, std::vector<double>(3, 2));
  }
}

TEST_P(StoreRule, WithinABatchAndForHashTablesItIsTheSame) {
  StoreWorld world(GetParam(), 2, 1);
  TableSpec spec = Spec("add");
  spec.kind = TableSpec::kHash;
  spec.rows = 0;
  const auto table = world[0].Create(spec);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 2000; ++i) keys.push_back(i * 0x9E3779B97F4A7C15u);
  const Floats ones(4000, 1);
  const StoreBatch batch(world[0]);
  const Ticket before = table->AddAsync(Rows::Of(keys), ones.data());
  table->SetUpdater(Choice("sgd lr=3")).Wait();
  const Ticket after = table->AddAsync(Rows::Of(keys), ones.data());
  Floats read(4000);
  table->Get(Rows::Of(keys), read.data());
  EXPECT_EQ(read, Floats(4000, -2));
  before.Wait();
  after.Wait();
}

TEST(StoreRuleMemory, ARuleThatThereIsNoMemoryForIsRefusedAndNothingHasChanged) {
  Config config;
  config.server_memory_limit = 8 << 20;
  for (const auto kind : {TableSpec::kDense, TableSpec::kHash}) {
    StoreWorld world(Way::kCluster, 2, 1, config);
    const bool is_dense = kind == TableSpec::kDense;
    TableSpec spec = DenseSpec("w", is_dense ? 300000 : 0, 4);
    spec.kind = kind;
    const auto table = world[0].Create(spec);
    // The hash table grows until there is no memory left.
    std::vector<std::uint64_t> keys(10000);
    const Floats ones(4 * keys.size(), 1);
    std::uint64_t num_keys = 0;
    bool is_full = false;
    while (!is_full && num_keys < 10000000) {
      for (std::uint64_t& key : keys) key = num_keys++;
      const Ticket added = table->AddAsync(Rows::Of(keys), ones.data());
      is_full = !added.WaitFor(std::chrono::minutes(1)).ok() || is_dense;
    }
    EXPECT_TRUE(is_full);
    const Status refused = table->SetUpdater(Choice("adam")).WaitFor(std::chrono::minutes(1));
    EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted) << refused;
    EXPECT_NE(refused.message().find("PS_SERVER_MEMORY_LIMIT"), std::string::npos) << refused;
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
    table->Add(Rows::Of(keys), ones.data());
    Floats read(ones.size());
    table->Get(Rows::Of(keys), read.data());
    EXPECT_EQ(read, Floats(ones.size(), 2));
  }
}

}  // namespace
}  // namespace ps
