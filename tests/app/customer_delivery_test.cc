#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "app/customer_core.h"
#include "ps/kv_app.h"
#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int kServer = 8;

// Messages are put into a Customer as a receiving thread does it.
class CustomerDeliveryTest : public testing::Test {
 protected:
  CustomerDeliveryTest() : cluster_(1, 1) { ThrowIfError(cluster_.Start()); }

  void Make(const Customer::RecvHandle& handle) {
    customer_ = std::make_unique<Customer>(0, 0, handle, &cluster_.worker(0));
  }
  static Message Request(int timestamp, bool simple_app = false) {
    Message message;
    message.meta.app_id = message.meta.customer_id = 0;
    message.meta.sender = kServer;
    message.meta.request = true;
    message.meta.simple_app = simple_app;
    message.meta.timestamp = timestamp;
    return message;
  }
  // A request whose answers no user code sees.
  int IssueDirect() {
    RequestTracker::Request request;
    request.receivers.Add(kServer);
    request.direct = true;
    return customer_->core().Issue(std::move(request));
  }
  static BareAnswer AnswerTo(int timestamp) {
    BareAnswer answer;
    answer.app_id = answer.customer_id = 0;
    answer.sender = kServer;
    answer.timestamp = timestamp;
    return answer;
  }
  Mailbox& mailbox() { return *customer_; }

  Watchdog watchdog_;
  LocalCluster cluster_;
  std::unique_ptr<Customer> customer_;
};

TEST_F(CustomerDeliveryTest, InlineHandlesOfABatchRunInOrderUpToWhatIsNotForThem) {
  std::vector<int> seen;
  std::vector<bool> is_here;
  std::promise<void> last;
  const std::thread::id here = std::this_thread::get_id();
  Make([&](const Message& message) {
    seen.push_back(message.meta.timestamp);
    is_here.push_back(std::this_thread::get_id() == here);
    if (message.meta.timestamp == 4) last.set_value();
  });
  customer_->core().set_inline(true);
  std::vector<Message> batch = {Request(0), Request(1), Request(2, true), Request(3), Request(4)};
  mailbox().DeliverAll(batch.data(), batch.size());
  last.get_future().get();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(is_here, (std::vector<bool>{true, true, false, false, false}))
      << "a command, and what is behind it";
}

TEST_F(CustomerDeliveryTest, AnInlineHandleThatThrowsDoesNotKeepTheNextFromRunning) {
  std::vector<int> seen;
  Make([&](const Message& message) {
    seen.push_back(message.meta.timestamp);
    if (message.meta.timestamp == 0) throw Error(Status::Internal("no"));
  });
  customer_->core().set_inline(true);
  std::vector<Message> batch = {Request(0), Request(1)};
  mailbox().DeliverAll(batch.data(), batch.size());
  EXPECT_EQ(seen, (std::vector<int>{0, 1}));
}

TEST_F(CustomerDeliveryTest, BareAnswersAreCountedAndTheOthersGoTheirWay) {
  std::promise<int> seen;
  Make([&](const Message& message) { seen.set_value(message.meta.timestamp); });
  const int first = IssueDirect();
  const int with_handle = customer_->NewRequest(kServer);
  const int last = IssueDirect();
  const std::vector<BareAnswer> answers = {AnswerTo(first), AnswerTo(with_handle), AnswerTo(last),
                                           AnswerTo(last)};
  mailbox().DeliverAnswers(answers.data(), answers.size());
  for (const int timestamp : {first, last}) EXPECT_EQ(customer_->NumResponse(timestamp), 1) << timestamp;
  EXPECT_EQ(seen.get_future().get(), with_handle);
  for (const int timestamp : {first, with_handle, last}) customer_->WaitRequest(timestamp);
}

}  // namespace
}  // namespace ps
