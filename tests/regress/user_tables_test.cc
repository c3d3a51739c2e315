// A user's own WorkerTable and ServerTable, with a Partition of their own, on 2 servers.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/range_table.h"
#include "tests/support/store_world.h"

namespace multiverso {
namespace {

using Table = std::unique_ptr<RangeWorker<double>>;
using Doubles = std::vector<double>;
constexpr int kSize = 11;  // 5 at the first server, 6 at the other one

std::vector<int> AllPlaces() {
  std::vector<int> places(kSize);
  for (int i = 0; i < kSize; ++i) places[static_cast<std::size_t>(i)] = i;
  return places;
}

Doubles Times(double factor) {
  Doubles values(kSize);
  for (int i = 0; i < kSize; ++i) values[static_cast<std::size_t>(i)] = factor * (i + 1);
  return values;
}

class UserTables : public testing::TestWithParam<ps::Way> {
 protected:
  void Begin(int servers, int workers) {
    world_ = std::make_unique<ps::StoreWorld>(GetParam(), servers, workers);
    const RangeOption<double> option(kSize);
    const std::string code = CodeName(typeid(option));
    world_->Register(TableName(0), code, [option](const ps::UserShardPlace& place) {
      return ShardOf(std::make_unique<RangeServer<double>>(option), place);
    });
  }
  Table TableOf(int worker) {
    UserTableContext context;
    context.store = &(*world_)[worker];
    return Table(CreateUserTable(RangeOption<double>(kSize), context));
  }
  static Doubles AllOf(RangeWorker<double>& table) {
    Doubles values;
    table.Get(AllPlaces(), &values);
    return values;
  }

  std::unique_ptr<ps::StoreWorld> world_;
};

TEST_P(UserTables, ValuesOfAllWorkersAreRight) {
  Begin(2, 3);
  world_->Run([this](int worker, ps::Store& store) {
    const Table table = TableOf(worker);
    for (int i = 0; i < 50; ++i) {
      table->AddAsync(AllPlaces(), Times(1));
      table->AddAsync({10, 0}, {0.5, 0.25});
    }
    store.Barrier();
    Doubles expected = Times(150);
    expected[0] += 150 * 0.25;
    expected[10] += 150 * 0.5;
    EXPECT_EQ(AllOf(*table), expected);
    store.Barrier();
  });
}

TEST_P(UserTables, TheyAreStoredAndLoaded) {
  const std::string folder = ps::NewFolder("user_tables");
  Begin(2, 1);
  {
    const Table table = TableOf(0);
    table->AddAsync(AllPlaces(), Times(3));
    (*world_)[0].Save(folder);
    table->Add(AllPlaces(), Times(1));
    (*world_)[0].Load(folder);
    EXPECT_EQ(AllOf(*table), Times(3)) << "in the same job";
  }
  Begin(2, 1);
  {
    const Table table = TableOf(0);
    (*world_)[0].Load(folder);
    EXPECT_EQ(AllOf(*table), Times(3)) << "in another one";
    table->Add(AllPlaces(), Times(1));
    EXPECT_EQ(AllOf(*table), Times(4));
  }
  Begin(1, 1);
  const Table table = TableOf(0);
  try {
    (*world_)[0].Load(folder);
    FAIL() << "there is another number of servers";
  } catch (const ps::Error& error) {
    EXPECT_NE(std::string(error.what()).find("was saved by 2 servers, and there are 1"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(AllOf(*table), Times(0));
  std::filesystem::remove_all(folder);
}

TEST_P(UserTables, ErrorsFailTheirCallAndNothingElse) {
  Begin(2, 2);
  const Table mine = TableOf(0);
  const Table other = TableOf(1);
  EXPECT_THROW(mine->Add({0, kSize + 1}, {1, 1}), ps::Error) << "its server throws";
  EXPECT_THROW(mine->Add({-1}, {1}), std::runtime_error) << "its Partition does";
  EXPECT_THROW(mine->Add({kSize + 2}, {1}), ps::Error) << "there is no such server";
  WorkerTable& base = *mine;
  EXPECT_THROW(base.Add(Blob(7), Blob(8)), ps::Error) << "no whole number of places";
  other->Add(AllPlaces(), Times(1));
  EXPECT_EQ(AllOf(*mine)[10], 11);
}

// Ids of calls are small, and nothing is kept of those that are done.
TEST_P(UserTables, AddsThatNobodyWaitsForTakeNoMemory) {
  Begin(2, 1);
  const Table table = TableOf(0);
  const std::vector<int> places = {0, 10};
  const Doubles values = {1, 2};
  constexpr int kAdds = 100000;
  const auto add = [&](int count) {
    for (int i = 1; i <= count; ++i) {
      table->AddAsync(places, values);
      if (i % 1000 == 0) (*world_)[0].Flush();
    }
    (*world_)[0].Flush();
  };
  add(kAdds / 10);
  const std::int64_t before = ps::HeapBytes();
  add(kAdds);
  const std::int64_t grown = ps::HeapBytes() - before;
  std::printf("%d Adds that nobody waited for: the heap grew by %lld bytes\n", kAdds,
              static_cast<long long>(grown));
  EXPECT_LT(grown, 4 << 20);
  EXPECT_EQ(AllOf(*table)[10], 2.0 * (kAdds + kAdds / 10));
}

INSTANTIATE_TEST_SUITE_P(Ways, UserTables, ps::EveryWay(), ps::NameOfWay);

}  // namespace
}  // namespace multiverso
