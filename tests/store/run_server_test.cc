// RunServer serves as its node's role says.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "ps/kvstore.h"
#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "tests/support/kv_values.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(RunServerTest, ServesUntilTheJobEndsAndHandsCommandsToTheController) {
  const Watchdog watchdog;
  std::atomic<int> sum{0};
  std::atomic<int> num_served{0};
  LocalCluster cluster(2, 2);
  cluster.RunProgram([&](Postoffice& node) {
    if (!node.is_worker()) {
      RunServer([&sum](int head, const std::string& body) {
        if (head == 0) throw std::runtime_error("can not " + body);
        sum += head * static_cast<int>(body.size());
      });
      ++num_served;
      return;
    }
    const std::unique_ptr<KVStore> store = KVStore::Create("dist_sync");
    store->Init(1, {FloatsOf({1})});
    store->SendCommandToServers(7, "abc");
    ExpectError([&] { store->SendCommandToServers(0, "fly"); }, "can not fly");
    const Tensor out = FloatsOf({0});
    store->PushPull(1, {FloatsOf({3})}, {out}).Wait();
    EXPECT_EQ(ReadFloats(out), std::vector<float>{6});
  });
  EXPECT_EQ(sum, 2 * 2 * 21) << "two workers, two servers";
  EXPECT_EQ(num_served, 3) << "with the scheduler";
}

TEST(RunServerTest, WithoutAControllerCommandsAreUnknown) {
  const Watchdog watchdog;
  LocalCluster cluster(2, 1);
  cluster.RunProgram([](Postoffice& node) {
    if (!node.is_worker()) return RunServer(nullptr, &node);
    const std::unique_ptr<KVStore> store = KVStore::Create("dist_sync");
    ExpectError([&] { store->SendCommandToServers(77, "x"); }, "unknown command (77, x)");
  });
}

TEST(RunServerTest, IsNotForWorkers) {
  const Watchdog watchdog;
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  try {
    RunServer(nullptr, &cluster.worker(0));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(std::string(error.what()).find("DMLC_ROLE is worker"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ps
