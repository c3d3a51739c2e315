#include "c_api/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "ps/c/base.h"
#include "ps/c/table.h"
#include "ps/c/updater.h"
#include "tests/support/watchdog.h"

namespace ps::c_api {
namespace {

PSTable ArrayOf(PSStore store, const char* name, int64_t size) {
  PSTableOptions options{};
  options.struct_size = sizeof options;
  options.kind = PS_ARRAY;
  options.name = name;
  options.rows = size;
  PSTable table = nullptr;
  EXPECT_EQ(PSTableCreate(store, &options, &table), PS_OK) << PSGetLastError();
  return table;
}

int AddOnes(PSTable table, size_t size) {
  std::vector<float> ones(size, 1.0F);
  PSTableValues values{};
  values.struct_size = sizeof values;
  values.values = ones.data();
  values.num_values = size;
  return PSTableAdd(table, &values, nullptr);
}

std::vector<float> Read(PSTable table, size_t size) {
  std::vector<float> read(size, -1.0F);
  PSTableValues values{};
  values.struct_size = sizeof values;
  values.values = read.data();
  values.num_values = size;
  EXPECT_EQ(PSTableGet(table, &values, nullptr), PS_OK) << PSGetLastError();
  return read;
}

class CApiStoreTest : public testing::Test {
 protected:
  Watchdog watchdog_;
};

TEST_F(CApiStoreTest, LocalStoresShareTheirServers) {
  PSStore stores[2] = {};
  ASSERT_EQ(PSStoreLocal(3, 2, 0, stores), PS_OK);
  int number = -1;
  EXPECT_EQ(PSStoreGetRank(stores[1], &number), PS_OK);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(PSStoreGetNumWorkers(stores[1], &number), PS_OK);
  EXPECT_EQ(number, 2);
  EXPECT_EQ(PSStoreGetNumServers(stores[1], &number), PS_OK);
  EXPECT_EQ(number, 3);
  const PSTable first = ArrayOf(stores[0], "w", 5);
  const PSTable second = ArrayOf(stores[1], "w", 5);
  EXPECT_EQ(AddOnes(first, 5), PS_OK);
  EXPECT_EQ(PSStoreFlush(stores[0]), PS_OK);
  std::thread other([&] { EXPECT_EQ(PSStoreBarrier(stores[1], -1), PS_OK); });
  EXPECT_EQ(PSStoreBarrier(stores[0], -1), PS_OK);
  other.join();
  EXPECT_EQ(Read(second, 5), std::vector<float>(5, 1.0F));
  for (const PSTable table : {first, second}) EXPECT_EQ(PSTableFree(table), PS_OK);
  for (const PSStore store : stores) EXPECT_EQ(PSStoreFree(store), PS_OK);
}

TEST_F(CApiStoreTest, ATableOutlivesItsStoresHandle) {
  PSStore store = nullptr;
  ASSERT_EQ(PSStoreLocal(1, 1, 0, &store), PS_OK);
  const PSTable table = ArrayOf(store, "w", 5);
  EXPECT_EQ(PSStoreFree(store), PS_OK);
  EXPECT_EQ(AddOnes(table, 5), PS_OK);
  EXPECT_EQ(PSTableFree(table), PS_OK);
}

TEST_F(CApiStoreTest, AClosedStoreRefusesWhoeverHasIt) {
  PSStore store = nullptr;
  ASSERT_EQ(PSStoreLocal(1, 1, 0, &store), PS_OK);
  const PSTable table = ArrayOf(store, "w", 5);
  EXPECT_EQ(PSStoreClose(store), PS_OK);
  EXPECT_NE(AddOnes(table, 5), PS_OK);
  EXPECT_EQ(PSStoreClose(store), PS_OK);
  EXPECT_EQ(PSTableFree(table), PS_OK);
  EXPECT_EQ(PSStoreFree(store), PS_OK);
}

TEST_F(CApiStoreTest, NumbersOutOfBoundsAreRefused) {
  PSStore store = nullptr;
  EXPECT_EQ(PSStoreLocal(0, 1, 0, &store), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSStoreLocal(1, -1, 0, &store), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSStoreLocal(1, 1, 1 << 30, &store), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSStoreLocal(1, 1, 0, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(store, nullptr);
}

TEST_F(CApiStoreTest, ANodeHasOneStoreForAllItsHandles) {
  PSLocalCluster cluster = nullptr;
  ASSERT_EQ(PSLocalClusterCreate(nullptr, &cluster), PS_OK) << PSGetLastError();
  PSNode node = nullptr;
  ASSERT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
  PSStore stores[2] = {};
  for (PSStore& store : stores) ASSERT_EQ(PSStoreCreate(node, &store), PS_OK) << PSGetLastError();
  EXPECT_EQ(&ObjectOf(stores[0])->store(), &ObjectOf(stores[1])->store());
  const PSTable table = ArrayOf(stores[0], "w", 5);
  EXPECT_EQ(AddOnes(table, 5), PS_OK);
  EXPECT_EQ(Read(table, 5), std::vector<float>(5, 1.0F));
  EXPECT_EQ(PSNodeFree(node), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
  EXPECT_NE(AddOnes(table, 5), PS_OK) << "its cluster is gone";
  EXPECT_EQ(PSTableFree(table), PS_OK);
  for (const PSStore store : stores) EXPECT_EQ(PSStoreFree(store), PS_OK);
}

TEST_F(CApiStoreTest, CheckpointsComeBack) {
  const std::string folder = std::filesystem::temp_directory_path() / "c_api_checkpoints";
  PSStore store = nullptr;
  ASSERT_EQ(PSStoreLocal(2, 1, 0, &store), PS_OK);
  PSTable table = ArrayOf(store, "w", 5);
  EXPECT_EQ(AddOnes(table, 5), PS_OK);
  uint64_t saved = 0;
  EXPECT_EQ(PSStoreSave(store, folder.c_str(), nullptr, &saved), PS_OK) << PSGetLastError();
  EXPECT_EQ(AddOnes(table, 5), PS_OK);
  uint64_t loaded = 0;
  PSLoadOptions options{};
  options.struct_size = sizeof options;
  options.what = PS_LOAD_ALL;
  EXPECT_EQ(PSStoreLoad(store, folder.c_str(), &options, &loaded), PS_OK) << PSGetLastError();
  EXPECT_EQ(loaded, saved);
  EXPECT_EQ(Read(table, 5), std::vector<float>(5, 1.0F));
  options.what = 3;
  EXPECT_EQ(PSStoreLoad(store, folder.c_str(), &options, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSStoreLoad(store, nullptr, nullptr, nullptr), PS_INVALID_ARGUMENT);
  PSSaveOptions saving{};
  saving.struct_size = sizeof saving;
  saving.keep = -1;
  EXPECT_EQ(PSStoreSave(store, folder.c_str(), &saving, nullptr), PS_INVALID_ARGUMENT);
  saving.keep = 1;
  saving.prefix = "nothing";
  EXPECT_EQ(PSStoreSave(store, folder.c_str(), &saving, nullptr), PS_NOT_FOUND);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(PSTableFree(table), PS_OK);
  EXPECT_EQ(PSStoreFree(store), PS_OK);
}

TEST_F(CApiStoreTest, AnErasedTableIsMadeAnew) {
  PSStore store = nullptr;
  ASSERT_EQ(PSStoreLocal(1, 1, 0, &store), PS_OK);
  PSTable table = ArrayOf(store, "w", 5);
  EXPECT_EQ(AddOnes(table, 5), PS_OK);
  PSRequest request = nullptr;
  EXPECT_EQ(PSStoreEraseTable(store, "w", &request), PS_OK);
  EXPECT_EQ(PSRequestWait(request, -1), PS_OK);
  EXPECT_EQ(PSRequestFree(request), PS_OK);
  EXPECT_EQ(PSTableFree(table), PS_OK);
  table = ArrayOf(store, "w", 5);
  EXPECT_EQ(Read(table, 5), std::vector<float>(5, 0.0F));
  EXPECT_EQ(PSStoreEraseTable(store, nullptr, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSTableFree(table), PS_OK);
  EXPECT_EQ(PSStoreFree(store), PS_OK);
}

// What a rule found when it tried to end its own store.
struct Ending {
  PSStore store;
  int closed;
  int freed;
};

int EndStore(const PSUpdaterCall* /*call*/, void* context) {
  auto* const ending = static_cast<Ending*>(context);
  ending->closed = PSStoreClose(ending->store);
  ending->freed = PSStoreFree(ending->store);
  return PS_OK;
}

TEST_F(CApiStoreTest, ARuleCanNotCloseItsOwnStore) {
  static Ending ending;
  static const int registered = PSRegisterUpdater("ends_store", EndStore, 0, &ending);  // once in a process
  ASSERT_EQ(registered, PS_OK);
  for (const int threads : {0, 2}) {
    ending = {nullptr, PS_OK, PS_OK};
    ASSERT_EQ(PSStoreLocal(2, 1, threads, &ending.store), PS_OK);
    PSTableOptions options{};
    options.struct_size = sizeof options;
    options.kind = PS_ARRAY;
    options.name = "w";
    options.rows = 5;
    options.updater = "ends_store";
    PSTable table = nullptr;
    ASSERT_EQ(PSTableCreate(ending.store, &options, &table), PS_OK) << PSGetLastError();
    EXPECT_EQ(AddOnes(table, 5), PS_OK) << PSGetLastError();
    EXPECT_EQ(ending.closed, PS_FAILED_PRECONDITION) << threads;
    EXPECT_EQ(ending.freed, PS_FAILED_PRECONDITION) << threads;
    EXPECT_EQ(PSTableFree(table), PS_OK);
    EXPECT_EQ(PSStoreFree(ending.store), PS_OK);
  }
}

// A barrier of no time at all is one that has no time, not one that waits for ever; and more time than there
// is does not end at once.
TEST_F(CApiStoreTest, TheTimeOfABarrierMayBeAnyNumber) {
  PSStore stores[2] = {};
  ASSERT_EQ(PSStoreLocal(1, 2, 0, stores), PS_OK);
  EXPECT_EQ(PSStoreBarrier(stores[0], 0), PS_DEADLINE_EXCEEDED);
  EXPECT_EQ(PSStoreBarrier(stores[0], -2), PS_INVALID_ARGUMENT);
  std::thread other([&] { EXPECT_EQ(PSStoreBarrier(stores[1], INT64_MAX), PS_OK) << PSGetLastError(); });
  EXPECT_EQ(PSStoreBarrier(stores[0], INT64_MAX), PS_OK) << PSGetLastError();
  other.join();
  for (const PSStore store : stores) EXPECT_EQ(PSStoreFree(store), PS_OK);
}

}  // namespace
}  // namespace ps::c_api
