#include "ps/store_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/simple_app.h"
#include "ps/store.h"
#include "store/network_link.h"
#include "tests/support/store_world.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(StoreServerTest, IsForServerNodesAndOneForEach) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  ThrowIfError(cluster.Start());
  EXPECT_THROW(StoreServer(&cluster.worker(0)), Error);
  StoreServer server(&cluster.server(0));
  EXPECT_THROW(StoreServer(&cluster.server(0)), Error);
  server.Close();
  server.Close();
}

TEST(StoreServerTest, ATableIsWaitedForUntilItsServerIsThere) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  ThrowIfError(cluster.Start());
  std::unique_ptr<StoreServer> server;
  std::thread late([&] { server = std::make_unique<StoreServer>(&cluster.server(0)); });
  Store store(&cluster.worker(0));
  const auto table = store.Create(DenseSpec("w", 3));
  const std::vector<float> ones(3, 1);
  table->Add(Rows::All(), ones.data());
  late.join();
  store.Close();
  server.reset();
}

TEST(StoreServerTest, CommandsAreRefused) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  ThrowIfError(cluster.Start());
  StoreServer server(&cluster.server(0));
  SimpleApp app(&cluster.worker(0), kStoreApp, 0);
  try {
    app.Wait(app.Request(3, "hello", kServerGroup));
    ADD_FAILURE() << "a command was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no commands"), std::string::npos) << error.what();
  }
}

TEST(StoreServerTest, ARoundGoesOnAfterAContributionThatWasTooLargeToBeSent) {
  Config config;
  config.max_message_bytes = 4000;
  StoreWorld world(Way::kCluster, 2, 2, config);
  TableSpec spec = DenseSpec("w", 2000);
  spec.consistency = Consistency::Bsp();
  const auto tables = world.Create(spec);
  const std::vector<float> ones(2000, 1);
  EXPECT_THROW(tables[0]->AddAsync(Rows::All(), ones.data()), Error);
  const std::vector<std::uint64_t> rows{1, 1500};
  std::vector<float> read(2);
  world.Run([&](int worker, Store&) {
    std::vector<float> mine(2);
    StoreTable& table = *tables[static_cast<std::size_t>(worker)];
    EXPECT_TRUE(table.AddAsync(Rows::Of(rows), ones.data()).WaitFor(std::chrono::seconds(20)).ok());
    EXPECT_TRUE(table.GetAsync(Rows::Of(rows), mine.data()).WaitFor(std::chrono::seconds(20)).ok());
    EXPECT_EQ(mine, std::vector<float>(2, 2));
  });
}

// What becomes of a round whose worker is lost.
class LostWorker : public testing::TestWithParam<OnNodeLost> {
 protected:
  static Config ConfigOf(OnNodeLost policy) {
    Config config;
    config.on_node_lost = policy;
    config.heartbeat_interval_ms = 20;
    config.heartbeat_timeout_ms = 200;
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(Policies, LostWorker, testing::Values(OnNodeLost::kFail, OnNodeLost::kShrink));

TEST_P(LostWorker, EndsTheRoundOrItsWait) {
  StoreWorld world(Way::kCluster, 2, 3, ConfigOf(GetParam()));
  TableSpec spec = DenseSpec("w", 4);
  spec.consistency = Consistency::Bsp();
  spec.apply = TableSpec::kMerged;
  const auto tables = world.Create(spec);
  const std::vector<float> ones(4, 1);
  for (int worker = 0; worker < 2; ++worker)
    tables[static_cast<std::size_t>(worker)]->Add(Rows::All(), ones.data());
  std::vector<float> read(4);
  const Ticket ticket = tables[0]->GetAsync(Rows::All(), read.data());
  EXPECT_FALSE(ticket.Done());
  world.cluster()->worker(2).Close();
  const Status outcome = ticket.WaitFor(std::chrono::seconds(20));
  if (GetParam() == OnNodeLost::kShrink) {
    EXPECT_TRUE(outcome.ok()) << outcome;
    EXPECT_EQ(read, std::vector<float>(4, 2));
  } else {
    EXPECT_EQ(outcome.code(), StatusCode::kUnavailable) << outcome;
    EXPECT_NE(outcome.message().find("worker 2"), std::string::npos) << outcome;
  }
}

}  // namespace
}  // namespace ps
