// The store with many nodes, many tables, many calls that nobody waits for, and little memory.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/store.h"
#include "ps/store_server.h"
#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/store_world.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class StoreScale : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, StoreScale, EveryWay(), NameOfWay);

TEST_P(StoreScale, TblVec84CallsThatNobodyWaitsForTakeNoMemory) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(DenseSpec("w", 16));
  const Floats ones(16, 1);
  const int count = LongForms() ? 1000000 : 20000;
  const auto push = [&](int n) {
    for (int i = 0; i < n; ++i) table->AddAsync(Rows::All(), ones.data());
    world[0].Flush();
  };
  push(count / 4);
  const int64_t before = HeapBytes();
  push(count);
  const int64_t after = HeapBytes();
  Floats values(16);
  table->Get(Rows::All(), values.data());
  EXPECT_EQ(values[0], static_cast<float>(count + count / 4));
  EXPECT_LE(after, before + (1 << 20));
  PS_FIGURE("tbl-vec-84",
            count << " AddAsync never waited for: heap grew by " << (after - before) / 1024 << " KiB");
}

TEST_P(StoreScale, R12BeyondItsMemoryAServerRefusesAndStillAnswersReads) {
  if (GetParam() == Way::kLoopback || GetParam() == Way::kLoopbackThreads)
    GTEST_SKIP() << "PS_SERVER_MEMORY_LIMIT is of a node";
  Config config;
  config.server_memory_limit = 4 << 20;
  StoreWorld world(GetParam(), 1, 1, config);
  TableSpec spec = DenseSpec("h", 0, 16);
  spec.kind = TableSpec::kHash;
  const auto table = world[0].Create(spec);
  const Floats values(1000 * 16, 1);
  Status refused;
  std::uint64_t next = 0;
  while (refused.ok() && next < 1000000) {
    std::vector<std::uint64_t> keys(1000);
    for (std::uint64_t& key : keys) key = next++;
    refused = table->AddAsync(Rows::Of(keys), values.data()).WaitFor(std::chrono::seconds(20));
  }
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted) << refused;
  EXPECT_NE(refused.message().find("PS_SERVER_MEMORY_LIMIT"), std::string::npos) << refused;
  EXPECT_GT(next, 10000u);
  const std::vector<std::uint64_t> known = {5};
  Floats row(16);
  table->Get(Rows::Of(known), row.data());
  EXPECT_EQ(row, Floats(16, 1));
  table->Add(Rows::Of(known), values.data());  // a row that is there needs no more
}

TEST_P(StoreScale, KvCase17ManySmallTablesTravelInFewMessages) {
  const int num_tables = LongForms() ? 10000 : 1000;
  StoreWorld world(GetParam(), 2, 2);
  std::vector<std::unique_ptr<StoreTable>> tables[2];
  for (int i = 0; i < num_tables; ++i) {
    TableSpec spec = DenseSpec("key" + std::to_string(i), 64);
    spec.min_split = 1000;
    spec.consistency = Consistency::Bsp();
    spec.apply = TableSpec::kMerged;
    spec.updater = "assign";
    for (int worker = 0; worker < 2; ++worker) tables[worker].push_back(world[worker].Create(spec));
  }
  std::vector<Floats> values[2];
  const auto start = std::chrono::steady_clock::now();
  world.Run([&](int worker, Store& store) {
    std::vector<Ticket> tickets;
    values[worker].assign(static_cast<std::size_t>(num_tables), Floats(64));
    auto batch = std::make_unique<StoreBatch>(store);
    for (int i = 0; i < num_tables; ++i) {
      Floats& mine = values[worker][static_cast<std::size_t>(i)];
      mine.assign(64, static_cast<float>(i + worker));
      tickets.push_back(
          tables[worker][static_cast<std::size_t>(i)]->AddGetAsync(Rows::All(), mine.data(), mine.data()));
    }
    batch = nullptr;
    for (const Ticket& ticket : tickets) ticket.Wait();
  });
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  for (int worker = 0; worker < 2; ++worker) {
    for (int i = 0; i < num_tables; ++i)
      ASSERT_EQ(values[worker][static_cast<std::size_t>(i)], Floats(64, static_cast<float>(2 * i + 1)));
  }
  PS_FIGURE("kv-case-17",
            num_tables << " tables of 64 floats, one push-pull round, 2x2: " << ms.count() << " ms");
}

// 1 scheduler, 64 servers and 512 workers in this process; in `make test` 8 and 32.
TEST(StoreWide, BspRoundsOfManyWorkersOnManyServersAreExact) {
  const int num_servers = LongForms() ? 64 : 8;
  const int num_workers = LongForms() ? 512 : 32;
  const Watchdog watchdog(std::chrono::minutes(10));
  const int64_t before = HeapBytes();
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  LocalClusterOptions options;
  options.servers = num_servers;
  options.workers = num_workers;
  options.config.server_threads = 0;
  options.config.heartbeat_interval_ms = 5000;
  options.config.heartbeat_timeout_ms = 300000;
  LocalCluster cluster(options);
  ThrowIfError(cluster.Start());
  const double started = seconds();
  std::vector<std::unique_ptr<StoreServer>> servers;
  for (int i = 0; i < num_servers; ++i) servers.push_back(std::make_unique<StoreServer>(&cluster.server(i)));
  std::vector<std::thread> workers;
  for (int i = 0; i < num_workers; ++i) {
    workers.emplace_back([&cluster, i, num_servers, num_workers] {
      Store store(&cluster.worker(i));
      for (int barrier = 0; barrier < 20; ++barrier) store.Barrier();
      TableSpec spec = DenseSpec("w", 4 * num_servers);
      spec.consistency = Consistency::Bsp();
      spec.apply = TableSpec::kMerged;
      const auto table = store.Create(spec);
      const Floats ones(static_cast<std::size_t>(spec.rows), 1);
      Floats seen(ones.size());
      for (int round = 1; round <= 5; ++round) {
        table->AddGetAsync(Rows::All(), ones.data(), seen.data()).Wait();
        EXPECT_EQ(seen, Floats(ones.size(), static_cast<float>(round * num_workers)));
      }
      store.Barrier();
    });
  }
  for (std::thread& worker : workers) worker.join();
  const double trained = seconds();
  const int nodes = 1 + num_servers + num_workers;
  PS_FIGURE("wide", nodes << " nodes: start " << started << " s, 21 barriers and 5 BSP rounds "
                          << trained - started << " s, heap " << (HeapBytes() - before) / 1024 / nodes
                          << " KiB, threads " << NumThreads() << ", descriptors " << NumDescriptors()
                          << " (heap per node)");
}

}  // namespace
}  // namespace ps
