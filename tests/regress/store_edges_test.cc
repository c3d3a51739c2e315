// Faults of the store that were found by reading it: what a program sees where calls meet in unusual ways.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ps/store.h"
#include "tests/support/job.h"
#include "tests/support/store_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;
using Ids = std::vector<std::uint64_t>;

class StoreEdgesTest : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, StoreEdgesTest, EveryWay(), NameOfWay);

TEST_P(StoreEdgesTest, ADeltaReadBringsTheChangedRowsAloneHoweverManyChangesThereWere) {
  StoreWorld world(GetParam(), 2, 1);
  for (const auto kind : {TableSpec::kDense, TableSpec::kHash}) {
    TableSpec spec = DenseSpec(kind == TableSpec::kDense ? "dense" : "hash", 50, 2);
    spec.kind = kind;
    if (kind == TableSpec::kHash) spec.rows = 0;
    const auto table = world[0].Create(spec);
    Ids ids(50);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    table->Add(Rows::Of(ids), Floats(100, 1).data());
    ReadMemory memory;
    std::vector<std::uint32_t> changed;
    GetOptions options;
    options.memory = &memory;
    options.changed = &changed;
    Floats buffer(100, -1);
    table->GetAsync(Rows::Of(ids), buffer.data(), options).Wait();
    EXPECT_EQ(changed.size(), 50u);
    for (int i = 0; i < 5; ++i) table->Add(Rows::Of(Ids{7}), Floats{1, 1}.data());
    table->GetAsync(Rows::Of(ids), buffer.data(), options).Wait();
    EXPECT_EQ(changed, std::vector<std::uint32_t>{7}) << "and nothing of the read before";
    EXPECT_EQ(buffer[14], 6);
  }
}

TEST_P(StoreEdgesTest, ACheckpointWithinABatchIsWritten) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("w", 10));
  const auto other = world[0].Create(DenseSpec("v", 10));
  const StoreBatch batch(world[0]);
  table->AddAsync(Rows::All(), Floats(10, 1).data());
  const std::string folder = NewFolder("store_edges");
  EXPECT_EQ(world[0].Save(folder), 1u);
  std::filesystem::remove_all(folder);
}

TEST_P(StoreEdgesTest, AReadInsideAContinuationIsRefusedAndLeavesTheBufferAlone) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("w", 10));
  Floats buffer(10, -1);
  std::promise<StatusCode> inside;
  table->AddAsync(Rows::All(), Floats(10, 1).data()).Then([&](const Status&) {
    try {
      table->Get(Rows::All(), buffer.data());
      inside.set_value(StatusCode::kOk);
    } catch (const Error& error) {
      inside.set_value(error.status().code());
    }
  });
  EXPECT_EQ(inside.get_future().get(), StatusCode::kFailedPrecondition);
  world[0].Flush();
  Floats after(10);
  table->Get(Rows::All(), after.data());
  EXPECT_EQ(buffer, Floats(10, -1));
}

// The mean is of the workers, not of those whose rows a server happens to have.
TEST_P(StoreEdgesTest, TheMeanOfARoundDependsOnNoPartition) {
  for (const int servers : {1, 2}) {
    StoreWorld world(GetParam(), servers, 2);
    TableSpec spec = DenseSpec("w", 4);
    spec.consistency = Consistency::Bsp();
    spec.apply = TableSpec::kMerged;
    spec.mean = true;
    const auto tables = world.Create(spec);
    const float eight = 8;
    tables[0]->AddAsync(Rows::Of(Ids{0}), &eight);
    tables[1]->AddAsync(Rows::Of(Ids{3}), &eight);
    Floats read(4);
    tables[0]->Get(Rows::All(), read.data());
    EXPECT_EQ(read, (Floats{4, 0, 0, 4})) << servers << " servers";
  }
}

TEST_P(StoreEdgesTest, ATicketIsDoneWhenItsWaitReturnsAlsoWhileTheStoreCloses) {
  for (int i = 0; i < 20; ++i) {
    StoreWorld world(GetParam(), 2, 2);
    TableSpec spec = DenseSpec("w", 1000);
    spec.consistency = Consistency::Bsp();
    const auto tables = world.Create(spec);
    const Floats ones(1000, 1);
    Floats read(1000);
    tables[0]->AddAsync(Rows::All(), ones.data());
    const Ticket ticket = tables[0]->GetAsync(Rows::All(), read.data());  // waits for worker 1
    std::thread closing([&] { world[0].Close(); });
    const Status outcome = ticket.WaitFor(std::chrono::hours(24 * 365 * 1000));
    EXPECT_TRUE(ticket.Done());
    EXPECT_EQ(outcome.code(), StatusCode::kCancelled) << outcome;
    closing.join();
  }
}

// Two that each counted for itself gave the same number to two contributions; one was refused.
TEST_P(StoreEdgesTest, ATableThatAWorkerOpensTwiceHasOneCountOfRounds) {
  for (const Consistency& consistency : {Consistency::Bsp(), Consistency::Asp()}) {
    StoreWorld world(GetParam(), 2, 2);
    TableSpec spec = DenseSpec("w", 10);
    spec.consistency = consistency;
    const auto first = world.Create(spec);
    auto second = world.Create(spec);
    const Floats ones(10, 1);
    Floats read(10);
    for (auto& table : first) table->AddAsync(Rows::All(), ones.data());
    for (auto& table : second) table->AddAsync(Rows::All(), ones.data());
    for (int worker = 0; worker < 2; ++worker) world[worker].Flush();
    second[0]->Get(Rows::All(), read.data());
    EXPECT_EQ(read[9], 4);
    const std::string folder = NewFolder("store_edges");
    EXPECT_EQ(world[0].Save(folder), 1u);
    std::filesystem::remove_all(folder);
    // Made anew, it begins anew, though the old one is still held.
    world[0].EraseTable("w").Wait();
    second = world.Create(spec);
    for (auto& table : second) table->AddAsync(Rows::All(), ones.data());
    for (int worker = 0; worker < 2; ++worker) world[worker].Flush();
    second[0]->Get(Rows::All(), read.data());
    EXPECT_EQ(read[9], 2);
  }
}

TEST_P(StoreEdgesTest, AContinuationThatThrowsStopsNoOther) {
  StoreWorld world(GetParam(), 1, 1);
  const auto table = world[0].Create(DenseSpec("w", 10));
  const Ticket ticket = table->AddAsync(Rows::All(), Floats(10, 1).data());
  ticket.Then([](const Status&) { throw std::runtime_error("thrown"); });
  std::promise<Status> promise;
  ticket.Then([&promise](const Status& outcome) { promise.set_value(outcome); });
  EXPECT_EQ(promise.get_future().get(), Status::Ok());
}

TEST_P(StoreEdgesTest, BorrowedValuesMayGoWhenTheStoreHasClosed) {
  StoreWorld world(GetParam(), 2, 2);
  const auto tables = world.Create(DenseSpec("w", 300000));
  {
    const Floats values(300000, 1);
    for (int i = 0; i < 20; ++i) tables[0]->AddAsync(Rows::All(), values.data(), {true, 0});
    world[0].Close();
  }
  Floats read(300000);
  tables[1]->Get(Rows::All(), read.data());
}

}  // namespace
}  // namespace ps
