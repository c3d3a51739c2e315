#include "ps/multiverso/kv_tables.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ps/store.h"
#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace multiverso {
namespace {

template <typename Key, typename Val>
class World {
 public:
  explicit World(int servers) : stores_(ps::Store::Local({servers, 1, 0})) {
    UserTableContext context;
    context.store = stores_[0].get();
    context.servers = &stores_[0]->user_shards();
    table_.reset(CreateUserTable(KVTableOption<Key, Val>(), context));
  }
  KVWorkerTable<Key, Val>& table() { return *table_; }
  ps::Store& store() { return *stores_[0]; }

 private:
  ps::Watchdog watchdog_;
  std::vector<std::unique_ptr<ps::Store>> stores_;
  std::unique_ptr<KVWorkerTable<Key, Val>> table_;
};

TEST(KVTablesTest, ValuesAreAddedAndMissingKeysReadAsZero) {
  World<int, float> world(2);
  auto& table = world.table();
  table.Add(0, 3);
  table.Add(0, -4);
  table.Add({1, 2, 1}, {0.5F, 2, 0.25F});
  table.Get({0, 1, 2, 7});
  EXPECT_EQ(table.raw(), (std::unordered_map<int, float>{{0, -1}, {1, 0.75F}, {2, 2}, {7, 0}}));
  table.Wait(table.GetAsync({}));  // of no keys: nobody is asked
  EXPECT_EQ(table.raw().size(), 4u);
}

TEST(KVTablesTest, NegativeAndExtremeKeysHaveAServer) {
  using Limits = std::numeric_limits<std::int64_t>;
  World<std::int64_t, int> world(3);
  auto& table = world.table();
  const std::vector<std::int64_t> keys = {-1, -2, 0, Limits::min(), Limits::max()};
  table.Wait(table.AddAsync(keys, {1, 2, 3, 4, 5}));
  table.Get(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(table.raw().at(keys[i]), static_cast<int>(i) + 1);
}

TEST(KVTablesTest, NeighboursAreSpreadOverTheServers) {
  std::map<int, int> counts;
  for (int key = -3000; key < 3000; key += 3) ++counts[ServerOfKey(key, 3)];
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [server, count] : counts) EXPECT_NEAR(count, 667, 100) << server;
  EXPECT_EQ(ServerOfKey(-1, 7), ServerOfKey(std::int64_t{-1}, 7)) << "whatever the type of the key";
}

TEST(KVTablesTest, AMissingKeyIsNotMadeByReadingIt) {
  KVServerTable<int, int> server;
  const int key = 5;
  std::vector<Blob> result;
  server.ProcessGet({Blob(&key, sizeof(key))}, &result);
  EXPECT_EQ(result.at(1).As<int>(), 0);
  MemoryStream stream;
  server.Store(&stream);
  EXPECT_EQ(stream.bytes(), std::string(8, '\0'));
}

TEST(KVTablesTest, WrongBlobsAreRefused) {
  World<int, int> world(2);
  auto& table = world.table();
  EXPECT_THROW(table.AddAsync({1, 2}, {1}), ps::Error);
  WorkerTable& base = table;
  EXPECT_THROW(base.AddAsync(Blob(3), Blob(4)), ps::Error);
  EXPECT_THROW(base.GetAsync(Blob(5)), ps::Error);
  KVServerTable<int, int> server;
  EXPECT_THROW(server.ProcessAdd({Blob(4)}), ps::Error);
  EXPECT_THROW(server.ProcessAdd({Blob(8), Blob(4)}), ps::Error);
  MemoryStream cut(std::string("\2\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\1", 17));
  EXPECT_THROW(server.Load(&cut), ps::Error);
}

TEST(KVTablesTest, ACheckpointIsLoadedByAnyNumberOfServers) {
  const std::string folder = ps::NewFolder("kv_tables");
  std::vector<int> keys(10000);
  std::vector<double> values(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<int>(i) * 7 - 20000;
    values[i] = static_cast<double>(i) / 3;
  }
  {
    World<int, double> world(2);
    world.table().AddAsync(keys, values);
    world.store().Save(folder);
    world.table().Add(keys, values);
    world.store().Load(folder);
    world.table().Get(keys[77]);
    EXPECT_EQ(world.table().raw().at(keys[77]), values[77]);
  }
  for (const int servers : {1, 3}) {
    World<int, double> world(servers);
    world.store().Load(folder);
    world.table().Get(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(world.table().raw().at(keys[i]), values[i]) << i;
    world.table().Add(keys, values);
    world.table().Get(keys[4]);
    EXPECT_EQ(world.table().raw().at(keys[4]), 2 * values[4]) << "each key is where it is looked for";
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace multiverso
