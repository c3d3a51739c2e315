// Defects of the original around the life of a request: runtime specification B3 and B4.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/ps.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using Server = KVServer<float>;

class AppRegressRequests : public testing::Test {
 protected:
  AppRegressRequests() : cluster_(1, 1) {
    ThrowIfError(cluster_.Start());
    server_ = std::make_unique<Server>(&cluster_.server(0), 0);
    server_->set_request_handle(KVServerDefaultHandle<float>());
    worker_ = std::make_unique<KVWorker<float>>(&cluster_.worker(0), 0, 0);
  }
  template <typename Val>
  Status Outcome(KVWorker<Val>* worker, int ts) {
    return worker->WaitFor(ts, milliseconds(10000));
  }

  Watchdog watchdog_;
  LocalCluster cluster_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<KVWorker<float>> worker_;
};

using RegressB21 = AppRegressRequests;
TEST_F(RegressB21, WaitInsideACallbackIsRefused) {
  std::atomic<int> refused{0};
  const int first = worker_->Push({1}, {1});
  worker_->Wait(worker_->Push({1}, {1}, {}, 0, [&] {
    const int nested = worker_->Push({1}, {1});
    for (int ts : {first, nested})
      refused += worker_->WaitFor(ts, milliseconds(10000)).code() == StatusCode::kFailedPrecondition;
    try {
      worker_->Wait(nested);
    } catch (const Error& error) {
      refused += error.code() == StatusCode::kFailedPrecondition;
    }
  }));
  EXPECT_EQ(refused, 3);
}

using RegressB27 = AppRegressRequests;
TEST_F(RegressB27, ElementTypesMustAgree) {
  KVWorker<double> doubles(&cluster_.worker(0), 0, 1);
  KVWorker<char> chars(&cluster_.worker(0), 0, 2);
  const Status refused = Outcome(&doubles, doubles.Push({1}, {1.0}));
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("FLOAT"), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("DOUBLE"), std::string::npos) << refused;
  std::vector<double> vals;
  EXPECT_EQ(Outcome(&doubles, doubles.Pull({1}, &vals)).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Outcome(&chars, chars.Push({1}, std::vector<char>(4))).ok());
  EXPECT_EQ(Outcome(&chars, chars.Push({1}, std::vector<char>(3))).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Outcome(worker_.get(), worker_->Push({1}, {1})).ok());
}

using RegressB47 = AppRegressRequests;
TEST_F(RegressB47, AResponseAfterTheEndIsIgnored) {
  std::promise<KVMeta> kept;
  server_->set_request_handle(
      [&](const KVMeta& req, const KVPairs<float>&, Server*) { kept.set_value(req); });
  worker_->Push({1}, {1});
  const KVMeta req = kept.get_future().get();
  worker_.reset();
  cluster_.Close();
  server_->Response(req);
  server_->Fail(req, Status::NotFound("late"));
}

TEST_F(RegressB47, NoHandleRunsAfterClose) {
  std::atomic<bool> closed{false};
  std::atomic<int> late{0};
  server_->set_request_handle([&](const KVMeta& req, const KVPairs<float>&, Server* server) {
    late += closed;
    server->Response(req);
  });
  for (int i = 0; i < 200; ++i) worker_->Push({1}, {1});
  cluster_.server(0).Close();
  closed = true;
  worker_.reset();
  EXPECT_EQ(late, 0);
}

using RegressB50 = AppRegressRequests;
TEST_F(RegressB50, FinishedRequestsCostNoMemory) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers keep memory of their own";
#endif
  const auto some_requests = [&](int num) {
    for (int i = 0; i < num; ++i) worker_->Push({1}, {1});
    worker_->Wait(worker_->Push({1}, {1}));
  };
  const auto resident_pages = [] {
    std::ifstream statm("/proc/self/statm");
    long size = 0;
    long resident = 0;
    statm >> size >> resident;
    return resident;
  };
  some_requests(3000);
  const long before = resident_pages();
  some_requests(10000);
  EXPECT_LT(resident_pages() - before, 1024) << "pages of 4 KiB";
  // Waiting for one that was done long ago returns at once.
  worker_->Wait(0);
  worker_->Wait(0);
}

using RegressB51 = AppRegressRequests;
TEST_F(RegressB51, AnExceptionInAHandleFailsTheRequestAndTheServerLives) {
  int requests = 0;
  server_->set_request_handle([&requests](const KVMeta& req, const KVPairs<float>&, Server* server) {
    ++requests;
    if (requests == 1) throw std::runtime_error("out of paper");
    if (requests == 2) throw 42;
    if (requests == 3) CHECK_EQ(1, 2) << "arithmetic";
    server->Response(req);
  });
  const Status first = Outcome(worker_.get(), worker_->Push({1}, {1}));
  EXPECT_NE(first.message().find("out of paper"), std::string::npos) << first;
  EXPECT_FALSE(Outcome(worker_.get(), worker_->Push({1}, {1})).ok());
  const Status third = Outcome(worker_.get(), worker_->Push({1}, {1}));
  EXPECT_NE(third.message().find("arithmetic"), std::string::npos) << third;
  EXPECT_TRUE(Outcome(worker_.get(), worker_->Push({1}, {1})).ok());
}

TEST_F(RegressB51, AnExceptionInACallbackEndsNothing) {
  worker_->Wait(worker_->Push({1}, {1}, {}, 0, [] { throw std::runtime_error("oops"); }));
  worker_->Wait(worker_->Push({1}, {1}));
}

TEST(RegressB93, EveryStartedIdIsReachedByAGroup) {
  Watchdog watchdog;
  LocalClusterOptions options;
  options.workers = 1;
  options.ids_per_worker = 2;
  LocalCluster cluster(options);
  std::atomic<int> handled{0};
  const auto body = [&handled](int customer_id) {
    Start(customer_id);
    {
      SimpleApp app(0, customer_id);
      app.set_request_handle([&handled](const SimpleData& req, SimpleApp* answering) {
        ++handled;
        answering->Response(req);
      });
      Postoffice::Get()->Barrier(customer_id, kScheduler + kServerGroup + kWorkerGroup);
      if (IsScheduler()) app.Wait(app.Request(1, "", kWorkerGroup));
      Finalize(customer_id);
    }
  };
  cluster.RunProgram([&body](Postoffice& node) {
    if (!node.is_worker()) return body(0);
    std::thread second([&] {
      const ScopedPostoffice bound(&node);
      body(1);
    });
    body(0);
    second.join();
  });
  EXPECT_EQ(handled, 2);
}

}  // namespace
}  // namespace ps
