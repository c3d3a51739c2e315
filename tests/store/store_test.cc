#include "ps/store.h"

#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/store_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class StoreTest : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, StoreTest, EveryWay(), NameOfWay);

Floats GetAll(StoreTable& table) {
  Floats values(static_cast<std::size_t>(table.spec().rows * table.spec().width), -1.0f);
  table.Get(Rows::All(), values.data());
  return values;
}

Floats Counting(std::size_t n) {
  Floats values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

template <typename Call>
Status StatusOf(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

TEST_P(StoreTest, AddsAddUp) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("w", 10));
  const Floats ones = Counting(10);
  table->Add(Rows::All(), ones.data());
  EXPECT_EQ(GetAll(*table), ones);
  table->Add(Rows::All(), ones.data());
  Floats twice = ones;
  for (float& value : twice) value *= 2;
  EXPECT_EQ(GetAll(*table), twice);
}

TEST_P(StoreTest, AReadAfterAnAddThatNobodyWaitedForSeesIt) {
  StoreWorld world(GetParam(), 3, 1);
  const auto table = world[0].Create(DenseSpec("w", 10));
  const Floats values = Counting(10);
  for (int i = 0; i < 5; ++i) table->AddAsync(Rows::All(), values.data());
  Floats read(10);
  table->GetAsync(Rows::All(), read.data()).Wait();
  EXPECT_EQ(read[9], 45.0f);
}

TEST_P(StoreTest, RowsComeInAnyOrderAndMayRepeat) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("m", 6, 2));
  const std::vector<std::uint64_t> rows{5, 1, 5};
  const Floats values{1, 2, 3, 4, 10, 20};
  table->Add(Rows::Of(rows), values.data());
  Floats read(4);
  const std::vector<std::uint64_t> back{1, 5};
  table->Get(Rows::Of(back), read.data());
  EXPECT_EQ(read, (Floats{3, 4, 11, 22}));
}

TEST_P(StoreTest, ATableOfOneElementLivesOnOneOfSeveralServers) {
  StoreWorld world(GetParam(), 3, 1);
  const auto table = world[0].Create(DenseSpec("one", 1));
  const float value = 2.5f;
  table->Add(Rows::All(), &value);
  EXPECT_EQ(GetAll(*table), Floats{2.5f});
}

TEST_P(StoreTest, RowsThatDoNotExistAreRefusedAndTheServersLive) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("m", 6));
  const float value = 1;
  Floats read(1);
  const std::vector<std::uint64_t> behind{6};
  const std::vector<std::uint64_t> negative{static_cast<std::uint64_t>(-2)};
  EXPECT_EQ(StatusOf([&] { table->Get(Rows::Of(behind), read.data()); }).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(StatusOf([&] { table->Add(Rows::Of(negative), &value); }).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(GetAll(*table), Floats(6, 0.0f));
}

TEST_P(StoreTest, HashTablesTakeAnyKeyAndReadingMakesNone) {
  StoreWorld world(GetParam(), 3, 1);
  TableSpec spec = DenseSpec("counts", 0);
  spec.kind = TableSpec::kHash;
  const auto table = world[0].Create(spec);
  const std::vector<std::uint64_t> keys{~0ull, 0, 7, 1ull << 63};
  const Floats values{1, 2, 3, 4};
  table->Add(Rows::Of(keys), values.data());
  table->Add(Rows::Of(keys), values.data());
  const std::vector<std::uint64_t> asked{1ull << 63, 5, ~0ull, 0, 7};
  Floats read(5);
  table->Get(Rows::Of(asked), read.data());
  EXPECT_EQ(read, (Floats{8, 0, 2, 4, 6}));
}

TEST_P(StoreTest, ABspReadSeesTheRoundOfAll) {
  StoreWorld world(GetParam(), 2, 3);
  TableSpec spec = DenseSpec("w", 7, 2);
  spec.consistency = Consistency::Bsp();
  spec.apply = TableSpec::kMerged;
  const auto tables = world.Create(spec);
  world.Run([&](int worker, Store&) {
    StoreTable& table = *tables[static_cast<std::size_t>(worker)];
    for (int round = 1; round <= 20; ++round) {
      const Floats mine(14, static_cast<float>(worker + 1));
      table.AddAsync(Rows::All(), mine.data());
      EXPECT_EQ(GetAll(table), Floats(14, static_cast<float>(6 * round))) << "worker " << worker;
    }
  });
}

TEST_P(StoreTest, RowAddsOfABspTableReachEveryServer) {
  StoreWorld world(GetParam(), 2, 2);
  TableSpec spec = DenseSpec("w", 7, 2);
  spec.consistency = Consistency::Bsp();
  const auto tables = world.Create(spec);
  world.Run([&](int worker, Store&) {
    StoreTable& table = *tables[static_cast<std::size_t>(worker)];
    const std::vector<std::uint64_t> row{worker == 0 ? 0u : 6u};
    const Floats delta{1, 2};
    for (int round = 1; round <= 100; ++round) {
      table.Add(Rows::Of(row), delta.data());
      const Floats all = GetAll(table);
      EXPECT_EQ(all[0], static_cast<float>(round));
      EXPECT_EQ(all[13], static_cast<float>(2 * round));
    }
  });
}

TEST_P(StoreTest, WhoLeavesIsNotWaitedFor) {
  StoreWorld world(GetParam(), 2, 3);
  TableSpec spec = DenseSpec("w", 4);
  spec.consistency = Consistency::Bsp();
  const auto tables = world.Create(spec);
  world.Run([&](int worker, Store&) {
    StoreTable& table = *tables[static_cast<std::size_t>(worker)];
    const Floats ones(4, 1.0f);
    const int rounds = worker == 2 ? 1 : 5;
    for (int round = 1; round <= rounds; ++round) {
      table.Add(Rows::All(), ones.data());
      EXPECT_EQ(GetAll(table), Floats(4, round == 1 ? 3.0f : 3.0f + 2.0f * (round - 1)));
    }
    if (worker == 2) table.Leave().Wait();
  });
}

TEST_P(StoreTest, ALateRoundNamesWhoIsMissing) {
  StoreWorld world(GetParam(), 1, 2);
  TableSpec spec = DenseSpec("w", 1);
  spec.consistency = Consistency::Bsp();
  const auto tables = world.Create(spec);
  const float one = 1;
  tables[0]->Add(Rows::All(), &one);
  float read = 0;
  const Ticket ticket = tables[0]->GetAsync(Rows::All(), &read);
  const Status late = ticket.WaitFor(std::chrono::milliseconds(20));
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(late.message().find("table 'w': round 1"), std::string::npos) << late;
  EXPECT_NE(late.message().find("missing: worker 1"), std::string::npos) << late;
  EXPECT_EQ(late.message().find("worker 0"), std::string::npos) << late;
  tables[1]->Add(Rows::All(), &one);
  ticket.Wait();
  EXPECT_EQ(read, 2);
}

TEST_P(StoreTest, ADeltaReadBringsWhatHasChangedSinceTheSameBufferWasRead) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("m", 6, 2));
  ReadMemory memory;
  GetOptions options;
  options.memory = &memory;
  Floats buffer(12, -1);
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  EXPECT_EQ(buffer, Floats(12, 0));
  const std::vector<std::uint64_t> row{4};
  const Floats delta{5, 6};
  table->Add(Rows::Of(row), delta.data());
  buffer.assign(12, -1);
  std::vector<std::uint32_t> changed;
  options.changed = &changed;
  table->GetAsync(Rows::All(), buffer.data(), options).Wait();
  EXPECT_EQ(buffer, (Floats{-1, -1, -1, -1, -1, -1, -1, -1, 5, 6, -1, -1}));
  EXPECT_EQ(changed, std::vector<std::uint32_t>{4});
  // Several changes, of other rows.
  const Floats one{1, 1};
  for (const std::uint64_t changed_row : {1, 0, 1}) table->Add(Rows::Of(&changed_row, 1), one.data());
  buffer.assign(12, -1);
  changed.clear();
  table->Get(Rows::All(), buffer.data(), options);
  EXPECT_EQ(buffer, (Floats{1, 1, 2, 2, -1, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(changed, (std::vector<std::uint32_t>{0, 1}));
}

TEST_P(StoreTest, RowsOfADeltaReadAreRememberedOneByOne) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("m", 6, 1));
  ReadMemory memory;
  GetOptions options;
  options.memory = &memory;
  Floats buffer(2, -1);
  const std::vector<std::uint64_t> first{1, 2};
  table->GetAsync(Rows::Of(first), buffer.data(), options).Wait();
  EXPECT_EQ(buffer, Floats(2, 0));
  const std::vector<std::uint64_t> three{3};
  const float value = 9;
  table->Add(Rows::Of(three), &value);
  const std::vector<std::uint64_t> second{1, 3};
  buffer.assign(2, -1);
  table->GetAsync(Rows::Of(second), buffer.data(), options).Wait();
  EXPECT_EQ(buffer, (Floats{-1, 9}));
}

TEST_P(StoreTest, TheSameNameWithAnotherSpecIsRefusedWithTheDifference) {
  StoreWorld world(GetParam(), 2, 2);
  const auto table = world[0].Create(DenseSpec("w", 10));
  const Status refused = StatusOf([&] { (void)world[1].Create(DenseSpec("w", 20)); });
  EXPECT_EQ(refused.code(), StatusCode::kAlreadyExists);
  EXPECT_NE(refused.message().find("rows"), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("20"), std::string::npos) << refused;
  (void)world[1].Create(DenseSpec("w", 10));
}

// Also by servers that have no part of it: a refused table leaves nothing behind on any.
TEST_P(StoreTest, TheNameOfATableOnOneServerIsTakenOnAll) {
  StoreWorld world(GetParam(), 3, 2);
  TableSpec spec = DenseSpec("w", 10);
  spec.min_split = 1000;
  for (int i = 0; i < 2; ++i) {
    spec.width = i + 1;
    const auto table = world[0].Create(spec);
    TableSpec other = DenseSpec("w", 0);
    other.kind = TableSpec::kHash;
    const Status refused = StatusOf([&] { (void)world[1].Create(other); });
    EXPECT_EQ(refused.code(), StatusCode::kAlreadyExists);
    EXPECT_NE(refused.message().find("kind"), std::string::npos) << refused;
    EXPECT_EQ(GetAll(*world[1].Create(spec)), Floats(10 * static_cast<std::size_t>(spec.width), 0));
    world[0].EraseTable("w").Wait();  // and may be another one's then
  }
}

TEST_P(StoreTest, AnErasedTableIsGoneAndItsNameMayBeUsedAgain) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("w", 10));
  world[0].EraseTable("w").Wait();
  Floats read(10);
  EXPECT_EQ(StatusOf([&] { table->Get(Rows::All(), read.data()); }).code(), StatusCode::kNotFound);
  const auto again = world[0].Create(DenseSpec("w", 3, 2));
  EXPECT_EQ(GetAll(*again), Floats(6, 0));
}

TEST_P(StoreTest, AnUnknownUpdaterIsRefusedWhereTheTableIsMade) {
  StoreWorld world(GetParam(), 2, 1);
  TableSpec spec = DenseSpec("w", 10);
  spec.updater = "no-such-rule";
  const Status refused = StatusOf([&] { (void)world[0].Create(spec); });
  EXPECT_EQ(refused.code(), StatusCode::kNotFound) << refused;
  EXPECT_NE(refused.message().find("no-such-rule"), std::string::npos) << refused;
}

TEST_P(StoreTest, ContinuationsRunOnceWithTheOutcome) {
  StoreWorld world(GetParam(), 1, 1);
  const auto table = world[0].Create(DenseSpec("w", 1));
  const float one = 1;
  std::promise<Status> early;
  std::promise<Status> late;
  const Ticket ticket = table->AddAsync(Rows::All(), &one);
  ticket.Then([&](const Status& outcome) { early.set_value(outcome); });
  ticket.Wait();
  EXPECT_TRUE(ticket.Done());
  ticket.Then([&](const Status& outcome) { late.set_value(outcome); });
  EXPECT_TRUE(early.get_future().get().ok());
  EXPECT_TRUE(late.get_future().get().ok());
}

TEST_P(StoreTest, AContinuationMayCloseItsOwnStore) {
  StoreWorld world(GetParam(), 1, 1);
  const auto table = world[0].Create(DenseSpec("w", 1));
  const float one = 1;
  std::promise<Status> closed;
  table->AddAsync(Rows::All(), &one).Then([&](const Status&) {
    world[0].Close();
    closed.set_value(StatusOf([&] { table->AddAsync(Rows::All(), &one); }));
  });
  EXPECT_FALSE(closed.get_future().get().ok()) << "it has closed";
}

TEST_P(StoreTest, ABarrierWithoutFlushWaitsForNoContribution) {
  static std::shared_future<void> may_end;  // of the rule, in the test that runs
  static const Status registered = RegisterUpdaterFunction(
      "held",
      [](const UpdaterCall* call, void*) {
        may_end.wait();
        *static_cast<float*>(call->values) += 1;
      },
      0, nullptr);
  ASSERT_TRUE(registered.ok());
  std::promise<void> release;
  may_end = release.get_future().share();
  StoreWorld world(GetParam(), 1, 2);
  TableSpec spec = DenseSpec("w", 1);
  spec.updater = "held";
  const auto tables = world.Create(spec);
  world.Run([&](int worker, Store& store) {
    const float one = 1;
    StoreTable& table = *tables[static_cast<std::size_t>(worker)];
    const Ticket ticket = table.AddAsync(Rows::All(), &one);
    store.Barrier(-1, true);
    EXPECT_FALSE(ticket.Done());
    store.Barrier(-1, true);  // both have looked
    if (worker == 0) release.set_value();
    store.Barrier();
    EXPECT_TRUE(ticket.Done());
    EXPECT_EQ(GetAll(table), Floats{2});
  });
}

TEST_P(StoreTest, ABarrierFlushes) {
  StoreWorld world(GetParam(), 2, 3);
  const auto tables = world.Create(DenseSpec("w", 1000));
  world.Run([&](int worker, Store& store) {
    StoreTable& table = *tables[static_cast<std::size_t>(worker)];
    Floats values = Counting(1000);
    for (int i = 0; i < 20; ++i) table.AddAsync(Rows::All(), values.data());
    std::fill(values.begin(), values.end(), 0.0f);  // it was copied
    store.Barrier();
    const Floats all = GetAll(table);
    EXPECT_EQ(all[999], 999.0f * 60);
    EXPECT_EQ(all[1], 60.0f);
  });
}

}  // namespace
}  // namespace ps
