#include "van/open_requests.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/route_pair.h"

namespace ps {
namespace {

Outgoing IssuedAt(int timestamp, int64_t queued_ms) {
  Outgoing request = RequestOf(timestamp);
  request.queued_ms = queued_ms;
  return request;
}

std::vector<int> Timestamps(const std::vector<Outgoing>& requests) {
  std::vector<int> timestamps;
  for (const Outgoing& request : requests) timestamps.push_back(request.header.timestamp);
  return timestamps;
}

TEST(OpenRequestsTest, ComeOutInOrderOfIssueWithoutThoseAnswered) {
  OpenRequests open;
  for (int timestamp : {5, 3, 4, 1}) open.Keep(RequestOf(timestamp));
  open.Answered(ResponseOf(3).header);
  open.Answered(ResponseOf(77).header);
  EXPECT_EQ(open.size(), 3u);
  EXPECT_EQ(Timestamps(open.TakeAll()), (std::vector<int>{5, 4, 1}));
  EXPECT_TRUE(open.empty());
  EXPECT_TRUE(open.TakeAll().empty());
}

TEST(OpenRequestsTest, AnAnswerEndsTheOldestOfEqualNames) {
  OpenRequests open;
  open.Keep(IssuedAt(1, 10));
  open.Keep(IssuedAt(2, 20));
  open.Keep(IssuedAt(1, 30));
  open.Answered(ResponseOf(1).header);
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open.oldest_ms(), 20);
  open.Answered(ResponseOf(1).header);
  EXPECT_EQ(Timestamps(open.TakeAll()), (std::vector<int>{2}));
}

TEST(OpenRequestsTest, ForgetsOneOrAllOfACustomer) {
  OpenRequests open;
  for (int timestamp = 0; timestamp < 4; ++timestamp) open.Keep(RequestOf(timestamp));
  Outgoing other = RequestOf(1);
  other.header.customer_id = 5;
  open.Keep(other);
  open.Forget(3, 4, 1);
  EXPECT_EQ(open.size(), 4u);
  open.Forget(3, 4);
  const std::vector<Outgoing> left = open.TakeAll();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].header.customer_id, 5);
}

TEST(OpenRequestsTest, TakesOutWhatIsOlder) {
  OpenRequests open;
  for (int timestamp = 0; timestamp < 5; ++timestamp) open.Keep(IssuedAt(timestamp, 10 * timestamp));
  EXPECT_EQ(Timestamps(open.TakeIssuedBefore(20)), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(open.oldest_ms(), 30);
  open.Answered(ResponseOf(3).header);
  EXPECT_EQ(open.oldest_ms(), 40);
}

TEST(OpenRequestsTest, HoldsTheMemoryOnlyAsLongAsTheRequest) {
  OpenRequests open;
  LentMemory lent(100);
  open.Keep(DataOf(true, 1, lent.bytes));
  lent.bytes = SArray<char>();
  EXPECT_TRUE(*lent.alive);
  open.Forget(3, 4, 1);
  EXPECT_FALSE(*lent.alive);
}

}  // namespace
}  // namespace ps
