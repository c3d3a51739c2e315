#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/log_capture.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class CustomerThreadTest : public testing::Test {
 protected:
  CustomerThreadTest() : cluster_(2, 1) { ThrowIfError(cluster_.Start()); }

  Postoffice* worker_node() { return &cluster_.worker(0); }
  Postoffice* server_node(int rank) { return &cluster_.server(rank); }

  static Message Request(int head, int priority) {
    Message message;
    message.meta.app_id = 0;
    message.meta.customer_id = 0;
    message.meta.sender = 9;
    message.meta.request = true;
    message.meta.timestamp = 0;
    message.meta.head = head;
    message.meta.priority = priority;
    return message;
  }

  Watchdog watchdog_;
  LocalCluster cluster_;
};

TEST_F(CustomerThreadTest, TheNodeIsBoundToTheThreadOfTheHandle) {
  std::promise<Postoffice*> seen;
  Customer customer(
      0, 0, [&](const Message&) { seen.set_value(Postoffice::Get()); }, worker_node());
  customer.Accept(Request(0, 0));
  EXPECT_EQ(seen.get_future().get(), worker_node());
}

TEST_F(CustomerThreadTest, HigherPrioritiesOvertakeInTheQueue) {
  std::promise<void> go;
  std::promise<void> done;
  std::vector<int> order;
  Customer customer(
      0, 0,
      [&](const Message& message) {
        if (message.meta.head == 0) return go.get_future().wait();
        order.push_back(message.meta.head);
        if (order.size() == 4) done.set_value();
      },
      worker_node());
  const auto accept = [&](int head, int priority) { customer.Accept(Request(head, priority)); };
  accept(0, 0);
  accept(1, -1);
  accept(2, 0);
  accept(3, 5);
  accept(4, 5);
  go.set_value();
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{3, 4, 2, 1}));
}

// Answers that are queued behind a request whose handle takes its time, when the node or the customer ends.
class ExtraAnswerTest : public CustomerThreadTest {
 protected:
  ExtraAnswerTest()
      : customer_(std::make_unique<Customer>(
            0, 0,
            [this](const Message& message) {
              if (message.meta.request) go_.get_future().wait();
            },
            worker_node())) {}

  // An answer of server 0 to a request that it has answered before.
  static Message Answer(int timestamp) {
    Message answer;
    answer.meta.sender = 8;
    answer.meta.timestamp = timestamp;
    return answer;
  }

  void QueueTwice() {
    const int timestamp = customer_->NewRequest(8);
    customer_->Accept(Answer(timestamp));
    customer_->WaitRequest(timestamp);
    customer_->Accept(Request(0, 0));
    for (int i = 0; i < 2; ++i) customer_->Accept(Answer(timestamp));
  }
  void EndNode() { static_cast<Mailbox*>(customer_.get())->OnClose(Status::Unavailable("it ended")); }
  int NumReports() const { return log_.Count("answered twice?"); }

  LogCapture log_;
  std::promise<void> go_;
  std::unique_ptr<Customer> customer_;
};

TEST_F(ExtraAnswerTest, ANodeThatEndsTellsOfItOnce) {
  QueueTwice();
  EndNode();
  EXPECT_EQ(NumReports(), 1);
  go_.set_value();
}

TEST_F(ExtraAnswerTest, ACustomerThatClosesTellsOfItOnce) {
  QueueTwice();
  go_.set_value();
  customer_.reset();
  EXPECT_EQ(NumReports(), 1);
}

TEST_F(ExtraAnswerTest, WhatIsWaitedForIsNoneTooMany) {
  customer_->Accept(Request(0, 0));
  customer_->Accept(Answer(customer_->NewRequest(8)));
  EndNode();
  EXPECT_EQ(NumReports(), 0);
  go_.set_value();
}

// Keeps 100 requests at a time and answers them from 4 threads in random order.
class DeferringHandle {
 public:
  ~DeferringHandle() {
    for (std::thread& thread : answering_) thread.join();
  }

  void operator()(const KVMeta& req, const KVPairs<float>& data, KVServer<float>* server) {
    kept_.push_back(req);
    if (kept_.size() < 100) return;
    std::shuffle(kept_.begin(), kept_.end(), std::mt19937(static_cast<unsigned>(answering_.size())));
    const KVPairs<float> values{data.keys, SArray<float>(1, 2.0f), {}, 0};
    for (auto first = kept_.begin(); first != kept_.end(); first += 25) {
      const std::vector<KVMeta> mine(first, first + 25);
      answering_.emplace_back([server, mine, values] {
        for (const KVMeta& meta : mine) server->Response(meta, meta.pull ? values : KVPairs<float>());
      });
    }
    kept_.clear();
  }

 private:
  std::vector<KVMeta> kept_;
  std::vector<std::thread> answering_;
};

// case-19, short.
TEST_F(CustomerThreadTest, DeferredAndConcurrentRequestsAllComeBackOnce) {
  constexpr int kThreads = 4;
  constexpr int kRequests = 250;
  KVServer<float> direct(server_node(0), 0);
  direct.set_request_handle(KVServerDefaultHandle<float>());
  KVServer<float> deferring(server_node(1), 0);
  DeferringHandle defer;
  deferring.set_request_handle(std::ref(defer));

  KVWorker<float> worker(worker_node(), 0, 0);
  std::atomic<int> callbacks{0};
  std::atomic<int> failures{0};
  const auto again = [&] {
    if (!CallbackStatus().ok()) ++failures;
    ++callbacks;
    worker.Push({1}, {1}, {}, 0, [&] { ++callbacks; });
  };
  const auto issue_all = [&] {
    std::vector<std::vector<float>> vals(kRequests);
    for (int i = 0; i < kRequests; ++i) {
      if (i % 2 == 0) worker.Push({kMaxKey}, {1}, {}, 0, again);
      if (i % 2 == 1) worker.Pull({kMaxKey}, &vals[static_cast<std::size_t>(i)], nullptr, 0, again);
    }
    static_cast<Mailbox*>(worker.get_customer())->WaitIdle();
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(issue_all);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(callbacks, 2 * kThreads * kRequests);
  EXPECT_EQ(failures, 0);
  std::vector<float> sum;
  worker.Wait(worker.Pull({1}, &sum));
  EXPECT_EQ(sum, std::vector<float>{kThreads * kRequests});
}

}  // namespace
}  // namespace ps
