#include "app/customer_core.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/log_capture.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;

class CustomerCoreTest : public testing::Test {
 protected:
  CustomerCoreTest() : cluster_(2, 1) { ThrowIfError(cluster_.Start()); }

  Postoffice* worker_node() { return &cluster_.worker(0); }
  Postoffice* server_node(int rank) { return &cluster_.server(rank); }

  Watchdog watchdog_;
  LocalCluster cluster_;
};

// F-09
TEST_F(CustomerCoreTest, DestroyingItFailsWhatIsInFlightAndRunsTheCallbacks) {
  KVServer<float> silent(server_node(0), 0);
  silent.set_request_handle([](const KVMeta&, const KVPairs<float>&, KVServer<float>*) {});
  std::vector<StatusCode> outcomes;
  {
    KVWorker<float> worker(worker_node(), 0, 0);
    for (int i = 0; i < 3; ++i)
      worker.Push({1}, {1}, {}, 0, [&] { outcomes.push_back(CallbackStatus().code()); });
  }
  EXPECT_EQ(outcomes, std::vector<StatusCode>(3, StatusCode::kCancelled));
}

TEST_F(CustomerCoreTest, AWorkerMayBeDestroyedByItsOwnCallback) {
  KVServer<float> server(server_node(0), 0);
  server.set_request_handle(KVServerDefaultHandle<float>());
  auto worker = std::make_unique<KVWorker<float>>(worker_node(), 0, 0);
  std::promise<void> gone;
  worker->Push({1}, {1}, {}, 0, [&] {
    worker.reset();
    gone.set_value();
  });
  gone.get_future().wait();
  // The ids are free again.
  KVWorker<float> next(worker_node(), 0, 0);
  next.Wait(next.Push({1}, {1}));
}

TEST_F(CustomerCoreTest, FailuresNobodyWaitedForAreLoggedOnce) {
  KVServer<float> server(server_node(0), 0);
  server.set_request_handle([](const KVMeta& req, const KVPairs<float>&, KVServer<float>* s) {
    s->Fail(req, Status::NotFound("nothing here"));
  });
  LogCapture log;
  {
    KVWorker<float> worker(worker_node(), 0, 0);
    worker.Push({1}, {1});
    static_cast<Mailbox*>(worker.get_customer())->WaitIdle();
    EXPECT_EQ(log.Count("nothing here"), 1);
    EXPECT_FALSE(worker.WaitFor(worker.Push({1}, {1}), milliseconds(10000)).ok());
  }
  EXPECT_EQ(log.Count("nothing here"), 1);
}

// case-19: only the time until it is acknowledged counts against PS_REQUEST_TIMEOUT.
TEST(CustomerCoreDeadlineTest, AHeldRequestOutlivesTheRequestTimeout) {
  Watchdog watchdog;
  LocalClusterOptions options;
  options.config.request_timeout_ms = 100;
  options.config.resend_timeout_ms = 20;
  LocalCluster cluster(options);
  ASSERT_TRUE(cluster.Start().ok());
  std::promise<KVMeta> kept;
  KVServer<float> server(&cluster.server(0), 0);
  server.set_request_handle(
      [&](const KVMeta& req, const KVPairs<float>&, KVServer<float>*) { kept.set_value(req); });
  KVWorker<float> worker(&cluster.worker(0), 0, 0);
  const int ts = worker.Push({1}, {1});
  EXPECT_EQ(worker.WaitFor(ts, milliseconds(300)).code(), StatusCode::kDeadlineExceeded);
  server.Response(kept.get_future().get());
  EXPECT_TRUE(worker.WaitFor(ts, milliseconds(10000)).ok());
}

}  // namespace
}  // namespace ps
