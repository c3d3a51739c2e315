// The programs of tests/compat, unchanged, as nodes of clusters inside this process: two clusters at once.
#include <gtest/gtest.h>

#include "base/thread.h"
#include "ps/local_cluster.h"
#include "ps/ps.h"
#include "tests/support/log_capture.h"
#include "tests/support/watchdog.h"

#define main ConnectionMain
#include "tests/compat/connection.cc"
#undef main
#define main SimpleAppMain
#include "tests/compat/simple_app.cc"
#undef main
#define main KVAppMain
#include "tests/compat/kv_app.cc"
#undef main
#define main KVAppBenchmarkMain
#include "tests/compat/kv_app_benchmark.cc"
#undef main
#define main ZeroCopyArraysMain
#include "tests/compat/zero_copy_arrays.cc"
#undef main
#define main SyncGradientMain
#include "tests/compat/sync_gradient.cc"
#undef main
#define main TwoAppsMain
#include "tests/compat/two_apps.cc"
#undef main
#define main TensorStoreMain
#include "tests/compat/tensor_store.cc"
#undef main
#define main KVAppMultiWorkersMain
#include "tests/compat/kv_app_multi_workers.cc"
#undef main

namespace {

struct Shape {
  int servers;
  int workers;
};

// Runs `program` on every node of two clusters at the same time.
void RunTwice(Shape shape, const std::function<int()>& program) {
  ps::Watchdog watchdog(std::chrono::seconds(40));
  const auto run = [&] {
    ps::LocalCluster cluster(shape.servers, shape.workers);
    EXPECT_NO_THROW(cluster.RunProgram([&](ps::Postoffice&) { EXPECT_EQ(program(), 0); }));
  };
  ps::Thread first("first", run);
  ps::Thread second("second", run);
}

class CompatInProcessTest : public testing::TestWithParam<Shape> {};

TEST_P(CompatInProcessTest, Connection) { RunTwice(GetParam(), ConnectionMain); }
TEST_P(CompatInProcessTest, SimpleApp) { RunTwice(GetParam(), SimpleAppMain); }
TEST_P(CompatInProcessTest, ZeroCopyArrays) { RunTwice(GetParam(), ZeroCopyArraysMain); }
TEST_P(CompatInProcessTest, SyncGradient) { RunTwice(GetParam(), SyncGradientMain); }
TEST_P(CompatInProcessTest, TwoApps) { RunTwice(GetParam(), TwoAppsMain); }
TEST_P(CompatInProcessTest, TensorStore) { RunTwice(GetParam(), TensorStoreMain); }

TEST_P(CompatInProcessTest, KeyValueApp) {
  ps::LogCapture log;
  RunTwice(GetParam(), KVAppMain);
  EXPECT_EQ(log.Count("error: 0, 0"), 2 * GetParam().workers);
}

TEST_P(CompatInProcessTest, Benchmark) {
  ps::LogCapture log;
  RunTwice(GetParam(), [] {
    char name[] = "kv_app_benchmark";
    char keys[] = "100000";
    char* argv[] = {name, keys, nullptr};
    return KVAppBenchmarkMain(2, argv);
  });
  EXPECT_EQ(log.Count("pull of 100000 keys"), 2 * GetParam().workers);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CompatInProcessTest,
                         testing::Values(Shape{1, 1}, Shape{2, 2}, Shape{1, 3}, Shape{4, 4}),
                         [](const auto& info) {
                           return std::to_string(info.param.servers) + "x" +
                                  std::to_string(info.param.workers);
                         });

TEST(CompatInProcess, SeveralWorkersOfOneProgram) {
  ps::Watchdog watchdog(std::chrono::seconds(40));
  ps::LogCapture log;
  ps::LocalClusterOptions options;
  options.servers = 2;
  options.workers = 1;
  options.ids_per_worker = 2;
  ps::LocalCluster cluster(options);
  cluster.RunProgram([](ps::Postoffice& node) {
    if (node.is_scheduler()) {
      ps::Start(0);
      ps::Finalize(0, true);
    } else if (node.is_server()) {
      kv_app_multi_workers::RunServer();
    } else {
      const auto run = [&node](int customer_id) {
        // Threads a program starts itself belong to the real process unless they are bound.
        const ps::ScopedPostoffice bound(&node);
        kv_app_multi_workers::RunWorker(customer_id);
      };
      ps::Thread first("worker-0", [&] { run(0); });
      ps::Thread second("worker-1", [&] { run(1); });
    }
  });
  EXPECT_EQ(log.Count("error: 0, 0"), 2);
}

}  // namespace
