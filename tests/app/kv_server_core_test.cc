#include "app/kv_server_core.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/app/kv_app_fixture.h"

namespace ps {
namespace {

using std::chrono::milliseconds;
using KVServerCoreTest = KVAppFixture;

TEST_F(KVServerCoreTest, APushOfAnotherLengthFailsAtTheWorkerAndTheServerGoesOn) {
  StartDefaultServers(1);
  Push({5}, {1, 2, 3});
  const Status refused = worker_->WaitFor(worker_->Push({5}, {1, 2}), milliseconds(10000));
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("server 0"), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("key 5 has 3 values"), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("has 2"), std::string::npos) << refused;
  std::vector<float> vals;
  worker_->Wait(worker_->Pull({5}, &vals));
  EXPECT_EQ(vals, (std::vector<float>{1, 2, 3}));
}

TEST_F(KVServerCoreTest, CommandsAndDataHaveTheirOwnHandles) {
  StartDefaultServers(2);
  for (auto& server : servers_) {
    static_cast<SimpleApp*>(server.get())->set_request_handle([](const SimpleData& req, SimpleApp* app) {
      app->Response(req, req.body + "!");
    });
  }
  std::vector<std::string> answers;
  worker_->set_response_handle(
      [&answers](const SimpleData& res, SimpleApp*) { answers.push_back(res.body); });
  Push({1}, {1});
  worker_->Wait(worker_->Request(7, "go", kServerGroup));
  EXPECT_EQ(answers, (std::vector<std::string>{"go!", "go!"}));
}

TEST_F(KVServerCoreTest, TheHandleSeesCommandAndSender) {
  StartCluster(1);
  KVMeta seen;
  servers_[0]->set_request_handle(
      [&seen](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
        seen = req;
        server->Response(req, data);
      });
  const int ts = worker_->Push({1}, {1}, {}, -12345);
  worker_->Wait(ts);
  EXPECT_EQ(seen.cmd, -12345);
  EXPECT_TRUE(seen.push);
  EXPECT_FALSE(seen.pull);
  EXPECT_EQ(seen.sender, 9);
  EXPECT_EQ(seen.timestamp, ts);
}

TEST_F(KVServerCoreTest, ARequestPutAsideForTooLongFailsByName) {
  Config config;
  config.barrier_timeout_ms = 100;
  StartCluster(1, config);
  servers_[0]->set_request_handle([](const KVMeta&, const KVPairs<float>&, KVServer<float>*) {});
  const Status late = worker_->WaitFor(worker_->Push({1}, {1}), milliseconds(10000));
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(late.message().find("server 0 (id 8"), std::string::npos) << late;
  EXPECT_NE(late.message().find("PS_BARRIER_TIMEOUT"), std::string::npos) << late;
}

TEST_F(KVServerCoreTest, AServerCanFailARequest) {
  StartCluster(1);
  servers_[0]->set_request_handle([](const KVMeta& req, const KVPairs<float>&, KVServer<float>* server) {
    server->Fail(req, Status::NotFound("no such table"));
  });
  const Status failed = worker_->WaitFor(worker_->Push({1}, {1}), milliseconds(10000));
  EXPECT_EQ(failed.code(), StatusCode::kNotFound);
  EXPECT_NE(failed.message().find("no such table"), std::string::npos) << failed;
}

// s3
TEST_F(KVServerCoreTest, ArraysInHandlesAreAligned) {
  StartCluster(1);
  int misaligned = 0;
  const auto check = [&misaligned](const void* p, std::size_t alignment) {
    misaligned += reinterpret_cast<uintptr_t>(p) % alignment != 0;
  };
  servers_[0]->set_request_handle(
      [&](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
        check(data.keys.data(), alignof(Key));
        check(data.vals.data(), alignof(float));
        check(data.lens.data(), alignof(int));
        server->Response(req);
      });
  for (std::size_t n : {1, 2, 3, 7, 1000, 100000}) {
    std::vector<Key> keys(n);
    std::iota(keys.begin(), keys.end(), 0);
    Push(keys, std::vector<float>(n));
    Push(keys, std::vector<float>(n), std::vector<int>(n, 1));
  }
  EXPECT_EQ(misaligned, 0);
}

// F-19
TEST_F(KVServerCoreTest, ReceivedArraysBelongToTheHandle) {
  StartCluster(1);
  KVPairs<float> kept;
  servers_[0]->set_request_handle(
      [&kept](const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
        kept = data;
        for (float& val : kept.vals) val += 1;
        server->Response(req);
      });
  std::vector<float> memory = {1, 2};
  worker_->Wait(worker_->ZPush(SArray<Key>(std::vector<Key>{1, 2}), SArray<float>(memory.data(), 2)));
  EXPECT_EQ(memory, (std::vector<float>{1, 2}));
  memory = {8, 9};
  EXPECT_EQ(kept.vals[0], 2);
  EXPECT_EQ(kept.vals[1], 3);
}

TEST_F(KVServerCoreTest, AServerMayBeDestroyedByItsOwnHandle) {
  StartCluster(1);
  auto doomed = std::make_unique<KVServer<float>>(&cluster_->server(0), 5);
  std::promise<void> gone;
  doomed->set_request_handle(
      [&, kept = std::string("what is captured")](const KVMeta& req, const KVPairs<float>&, auto* server) {
        server->Response(req);
        doomed.reset();
        EXPECT_EQ(kept, "what is captured");
        gone.set_value();
      });
  KVWorker<float> worker(&cluster_->worker(0), 5, 0);
  worker.Wait(worker.Push({1}, {1}));
  gone.get_future().wait();
  KVServer<float> next(&cluster_->server(0), 5);  // the id is free again
}

TEST_F(KVServerCoreTest, AHandleMayReplaceItself) {
  StartCluster(1);
  KVServer<float> server(&cluster_->server(0), 5);
  auto captured = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = captured;
  server.set_request_handle(
      [captured = std::move(captured)](const KVMeta& req, const KVPairs<float>&, KVServer<float>* self) {
        self->set_request_handle([](const KVMeta& next, const KVPairs<float>&, KVServer<float>* same) {
          same->Fail(next, Status::NotFound("the second handle"));
        });
        EXPECT_EQ(*captured, 1) << "it lives while it runs";
        self->Response(req);
      });
  KVWorker<float> worker(&cluster_->worker(0), 5, 0);
  worker.Wait(worker.Push({1}, {1}));
  EXPECT_EQ(worker.WaitFor(worker.Push({1}, {1}), milliseconds(10000)).code(), StatusCode::kNotFound);
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace ps
