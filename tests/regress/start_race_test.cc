// The obvious program: Start, build the server, push at once (B-12).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

void ObviousProgram(Postoffice& node, std::atomic<int>* exact) {
  if (node.is_server()) {
    auto* server = new KVServer<float>(0);
    server->set_request_handle(KVServerDefaultHandle<float>());
    node.RegisterExitCallback([server] { delete server; });
  }
  if (node.is_worker()) {
    KVWorker<float> worker(0, 0);
    const std::vector<Key> keys = {static_cast<Key>(node.my_rank()),
                                   kMaxKey - static_cast<Key>(node.my_rank())};
    worker.Wait(worker.Push(keys, {1, 2}));
    std::vector<float> pulled;
    worker.Wait(worker.Pull(keys, &pulled));
    if (pulled == std::vector<float>{1, 2}) ++*exact;
  }
}

TEST(RegressB12, PushesAtOnceAfterStartFindTheirServer200Times) {
  Watchdog watchdog(seconds(55));
  std::atomic<int> exact{0};
  for (int i = 0; i < 200; ++i) {
    LocalCluster cluster(2, 2);
    cluster.Run([&](Postoffice& node) { ObviousProgram(node, &exact); });
  }
  EXPECT_EQ(exact.load(), 400);
}

TEST(RegressB10c, StartAndFinalizeOfOneTwoThree) {
  Watchdog watchdog(seconds(30));
  int64_t best_us = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 10; ++i) {
    const auto began = std::chrono::steady_clock::now();
    LocalCluster cluster(2, 3);
    ASSERT_TRUE(cluster.Start().ok());
    ASSERT_TRUE(cluster.Finalize().ok());
    const auto took = std::chrono::steady_clock::now() - began;
    best_us = std::min<int64_t>(best_us, std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  }
  std::printf("LocalCluster 1+2+3: Start and Finalize in %.1f ms, best of 10 (figure: 50)\n",
              static_cast<double>(best_us) / 1000);
  EXPECT_LE(static_cast<double>(best_us), 1e6 * TestTimeScale());
}

}  // namespace
}  // namespace ps
