// Scenarios of the tables: tbl-case-NN and the vectors that are no programs of calls. PS_TEST_LONG=1 for the
// full figures.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/store_server.h"
#include "ps/table.h"
#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/store_world.h"
#include "van/van_core.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

class TableCases : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override { folder_ = NewFolder("table_cases"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};
INSTANTIATE_TEST_SUITE_P(Ways, TableCases, EveryWay(), NameOfWay);

TEST_P(TableCases, TblCase01AsynchronousAddsAreExactAfterABarrier) {
  const int repetitions = LongForms() ? 50 : 3;
  const std::int64_t size = LongForms() ? 1000000 : 100000;
  StoreWorld world(GetParam(), 2, 3);
  world.Run([&](int, Store& store) {
    for (int i = 0; i < repetitions; ++i) {
      ArrayOptions options = ArrayOptions().Name("w" + std::to_string(i)).Size(size);
      options.spec().min_split = 0;
      ArrayTable<float> table(store, options);
      const Floats ones(table.size(), 1);
      for (int add = 0; add < 20; ++add) table.AddAsync(ones);
      store.Barrier();
      Floats read;
      table.Get(&read);
      ASSERT_EQ(read, Floats(table.size(), 60)) << "repetition " << i;
      store.Barrier();
      if (store.rank() == 0) store.EraseTable(options.spec().name).Wait();
    }
  });
  std::printf("tbl-case-01 ok\n");
}

// Also tbl-vec-84, of rows, and with request numbers beyond 2^20 in the long form.
TEST_P(TableCases, TblCase11AddsThatNobodyWaitsForTakeNoMemory) {
  StoreWorld world(GetParam(), 2, 1);
  MatrixOptions options = MatrixOptions().Name("m").Rows(100).Cols(4);
  options.spec().min_split = 0;
  MatrixTable<float> table(world[0], options);
  const int count = LongForms() ? 2000000 : 20000;
  const Floats ones(4, 1);
  const auto add = [&](int n) {
    for (int i = 0; i < n; ++i) table.AddAsync(i % 100, ones);
    world[0].Flush();
  };
  add(count);  // what is kept for use has its size then, however many are on their way at a time
  add(count);
  const std::int64_t before = HeapBytes();
  add(count);
  add(count);
  const std::int64_t after = HeapBytes();
  Floats row;
  table.Get(7, &row);
  EXPECT_EQ(row, Floats(4, static_cast<float>(4 * count / 100)));
  EXPECT_LE(after, before + (2 << 20));  // beyond what happens to be on its way
  PS_FIGURE("tbl-case-11",
            2 * count << " row Adds never waited for: heap grew by " << (after - before) / 1024 << " KiB");
}

void Step(ArrayTable<float>& table, int step) {
  std::mt19937 random(static_cast<unsigned>(step));
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats gradient(table.size());
  for (float& value : gradient) value = uniform(random);
  table.Add(gradient);
}

Floats ValuesOf(ArrayTable<float>& table) {
  Floats values;
  table.Get(&values);
  return values;
}

// Also tbl-vec-80. (Kills during a checkpoint: process/store_torn_test.)
TEST_P(TableCases, TblCase09GoesOnBitForBitWithAnotherNumberOfServers) {
  for (const char* rule : {"ftrl", "momentum", "smooth momentum=.9"}) {
    ArrayOptions options = ArrayOptions().Name("w").Size(101).Updater(rule);
    options.spec().min_split = 0;
    Floats unbroken;
    const std::string uri = folder_ + "/" + std::string(rule).substr(0, 4);
    {
      StoreWorld world(GetParam(), 2, 1);
      ArrayTable<float> table(world[0], options);
      for (int step = 1; step <= 20; ++step) Step(table, step);
      world[0].Save(uri);
      for (int step = 21; step <= 40; ++step) Step(table, step);
      unbroken = ValuesOf(table);
    }
    StoreWorld world(GetParam(), 3, 1);
    ArrayTable<float> table(world[0], options);
    Step(table, 1);
    world[0].Load(uri);
    for (int step = 21; step <= 40; ++step) Step(table, step);
    EXPECT_EQ(ValuesOf(table), unbroken) << rule;
  }
  std::printf("tbl-case-09 ok\n");
}

TEST_P(TableCases, TblVec81AMapOfTenThousandKeysMovesToOneServer) {
  std::vector<std::int64_t> keys;
  std::vector<double> values;
  for (std::int64_t i = 0; i < 10000; ++i) {
    keys.push_back((i - 5000) * 922337203685477);
    values.push_back(0.1 * static_cast<double>(i + 1));
  }
  {
    StoreWorld world(GetParam(), 2, 1);
    KVTable<double> table(world[0], KVOptions().Name("k"));
    table.Add(keys, values);
    world[0].Save(folder_);
  }
  StoreWorld world(GetParam(), 1, 1);
  KVTable<double> table(world[0], KVOptions().Name("k"));
  world[0].Load(folder_);
  std::vector<double> read;
  table.Get(keys, &read);
  EXPECT_EQ(read, values);
  table.Get(1, &read);
  EXPECT_EQ(read, std::vector<double>{0});
}

// Damaged files: regress/store_checkpoint_test.
TEST_P(TableCases, TblVec82ACheckpointOfAnotherTypeOrShapeIsRefusedAndChangesNothing) {
  {
    StoreWorld world(GetParam(), 2, 1);
    ArrayTable<float> table(world[0], ArrayOptions().Name("w").Size(10));
    world[0].Save(folder_);
  }
  const auto refused = [this](Store& store) {
    try {
      store.Load(folder_);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("was taken");
  };
  StoreWorld world(GetParam(), 2, 1);
  ArrayTable<double> of_type(world[0], ArrayOptions().Name("w").Size(10));
  of_type.Add(std::vector<double>(10, 1));
  const std::string type = refused(world[0]);
  EXPECT_NE(type.find("dtype"), std::string::npos) << type;
  std::vector<double> read;
  of_type.Get(&read);
  EXPECT_EQ(read, std::vector<double>(10, 1));
  StoreWorld other(GetParam(), 2, 1);
  ArrayTable<float> of_shape(other[0], ArrayOptions().Name("w").Size(11));
  const std::string shape = refused(other[0]);
  EXPECT_NE(shape.find("rows"), std::string::npos) << shape;
  Floats unchanged;
  of_shape.Get(&unchanged);
  EXPECT_EQ(unchanged, Floats(11, 0));
}

// --- delta reads ---

// One worker changes some rows in each round, the other reads everything.
void RunDeltaTraffic(LocalCluster* cluster, std::int64_t rows, int rounds, double most_bytes) {
  ThrowIfError(cluster->Start());
  std::vector<std::unique_ptr<StoreServer>> servers;
  for (int i = 0; i < 2; ++i) servers.push_back(std::make_unique<StoreServer>(&cluster->server(i)));
  Store writer_store(&cluster->worker(0));
  Store reader_store(&cluster->worker(1));
  const MatrixOptions options = MatrixOptions().Name("m").Rows(rows).Cols(64).Delta();
  MatrixTable<double> writer(writer_store, options);
  MatrixTable<double> reader(reader_store, options);
  const auto received = [cluster] {
    const Counters& counters = cluster->worker(1).van()->core().counters();
    return static_cast<double>(counters.Get(Counter::kReceivedBytes) + counters.Get(Counter::kSentBytes));
  };
  std::vector<double> cached;
  std::vector<double> full;
  const double at_first = received();
  reader.Get(&cached);
  EXPECT_GE(received() - at_first, static_cast<double>(rows) * 64 * 8) << "the first read brings everything";
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  TableGetOptions everything;
  everything.buffer = TableGetOptions::kFull;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> changed(50);
    for (std::uint64_t& row : changed) row = random() % static_cast<std::uint64_t>(rows);
    std::vector<double> delta(50 * 64);
    for (double& value : delta) value = uniform(random);
    writer.Add(changed, delta);
    const double before = received();
    reader.Get(&cached);
    const double bytes = received() - before;
    EXPECT_TRUE(most_bytes == 0 || bytes < most_bytes) << bytes << " bytes in round " << round;
    if (round == 0) PS_FIGURE("tbl-case-07", rows << " x 64 doubles, 50 rows changed: " << bytes << " bytes");
    reader.Get(&full, everything);
    ASSERT_EQ(cached, full) << "round " << round;
  }
}

std::int64_t DeltaRows() { return LongForms() ? 200000 : 10000; }

TEST(TableDelta, TblCase07BringsOnlyWhatHasChanged) {
  const Watchdog watchdog(std::chrono::minutes(LongForms() ? 5 : 1));
  LocalCluster cluster(2, 2);
  RunDeltaTraffic(&cluster, DeltaRows(), 10, 60000);
  std::printf("tbl-case-07 ok\n");
}

// Also tbl-vec-41.
TEST(TableDelta, TblCase07IsExactWhereAnswersAreLost) {
  const Watchdog watchdog(std::chrono::minutes(2));
  LocalClusterOptions options;
  options.servers = options.workers = 2;
  options.config.resend_timeout_ms = 5;
  ChaosOptions chaos;
  chaos.seed = 41;
  chaos.drop_percent = 10;
  options.wrap_transport = Chaotic(chaos);
  LocalCluster cluster(options);
  RunDeltaTraffic(&cluster, 1000, 30, 0);
}

TEST(TableDelta, TblVec42TenRowsOfAHundredThousandTakeTenKilobytes) {
  const Watchdog watchdog;
  LocalCluster cluster(2, 1);
  ThrowIfError(cluster.Start());
  std::vector<std::unique_ptr<StoreServer>> servers;
  for (int i = 0; i < 2; ++i) servers.push_back(std::make_unique<StoreServer>(&cluster.server(i)));
  Store store(&cluster.worker(0));
  MatrixTable<float> table(store, MatrixOptions().Name("m").Rows(100000).Cols(16).Delta());
  Floats read;
  table.Get(&read);
  std::vector<int> rows;
  for (int i = 0; i < 10; ++i) rows.push_back(i * 9999);
  table.Add(rows, Floats(160, 1));
  const Counters& counters = cluster.worker(0).van()->core().counters();
  const auto before = counters.Get(Counter::kReceivedBytes);
  table.Get(&read);
  EXPECT_LT(counters.Get(Counter::kReceivedBytes) - before, 10000u);
  for (const int row : rows) EXPECT_EQ(read[static_cast<std::size_t>(row) * 16 + 15], 1);
  EXPECT_EQ(read[16], 0);
}

}  // namespace
}  // namespace ps
