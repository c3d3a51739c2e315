#include "app/live_requests.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <vector>

namespace ps {
namespace {

std::vector<int> Open(LiveRequests* live) {
  std::vector<int> open;
  for (const LiveRequest* each = live->first_open(); each != nullptr; each = live->NextOpen(each))
    open.push_back(each->timestamp);
  return open;
}

void Remove(LiveRequests* live, int timestamp) {
  live->TakeFromOpen(live->Find(timestamp));
  live->Erase(live->Find(timestamp));
}

TEST(LiveRequestsTest, FindsWhatIsThereAndNothingElse) {
  LiveRequests live;
  EXPECT_EQ(live.Find(0), nullptr);
  EXPECT_EQ(live.first_open(), nullptr);
  live.Insert(5)->wanted = 50;
  live.Insert(std::numeric_limits<int>::max())->wanted = 60;
  live.Insert(0)->wanted = 70;
  EXPECT_EQ(live.Find(5)->wanted, 50);
  EXPECT_EQ(live.Find(std::numeric_limits<int>::max())->wanted, 60);
  EXPECT_EQ(live.Find(0)->wanted, 70);
  EXPECT_EQ(live.Find(6), nullptr);
  EXPECT_EQ(live.Find(-1), nullptr);
  EXPECT_EQ(live.size(), 3u);
}

TEST(LiveRequestsTest, OpenOnesAreInOrderOfIssueWhicheverGoes) {
  LiveRequests live;
  for (int timestamp : {3, 4, 5, 6, 7}) live.Insert(timestamp);
  live.TakeFromOpen(live.Find(5));
  EXPECT_EQ(Open(&live), (std::vector<int>{3, 4, 6, 7}));
  live.TakeFromOpen(live.Find(3));
  live.TakeFromOpen(live.Find(7));
  live.Insert(8);
  EXPECT_EQ(Open(&live), (std::vector<int>{4, 6, 8}));
  EXPECT_NE(live.Find(5), nullptr) << "it is not open and still there";
}

TEST(LiveRequestsTest, ASlotThatIsUsedAgainKnowsNothingOfItsLastRequest) {
  LiveRequests live;
  LiveRequest* const request = live.Insert(1);
  request->waiting = {8, 10, 12, 14, 16};
  request->failure = Status::Unavailable("gone");
  request->num_answers = 3;
  request->num_claims = 1;
  request->done = true;
  Remove(&live, 1);
  const LiveRequest* const again = live.Insert(2);
  EXPECT_TRUE(again->waiting.empty());
  EXPECT_TRUE(again->failure.ok());
  EXPECT_EQ(again->sink, nullptr);
  EXPECT_EQ(again->num_answers, 0);
  EXPECT_EQ(again->num_claims, 0);
  EXPECT_FALSE(again->done);
}

TEST(LiveRequestsTest, GrowsAndIsEmptyAgain) {
  constexpr int kMany = 20000;
  LiveRequests live;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kMany; ++i) live.Insert(i)->wanted = i;
    for (int i = 0; i < kMany; ++i) ASSERT_EQ(live.Find(i)->wanted, i);
    ASSERT_EQ(Open(&live).size(), static_cast<std::size_t>(kMany));
    for (int i = 0; i < kMany; ++i) Remove(&live, round == 0 ? i : kMany - 1 - i);
    ASSERT_EQ(live.size(), 0u);
    ASSERT_EQ(live.first_open(), nullptr);
  }
}

// Those that stay for long, at a regular distance, while very many others pass.
TEST(LiveRequestsTest, OldOnesAreFoundAmongThoseThatPass) {
  LiveRequests live;
  std::vector<int> old;
  for (int timestamp = 0; timestamp < 300000; ++timestamp) {
    live.Insert(timestamp)->wanted = timestamp;
    if (timestamp % 1024 == 0) {
      old.push_back(timestamp);
    } else {
      Remove(&live, timestamp);
    }
  }
  EXPECT_EQ(Open(&live), old);
  for (int timestamp : old) ASSERT_EQ(live.Find(timestamp)->wanted, timestamp);
}

TEST(LiveRequestsTest, AgreesWithAMapUnderRandomEvents) {
  std::mt19937 random(7);
  LiveRequests live;
  std::map<int, int> model;  // what was written there
  for (int step = 0; step < 100000; ++step) {
    // Few enough for many to meet, large enough for several growths.
    const int timestamp = static_cast<int>(random() % 700) * 64 * (step / 50000 + 1);
    const auto known = model.find(timestamp);
    ASSERT_EQ(live.Find(timestamp) != nullptr, known != model.end());
    if (known == model.end()) {
      live.Insert(timestamp)->wanted = step;
      model[timestamp] = step;
    } else {
      ASSERT_EQ(live.Find(timestamp)->wanted, known->second);
      Remove(&live, timestamp);
      model.erase(known);
    }
    ASSERT_EQ(live.size(), model.size());
  }
  EXPECT_EQ(Open(&live).size(), model.size());
}

}  // namespace
}  // namespace ps
