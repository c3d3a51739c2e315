#include "ps/local_cluster.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "c_api/node.h"
#include "ps/c/base.h"
#include "ps/c/runtime.h"
#include "ps/c/store.h"
#include "ps/c/table.h"
#include "ps/c/updater.h"
#include "tests/support/watchdog.h"

namespace ps::c_api {
namespace {

class CApiLocalClusterTest : public testing::Test {
 protected:
  PSLocalCluster Make(int servers, int workers) {
    PSLocalClusterOptions options{};
    options.struct_size = sizeof options;
    options.servers = servers;
    options.workers = workers;
    PSLocalCluster cluster = nullptr;
    EXPECT_EQ(PSLocalClusterCreate(&options, &cluster), PS_OK) << PSGetLastError();
    return cluster;
  }
  int CodeWith(const PSLocalClusterOptions& options) {
    PSLocalCluster cluster = nullptr;
    const int code = PSLocalClusterCreate(&options, &cluster);
    EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
    return code;
  }

  Watchdog watchdog_;
};

TEST_F(CApiLocalClusterTest, WorkersAreNodesOfIt) {
  const PSLocalCluster cluster = Make(2, 3);
  PSNode node = nullptr;
  ASSERT_EQ(PSLocalClusterWorker(cluster, 2, &node), PS_OK);
  int number = -1;
  EXPECT_EQ(PSMyRank(node, &number), PS_OK);
  EXPECT_EQ(number, 2);
  EXPECT_EQ(PSNumWorkers(node, &number), PS_OK);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(PSNumServers(node, &number), PS_OK);
  EXPECT_EQ(number, 2);
  EXPECT_EQ(PSNodeGetRole(node, &number), PS_OK);
  EXPECT_EQ(number, PS_WORKER);
  EXPECT_EQ(PSIsStarted(node, &number), PS_OK);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(PSLocalClusterWorker(cluster, 3, &node), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSLocalClusterWorker(cluster, -1, &node), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSNodeFree(node), PS_OK);
  EXPECT_EQ(PSLocalClusterClose(cluster, 1), PS_OK) << PSGetLastError();
  EXPECT_EQ(PSLocalClusterClose(cluster, 1), PS_FAILED_PRECONDITION);
  EXPECT_EQ(PSLocalClusterClose(cluster, 0), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_INVALID_ARGUMENT);
}

TEST_F(CApiLocalClusterTest, WithoutOptionsThereIsOneOfEach) {
  PSLocalCluster cluster = nullptr;
  ASSERT_EQ(PSLocalClusterCreate(nullptr, &cluster), PS_OK) << PSGetLastError();
  PSNode node = nullptr;
  EXPECT_EQ(PSLocalClusterWorker(cluster, 1, &node), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
  EXPECT_EQ(PSNodeFree(node), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
}

TEST_F(CApiLocalClusterTest, NodesOfOneThatIsGoneAreErrors) {
  const PSLocalCluster cluster = Make(1, 1);
  PSNode node = nullptr;
  ASSERT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
  int number = -1;
  EXPECT_EQ(PSMyRank(node, &number), PS_FAILED_PRECONDITION);
  EXPECT_EQ(PSStart(node, "x"), PS_FAILED_PRECONDITION);
  EXPECT_EQ(PSNodeFree(node), PS_OK);
}

TEST_F(CApiLocalClusterTest, SettingsAreOfItsNodesAlone) {
  std::array<const char*, 1> names{"PS_REQUEST_TIMEOUT"};
  std::array<const char*, 1> values{"7.5"};
  PSLocalClusterOptions options{};
  options.struct_size = sizeof options;
  options.num_settings = 1;
  options.names = names.data();
  options.values = values.data();
  PSLocalCluster cluster = nullptr;
  ASSERT_EQ(PSLocalClusterCreate(&options, &cluster), PS_OK) << PSGetLastError();
  PSNode node = nullptr;
  ASSERT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
  EXPECT_EQ(NodeOf(node)->config().request_timeout_ms, 7500);
  EXPECT_EQ(PSNodeFree(node), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
  values[0] = "soon";
  EXPECT_EQ(CodeWith(options), PS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(PSGetLastError()).find("PS_REQUEST_TIMEOUT"), std::string::npos);
  names[0] = "DMLC_ROLE";
  EXPECT_EQ(CodeWith(options), PS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(PSGetLastError()).find("DMLC_ROLE"), std::string::npos);
}

TEST_F(CApiLocalClusterTest, NumbersOfNodesHaveBounds) {
  PSLocalClusterOptions options{};
  options.struct_size = sizeof options;
  options.servers = -1;
  EXPECT_EQ(CodeWith(options), PS_INVALID_ARGUMENT);
  options.servers = 1024;
  EXPECT_EQ(CodeWith(options), PS_INVALID_ARGUMENT);
  options.servers = 1;
  options.struct_size = 0;
  EXPECT_EQ(CodeWith(options), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSLocalClusterCreate(nullptr, nullptr), PS_INVALID_ARGUMENT);
}

int Sum(int head, const char* body, void* context) {
  static_cast<std::atomic<int>*>(context)->fetch_add(head + static_cast<int>(std::string(body).size()));
  return PS_OK;
}

TEST_F(CApiLocalClusterTest, AStoreSendsCommandsToItsServers) {
  std::atomic<int> sum{0};
  PSLocalClusterOptions options{};
  options.struct_size = sizeof options;
  options.servers = 2;
  options.controller = Sum;
  options.controller_context = &sum;
  PSLocalCluster cluster = nullptr;
  ASSERT_EQ(PSLocalClusterCreate(&options, &cluster), PS_OK) << PSGetLastError();
  PSNode node = nullptr;
  ASSERT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
  PSStore store = nullptr;
  ASSERT_EQ(PSStoreCreate(node, &store), PS_OK) << PSGetLastError();
  EXPECT_EQ(PSStoreSendCommand(store, 7, "abc"), PS_OK) << PSGetLastError();
  EXPECT_EQ(sum, 2 * 10);
  EXPECT_EQ(PSStoreSendCommand(store, 7, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSStoreFree(store), PS_OK);
  EXPECT_EQ(PSNodeFree(node), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
  PSStore local = nullptr;
  ASSERT_EQ(PSStoreLocal(1, 1, 0, &local), PS_OK);
  EXPECT_EQ(PSStoreSendCommand(local, 7, "abc"), PS_FAILED_PRECONDITION);
  EXPECT_EQ(PSStoreFree(local), PS_OK);
}

struct Closing {
  PSLocalCluster cluster;
  int code;
};

int CloseCluster(const PSUpdaterCall* /*call*/, void* context) {
  auto* const closing = static_cast<Closing*>(context);
  closing->code = PSLocalClusterClose(closing->cluster, 0);
  return PS_OK;
}

int AddToOne(PSStore store, const char* updater) {
  PSTableOptions options{};
  options.struct_size = sizeof options;
  options.kind = PS_ARRAY;
  options.name = "one";
  options.rows = 1;
  options.updater = updater;
  PSTable table = nullptr;
  int code = PSTableCreate(store, &options, &table);
  float one = 1;
  PSTableValues values{};
  values.struct_size = sizeof values;
  values.values = &one;
  values.num_values = 1;
  if (code == PS_OK) code = PSTableAdd(table, &values, nullptr);
  EXPECT_EQ(PSTableFree(table), PS_OK);
  return code;
}

// It would wait for the thread that it runs on.
TEST_F(CApiLocalClusterTest, ARuleOfItsServersCanNotEndIt) {
  static Closing closing;
  static const int registered = PSRegisterUpdater("closes_cluster", CloseCluster, 0, &closing);  // once
  ASSERT_EQ(registered, PS_OK);
  const char* const name = "PS_SERVER_THREADS";
  for (const char* const threads : {"0", "2"}) {
    PSLocalClusterOptions options{};
    options.struct_size = sizeof options;
    options.num_settings = 1;
    options.names = &name;
    options.values = &threads;
    PSLocalCluster cluster = nullptr;
    ASSERT_EQ(PSLocalClusterCreate(&options, &cluster), PS_OK) << PSGetLastError();
    closing = {cluster, PS_OK};
    PSNode node = nullptr;
    ASSERT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
    PSStore store = nullptr;
    ASSERT_EQ(PSStoreCreate(node, &store), PS_OK) << PSGetLastError();
    EXPECT_EQ(AddToOne(store, "closes_cluster"), PS_OK) << PSGetLastError();
    EXPECT_EQ(closing.code, PS_FAILED_PRECONDITION);
    EXPECT_EQ(PSStoreFree(store), PS_OK);
    EXPECT_EQ(PSNodeFree(node), PS_OK);
    EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
  }
}

TEST_F(CApiLocalClusterTest, ItMayBeFreedWhileOthersUseItsNodes) {
  const PSLocalCluster cluster = Make(1, 2);
  PSNode node = nullptr;
  ASSERT_EQ(PSLocalClusterWorker(cluster, 0, &node), PS_OK);
  std::thread user([node] {
    int code = PS_OK;
    while (code == PS_OK) {
      int number = 0;
      code = PSBarrier(node, 4, 1);
      if (code == PS_DEADLINE_EXCEEDED) code = PSNumWorkers(node, &number);
    }
    EXPECT_TRUE(code == PS_CANCELLED || code == PS_FAILED_PRECONDITION || code == PS_UNAVAILABLE)
        << PSGetLastError();
  });
  EXPECT_EQ(PSLocalClusterFree(cluster), PS_OK);
  user.join();
  EXPECT_EQ(PSNodeFree(node), PS_OK);
}

}  // namespace
}  // namespace ps::c_api
