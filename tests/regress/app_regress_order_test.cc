// Defects of the original around order and the moment handles are set: runtime specification B2.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class AppRegressOrder : public testing::Test {
 protected:
  void Start(const Config& config = Config()) {
    LocalClusterOptions options;
    options.config = config;
    cluster_ = std::make_unique<LocalCluster>(options);
    ThrowIfError(cluster_->Start());
  }
  Postoffice* server_node() { return &cluster_->server(0); }
  Postoffice* worker_node() { return &cluster_->worker(0); }

  Watchdog watchdog_;
  std::unique_ptr<LocalCluster> cluster_;
};

using RegressB11 = AppRegressOrder;
TEST_F(RegressB11, PushesAreAppliedInTheOrderIssued) {
  Start();
  std::vector<int> order;
  KVServer<int> server(server_node(), 0);
  server.set_request_handle([&](const KVMeta& req, const KVPairs<int>& data, KVServer<int>* s) {
    order.push_back(data.vals[0]);
    s->Response(req);
  });
  KVWorker<int> worker(worker_node(), 0, 0);
  int last = 0;
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    last = worker.Push({1}, {i});
    expected.push_back(i);
  }
  worker.Wait(last);
  EXPECT_EQ(order, expected);
}

using RegressB12 = AppRegressOrder;
TEST_F(RegressB12, APushBeforeTheServerIsBuiltWaitsAndBlocksNothing) {
  Start();
  KVServer<int> other(server_node(), 1);
  other.set_request_handle(KVServerDefaultHandle<int>());
  KVWorker<int> early(worker_node(), 0, 0);
  KVWorker<int> meanwhile(worker_node(), 1, 1);
  const int ts = early.Push({1}, {5});
  // Another app of the same nodes goes on, and so do barriers.
  for (int i = 0; i < 10; ++i) meanwhile.Wait(meanwhile.Push({1}, {1}));
  auto barrier = std::async(std::launch::async,
                            [&] { return server_node()->TryBarrier(0, kServerGroup + kWorkerGroup); });
  EXPECT_TRUE(worker_node()->TryBarrier(0, kServerGroup + kWorkerGroup).ok());
  EXPECT_TRUE(barrier.get().ok());
  KVServer<int> late(server_node(), 0);
  late.set_request_handle(KVServerDefaultHandle<int>());
  EXPECT_TRUE(early.WaitFor(ts, milliseconds(10000)).ok());
}

using RegressB12b = AppRegressOrder;
TEST_F(RegressB12b, RequestsWaitForTheHandleInOrder) {
  Start();
  std::vector<int> order;
  KVServer<int> server(server_node(), 0);
  KVWorker<int> worker(worker_node(), 0, 0);
  int last = 0;
  for (int i = 0; i < 100; ++i) last = worker.Push({1}, {i});
  // A command with a handle is not held up by data without one.
  static_cast<SimpleApp*>(&server)->set_request_handle(
      [](const SimpleData& req, SimpleApp* app) { app->Response(req); });
  EXPECT_TRUE(worker.WaitFor(worker.Request(1, "", kServerGroup), milliseconds(10000)).ok());
  EXPECT_TRUE(order.empty());
  server.set_request_handle([&](const KVMeta& req, const KVPairs<int>& data, KVServer<int>* s) {
    order.push_back(data.vals[0]);
    s->Response(req);
  });
  worker.Wait(last);
  std::vector<int> expected(100);
  for (int i = 0; i < 100; ++i) expected[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(order, expected);
}

TEST_F(RegressB12b, WithoutAHandleADataRequestFailsAtItsDeadline) {
  Config config;
  config.request_timeout_ms = 200;
  Start(config);
  KVServer<int> server(server_node(), 0);
  KVWorker<int> worker(worker_node(), 0, 0);
  const Status failed = worker.WaitFor(worker.Push({1}, {1}), milliseconds(10000));
  EXPECT_EQ(failed.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(failed.message().find("no request handle"), std::string::npos) << failed;
  EXPECT_NE(failed.message().find("server 0"), std::string::npos) << failed;
}

TEST_F(RegressB12b, AppsBuiltUnderFireMissNothing) {
  Start();
  KVWorker<int> worker(worker_node(), 0, 0);
  for (int round = 0; round < 50; ++round) {
    const int ts = worker.Push({1}, {1});
    KVServer<int> server(server_node(), 0);
    server.set_request_handle(KVServerDefaultHandle<int>());
    ASSERT_TRUE(worker.WaitFor(ts, milliseconds(10000)).ok()) << round;
  }
}

using RegressB13b = AppRegressOrder;
TEST_F(RegressB13b, ALateCustomerOfAKnownAppIsWaitedFor) {
  Start();
  // A server asks a worker's second customer of app 0, which is not there yet.
  SimpleApp first(worker_node(), 0, 0);
  SimpleApp other(worker_node(), 0, 5);
  SimpleApp asking(server_node(), 0, 1);
  const int ts = asking.Request(3, "hello", 9);
  SimpleApp late(worker_node(), 0, 1);
  late.set_request_handle([](const SimpleData& req, SimpleApp* app) { app->Response(req, "here"); });
  EXPECT_TRUE(asking.WaitFor(ts, milliseconds(10000)).ok());
}

}  // namespace
}  // namespace ps
