#include "postoffice/router.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/thread.h"
#include "tests/support/fake_mailbox.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int64_t kNever = CondVar::kNever;

class RouterTest : public testing::Test {
 protected:
  void Reset(bool is_worker) { router_.Reset(Router::Bounds{4, 1000, 100}, is_worker); }
  Router::Fate Route(Message message, int64_t now_ms = 0) { return router_.Route(&message, now_ms); }

  Watchdog watchdog_;
  Router router_;
  FakeMailbox zero_{0, 0};
  FakeMailbox one_{0, 1};
  FakeMailbox of_app_5_{5, 5};
};

TEST_F(RouterTest, AnAppAndCustomerIsTakenOnce) {
  FakeMailbox twin(0, 0);
  EXPECT_TRUE(router_.Add(&zero_));
  EXPECT_FALSE(router_.Add(&twin));
  router_.Remove(&twin);
  EXPECT_EQ(router_.Find(0, 0, Deadline::After(-1)), &zero_);
  router_.Remove(&zero_);
  EXPECT_TRUE(router_.Add(&twin));
}

TEST_F(RouterTest, AResponseGoesToWhoAskedOrNowhere) {
  router_.Add(&zero_);
  router_.Add(&one_);
  Message response = RequestTo(8, 0, 1, 3);
  response.meta.request = false;
  EXPECT_EQ(Route(response), Router::Fate::kDelivered);
  EXPECT_EQ(one_.Timestamps(), (std::vector<int>{3}));
  response.meta.customer_id = 2;
  EXPECT_EQ(Route(response), Router::Fate::kDropped);
  EXPECT_TRUE(zero_.messages().empty());
}

TEST_F(RouterTest, WhatGoesTheSameWayIsDeliveredTogether) {
  router_.Add(&zero_);
  router_.Add(&one_);
  std::vector<Message> messages;
  for (const int customer : {0, 0, 1, 0, 2}) {
    messages.push_back(RequestTo(8, 0, customer, static_cast<int>(messages.size())));
    messages.back().meta.request = false;
  }
  messages[1].meta.request = true;
  EXPECT_EQ(router_.Deliver(&messages[0], 5), 1u) << "the next one is no answer";
  messages[1].meta.request = false;
  EXPECT_EQ(router_.Deliver(&messages[1], 1), 1u);
  EXPECT_EQ(router_.Deliver(&messages[2], 3), 1u);
  EXPECT_EQ(router_.Deliver(&messages[3], 2), 1u);
  EXPECT_EQ(router_.Deliver(&messages[4], 1), 0u) << "nobody is there";
  EXPECT_EQ(zero_.Timestamps(), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(one_.Timestamps(), (std::vector<int>{2}));
  std::vector<BareAnswer> answers(4);
  for (BareAnswer& answer : answers) answer.app_id = answer.customer_id = 0;
  answers[0].timestamp = 10;
  answers[1].timestamp = 11;
  answers[2].customer_id = 1;
  answers[3].customer_id = 2;
  EXPECT_EQ(router_.Deliver(&answers[0], 4), 2u);
  EXPECT_EQ(router_.Deliver(&answers[3], 1), 0u);
  EXPECT_EQ(zero_.Timestamps(), (std::vector<int>{0, 1, 3, 10, 11}));
}

TEST_F(RouterTest, ARequestToAWorkerGoesToTheSendersCustomerId) {
  Reset(true);
  router_.Add(&zero_);
  router_.Add(&one_);
  Route(RequestTo(9, 0, 1, 1));
  EXPECT_EQ(one_.Timestamps(), (std::vector<int>{1}));
  EXPECT_EQ(Route(RequestTo(9, 0, 7, 2)), Router::Fate::kParked) << "two could be meant";
  router_.Add(&of_app_5_);
  Route(RequestTo(9, 5, 7, 3));
  EXPECT_EQ(of_app_5_.Timestamps(), (std::vector<int>{3})) << "the only one of its app";
}

TEST_F(RouterTest, ARequestToAServerGoesToTheCustomerNamedLikeItsApp) {
  Reset(false);
  router_.Add(&zero_);
  router_.Add(&one_);
  Route(RequestTo(8, 0, 1, 1));
  EXPECT_EQ(zero_.Timestamps(), (std::vector<int>{1}));
  router_.Remove(&zero_);
  Route(RequestTo(8, 0, 9, 2));
  EXPECT_EQ(one_.Timestamps(), (std::vector<int>{2}));
}

TEST_F(RouterTest, WhatComesEarlyWaitsInOrderAndWithItsRoomReturned) {
  Reset(false);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Route(RequestTo(8, 0, 0, i)), Router::Fate::kParked);
  Route(RequestTo(8, 5, 0, 9));
  router_.Add(&zero_);
  Route(RequestTo(8, 0, 0, 3));
  EXPECT_EQ(zero_.Timestamps(), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(zero_.messages()[0].meta.room_returned);
  EXPECT_FALSE(zero_.messages()[3].meta.room_returned);
  router_.Add(&of_app_5_);
  EXPECT_EQ(of_app_5_.Timestamps(), (std::vector<int>{9}));
}

TEST_F(RouterTest, ParkingIsBoundedInNumber) {
  Reset(false);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Route(RequestTo(8, 0, 0, i)), Router::Fate::kParked);
  EXPECT_EQ(Route(RequestTo(8, 0, 0, 4)), Router::Fate::kNoRoom);
  router_.Add(&zero_);
  router_.Remove(&zero_);
  EXPECT_EQ(Route(RequestTo(8, 0, 0, 5)), Router::Fate::kParked) << "the room is free again";
}

TEST_F(RouterTest, ParkingIsBoundedInBytes) {
  Reset(false);
  Message large = RequestTo(8, 0, 0, 1);
  large.AddData(SArray<char>(600));
  EXPECT_EQ(Route(large), Router::Fate::kParked);
  EXPECT_EQ(Route(large), Router::Fate::kNoRoom);
  int64_t next_ms = kNever;
  EXPECT_EQ(router_.Expire(100, &next_ms).size(), 1u);
  EXPECT_EQ(Route(large), Router::Fate::kParked);
}

TEST_F(RouterTest, ParkedRequestsExpireOneByOne) {
  Reset(false);
  Route(RequestTo(8, 0, 0, 1), 0);
  Route(RequestTo(8, 0, 0, 2), 50);
  int64_t next_ms = kNever;
  EXPECT_TRUE(router_.Expire(99, &next_ms).empty());
  EXPECT_EQ(next_ms, 100);
  next_ms = kNever;
  const std::vector<Message> expired = router_.Expire(100, &next_ms);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].meta.timestamp, 1);
  EXPECT_EQ(next_ms, 150);
  router_.Add(&zero_);
  EXPECT_EQ(zero_.Timestamps(), (std::vector<int>{2}));
}

TEST_F(RouterTest, WithoutATimeoutNothingExpires) {
  router_.Reset(Router::Bounds{4, 1000, 0}, false);
  Route(RequestTo(8, 0, 0, 1));
  int64_t next_ms = kNever;
  EXPECT_TRUE(router_.Expire(1LL << 60, &next_ms).empty());
  EXPECT_EQ(next_ms, kNever);
}

TEST_F(RouterTest, WhatIsParkedKeepsNoBorrowedMemory) {
  const SArray<char> lent(8, 'x');
  Message request = RequestTo(8, 0, 0, 1);
  request.AddData(lent);
  request.meta.borrowed = true;
  const auto users = lent.ptr().use_count();
  EXPECT_EQ(router_.Route(&request, 0), Router::Fate::kParked);
  request = Message();
  EXPECT_LT(lent.ptr().use_count(), users);
  router_.Add(&zero_);
  const std::vector<Message> delivered = zero_.messages();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_FALSE(delivered[0].meta.borrowed);
  ASSERT_EQ(delivered[0].data.size(), 1u);
  EXPECT_NE(delivered[0].data[0].data(), lent.data());
  EXPECT_EQ(delivered[0].data[0][7], 'x');
}

TEST_F(RouterTest, ResetDropsWhatIsParked) {
  Reset(false);
  Route(RequestTo(8, 0, 0, 1));
  Reset(false);
  router_.Add(&zero_);
  EXPECT_TRUE(zero_.messages().empty());
}

TEST_F(RouterTest, FindWaitsForAMailboxUntilItsDeadline) {
  EXPECT_EQ(router_.Find(0, 0, Deadline::After(5)), nullptr);
  Mailbox* found = nullptr;
  {
    Thread finder("finder", [&] { found = router_.Find(0, 0, Deadline::Never()); });
    router_.Add(&zero_);
  }
  EXPECT_EQ(found, &zero_);
}

TEST_F(RouterTest, VisitsAllOrTheOneNamed) {
  router_.Add(&zero_);
  router_.Add(&one_);
  std::vector<Mailbox*> visited;
  const auto note = [&](Mailbox* mailbox) { visited.push_back(mailbox); };
  router_.ForEach(note);
  router_.Visit(0, 1, note);
  router_.Visit(0, 2, note);
  EXPECT_EQ(visited, (std::vector<Mailbox*>{&zero_, &one_, &one_}));
}

TEST_F(RouterTest, RemoveWaitsForWhoIsInWaitIdle) {
  std::atomic<bool> inside{false};
  std::atomic<bool> go_on{false};
  std::atomic<bool> left{false};
  zero_.on_wait_idle = [&] {
    inside = true;
    while (!go_on) std::this_thread::yield();
    left = true;
  };
  router_.Add(&zero_);
  Thread waiter("waiter", [&] { router_.WaitIdle(); });
  while (!inside) std::this_thread::yield();
  EXPECT_EQ(Route(RequestTo(9, 0, 0, 1)), Router::Fate::kDelivered) << "nobody is held up";
  Thread remover("remover", [&] {
    router_.Remove(&zero_);
    EXPECT_TRUE(left.load());
  });
  go_on = true;
}

// Who comes late to the workers' common operations has to hear of those that have failed.
TEST_F(RouterTest, WhatIsParkedForCollectivesHasNoDeadline) {
  Reset(true);
  EXPECT_EQ(Route(RequestTo(9, kCollectiveApp, kCollectiveApp, 1)), Router::Fate::kParked);
  EXPECT_EQ(Route(RequestTo(9, 5, 5, 2)), Router::Fate::kParked);
  int64_t next_ms = kNever;
  EXPECT_TRUE(router_.Expire(99, &next_ms).empty());
  EXPECT_EQ(next_ms, 100);
  next_ms = kNever;
  const std::vector<Message> expired = router_.Expire(1000000, &next_ms);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].meta.app_id, 5);
  EXPECT_EQ(next_ms, kNever);
  FakeMailbox collectives(kCollectiveApp, kCollectiveApp);
  EXPECT_TRUE(router_.Add(&collectives));
  EXPECT_EQ(collectives.Timestamps(), (std::vector<int>{1}));
}

}  // namespace
}  // namespace ps
