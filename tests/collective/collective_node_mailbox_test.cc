#include "collective/collective_node.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/collective.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

Status StatusOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

class CollectiveNodeMailboxTest : public testing::Test {
 protected:
  Watchdog watchdog_;
};

// What failed before it came is told then, however long after.
TEST_F(CollectiveNodeMailboxTest, WhoComesLateHearsOfWhatHasFailedAndIsInStep) {
  LocalClusterOptions options;
  options.servers = 0;
  options.workers = 3;
  options.config.barrier_timeout_ms = 400;
  options.config.request_timeout_ms = 250;
  LocalCluster cluster(options);
  ThrowIfError(cluster.Start());
  std::vector<Status> outcomes(3);
  const auto barrier = [&](const std::vector<int>& ranks) {
    std::vector<std::thread> threads;
    for (const int rank : ranks)
      threads.emplace_back([&, rank] {
        outcomes[static_cast<std::size_t>(rank)] =
            StatusOf([&] { Collective::Of(&cluster.worker(rank))->Barrier(); });
      });
    for (std::thread& thread : threads) thread.join();
  };
  const auto expect_late = [&] {
    for (const Status& status : outcomes) {
      EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
      EXPECT_NE(status.message().find("worker 2 (id 13"), std::string::npos) << status;
      EXPECT_NE(status.message().find("(PS_BARRIER_TIMEOUT)"), std::string::npos) << status;
    }
  };
  barrier({0, 1});
  barrier({0, 1});
  barrier({2});
  expect_late();
  barrier({2});
  expect_late();
  barrier({0, 1, 2});
  for (const Status& status : outcomes) EXPECT_TRUE(status.ok()) << status;
  cluster.Close();
}

TEST_F(CollectiveNodeMailboxTest, NobodyWaitsAtTheEndForWhatWasLetGo) {
  LocalCluster cluster(0, 2);
  cluster.RunProgram([](Postoffice& node) {
    node.Start(0, nullptr, true);
    if (node.is_worker()) {
      const std::shared_ptr<Collective> all = Collective::Of(&node);
      std::vector<float> values(2, 1);
      TensorView view;
      view.data = values.data();
      view.shape = {2};
      all->AllreduceAsync(view, ReduceOp::kSum, "b").Wait();
      if (node.my_rank() == 0) all->AllreduceAsync(view, ReduceOp::kSum, "a/1");
      all->LetGo("a/");
      node.Finalize(0, true);  // the other worker never calls it
      return;
    }
    node.Finalize(0, true);
  });
}

}  // namespace
}  // namespace ps
