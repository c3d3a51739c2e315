// case-09: a server builds one of its KVServers late. Scaled down: an event stands for the 8 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Case09, RequestsWaitForTheirServerAndHoldUpNoOtherApp) {
  Watchdog watchdog(seconds(20));
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  KVServer<float> quick(&cluster.server(0), 1);
  quick.set_request_handle(KVServerDefaultHandle<float>());
  KVWorker<float> to_slow(&cluster.worker(0), 0, 0);
  KVWorker<float> to_quick(&cluster.worker(0), 1, 0);

  const int pushed = to_slow.Push({1, 2}, {1, 2});
  int64_t slowest_ms = 0;
  for (int i = 0; i < 200; ++i) {
    const int64_t began = Clock::Real().NowMs();
    to_quick.Wait(to_quick.Push({7}, {1}));
    slowest_ms = std::max(slowest_ms, Clock::Real().NowMs() - began);
  }
  std::printf("case-09: slowest of 200 round trips of app 1 while app 0 waits: %d ms (figure: 50)\n",
              static_cast<int>(slowest_ms));
  EXPECT_LE(slowest_ms, 1000 * TestTimeScale());
  EXPECT_EQ(to_slow.WaitFor(pushed, milliseconds(1)).code(), StatusCode::kDeadlineExceeded);

  KVServer<float> slow(&cluster.server(0), 0);
  slow.set_request_handle(KVServerDefaultHandle<float>());
  EXPECT_EQ(to_slow.WaitFor(pushed, seconds(10)), Status::Ok());
  std::vector<float> pulled;
  to_slow.Wait(to_slow.Pull({1, 2}, &pulled));
  EXPECT_EQ(pulled, (std::vector<float>{1, 2}));
  EXPECT_TRUE(cluster.Finalize().ok());
}

TEST(Case09, WithARequestTimeoutThePushFailsByNameAndTheNextOneWorks) {
  Watchdog watchdog(seconds(20));
  LocalClusterOptions options;
  options.config.request_timeout_ms = 300;
  LocalCluster cluster(options);
  ASSERT_TRUE(cluster.Start().ok());
  KVWorker<float> worker(&cluster.worker(0), 0, 0);
  const int64_t began = Clock::Real().NowMs();
  const Status outcome = worker.WaitFor(worker.Push({1}, {1}), seconds(10));
  const int64_t took_ms = Clock::Real().NowMs() - began;
  EXPECT_EQ(outcome.code(), StatusCode::kDeadlineExceeded) << outcome;
  EXPECT_NE(outcome.message().find("server 0 (id 8"), std::string::npos) << outcome;
  EXPECT_NE(outcome.message().find("app 0"), std::string::npos) << outcome;
  EXPECT_GE(took_ms, 290);
  EXPECT_LE(took_ms, 2000 * TestTimeScale());

  KVServer<float> server(&cluster.server(0), 0);
  server.set_request_handle(KVServerDefaultHandle<float>());
  EXPECT_EQ(worker.WaitFor(worker.Push({1}, {1}), seconds(10)), Status::Ok());
  std::vector<float> pulled;
  worker.Wait(worker.Pull({1}, &pulled));
  EXPECT_EQ(pulled, std::vector<float>{1});  // the failed push was not applied later
  EXPECT_TRUE(cluster.Finalize().ok());
}

}  // namespace
}  // namespace ps
