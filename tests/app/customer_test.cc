#include "ps/customer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class CustomerTest : public testing::Test {
 protected:
  CustomerTest() : cluster_(2, 1) { ThrowIfError(cluster_.Start()); }

  Postoffice* worker_node() { return &cluster_.worker(0); }
  Postoffice* server_node(int rank) { return &cluster_.server(rank); }

  // Answers every request of app 0 at once.
  static std::unique_ptr<Customer> Echo(Postoffice* node) {
    return std::make_unique<Customer>(
        0, 0,
        [node](const Message& request) {
          Message answer;
          answer.meta = request.meta;
          answer.meta.request = false;
          answer.meta.recver = request.meta.sender;
          node->van()->Send(answer);
        },
        node);
  }

  Message Request(int timestamp, int receiver) {
    Message message;
    message.meta.app_id = 0;
    message.meta.customer_id = 0;
    message.meta.request = true;
    message.meta.timestamp = timestamp;
    message.meta.recver = receiver;
    return message;
  }

  Watchdog watchdog_;
  LocalCluster cluster_;
};

TEST_F(CustomerTest, HandBuiltMessagesToAGroupComplete) {
  const auto first = Echo(server_node(0));
  const auto second = Echo(server_node(1));
  std::atomic<int> answers{0};
  Customer customer(
      0, 0, [&](const Message&) { ++answers; }, worker_node());
  const int ts = customer.NewRequest(kServerGroup);
  for (int id : worker_node()->GetNodeIDs(kServerGroup)) worker_node()->van()->Send(Request(ts, id));
  customer.WaitRequest(ts);
  EXPECT_EQ(answers, 2);
  EXPECT_EQ(customer.NumResponse(ts), 2);
}

TEST_F(CustomerTest, CreditedAnswersNeedNotCome) {
  const auto echo = Echo(server_node(0));
  Customer customer(
      0, 0, [](const Message&) {}, worker_node());
  const int ts = customer.NewRequest(kServerGroup);
  customer.AddResponse(ts);
  worker_node()->van()->Send(Request(ts, 8));
  customer.WaitRequest(ts);
  EXPECT_EQ(customer.NumResponse(ts), 2);
}

TEST_F(CustomerTest, AcceptPutsAMessageIntoTheQueue) {
  std::promise<int> seen;
  Customer customer(
      0, 0, [&](const Message& message) { seen.set_value(message.meta.head); }, worker_node());
  Message message = Request(0, 9);
  message.meta.head = 77;
  customer.Accept(message);
  EXPECT_EQ(seen.get_future().get(), 77);
}

}  // namespace
}  // namespace ps
