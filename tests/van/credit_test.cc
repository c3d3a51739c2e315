#include "van/credit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ps {
namespace {

TEST(CreditTest, StopsAtTheNumberOfRequestsAndGoesOnWhenOneIsTaken) {
  CreditSender sender(2, 1000);
  sender.Issue(1);
  EXPECT_TRUE(sender.HasRoom(1));
  sender.Issue(1);
  EXPECT_FALSE(sender.HasRoom(1));
  EXPECT_TRUE(sender.Update(1, 1));
  EXPECT_TRUE(sender.HasRoom(1));
  EXPECT_EQ(sender.requests_open(), 1u);
}

TEST(CreditTest, StopsAtTheBytes) {
  CreditSender sender(100, 10);
  sender.Issue(6);
  EXPECT_TRUE(sender.HasRoom(4));
  EXPECT_FALSE(sender.HasRoom(5));
}

TEST(CreditTest, ARequestLargerThanTheBoundGoesAlone) {
  CreditSender sender(100, 10);
  EXPECT_TRUE(sender.HasRoom(~uint64_t{0}));
  sender.Issue(50);
  EXPECT_FALSE(sender.HasRoom(1));
  EXPECT_FALSE(sender.HasRoom(0));
  EXPECT_TRUE(sender.Update(1, 50));
  EXPECT_TRUE(sender.HasRoom(50));
}

TEST(CreditTest, ZeroRequestsMeansNoBoundOnTheirNumber) {
  CreditSender sender(0, 1 << 20);
  for (int i = 0; i < 5000; ++i) sender.Issue(1);
  EXPECT_TRUE(sender.HasRoom(1));
}

TEST(CreditTest, AWithdrawnRequestGivesItsRoomBack) {
  CreditSender sender(1, 10);
  sender.Issue(10);
  sender.Withdraw(10);
  EXPECT_TRUE(sender.HasRoom(10));
  EXPECT_EQ(sender.bytes_open(), 0u);
}

TEST(CreditTest, OldDoubledAndImpossibleTotalsAreIgnored) {
  CreditSender sender(10, 100);
  for (int i = 0; i < 4; ++i) sender.Issue(10);
  EXPECT_TRUE(sender.Update(3, 30));
  EXPECT_FALSE(sender.Update(3, 30));
  EXPECT_FALSE(sender.Update(2, 20));
  EXPECT_FALSE(sender.Update(5, 40));
  EXPECT_FALSE(sender.Update(4, 41));
  EXPECT_FALSE(sender.Update(~0u, 40));
  EXPECT_EQ(sender.requests_open(), 1u);
  EXPECT_EQ(sender.bytes_open(), 10u);
}

TEST(CreditTest, TheReceiverTellsAfterHalfAWindow) {
  CreditReceiver receiver(10, 100);
  for (int i = 0; i < 4; ++i) receiver.Taken(1);
  EXPECT_FALSE(receiver.UpdateDue());
  EXPECT_TRUE(receiver.UpdatePending());
  receiver.Taken(1);
  EXPECT_TRUE(receiver.UpdateDue());
  receiver.Told();
  EXPECT_FALSE(receiver.UpdateDue());
  EXPECT_FALSE(receiver.UpdatePending());
  receiver.Taken(50);
  EXPECT_TRUE(receiver.UpdateDue());
}

TEST(CreditTest, TotalsCountedElsewhereAreDueWhereItSays) {
  for (const uint32_t water_mark : {0u, 1u, 2u, 10u}) {
    CreditReceiver receiver(water_mark, 100);
    receiver.SetTaken(0xfffffff0u, 1000);  // the number of requests is about to begin anew
    receiver.Told();
    for (uint32_t more = 1; more < 40; ++more) {
      receiver.SetTaken(0xfffffff0u + more, 1000 + more);
      const bool by_requests = static_cast<int32_t>(receiver.requests() - receiver.due_at_requests()) >= 0;
      EXPECT_EQ(receiver.UpdateDue(), by_requests) << water_mark << " " << more;
    }
    receiver.SetTaken(0xfffffff1u, receiver.due_at_bytes() - 1);
    EXPECT_EQ(receiver.UpdateDue(), water_mark == 1 || water_mark == 2);
    receiver.SetTaken(0xfffffff1u, receiver.due_at_bytes());
    EXPECT_TRUE(receiver.UpdateDue());
  }
}

TEST(CreditTest, TheSmallestWindowsTellEveryTime) {
  CreditReceiver one(1, 1);
  EXPECT_FALSE(one.UpdateDue());
  one.Taken(0);
  EXPECT_TRUE(one.UpdateDue());
  CreditReceiver unbounded(0, 100);
  for (int i = 0; i < 1000; ++i) unbounded.Taken(0);
  EXPECT_FALSE(unbounded.UpdateDue());
}

// Frames that carry totals may be lost, doubled and late; in the end all room is back.
TEST(CreditTest, NoCreditIsLostWhenTotalsAre) {
  constexpr uint32_t kSeed = 20240611;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  CreditSender sender(8, 64);
  CreditReceiver receiver(8, 64);
  struct Totals {
    uint32_t requests;
    uint64_t bytes;
  };
  std::vector<Totals> old;
  std::vector<uint64_t> open;
  for (int step = 0; step < 20000; ++step) {
    const uint64_t bytes = random() % 20;
    if (sender.HasRoom(bytes)) {
      sender.Issue(bytes);
      open.push_back(bytes);
      EXPECT_LE(sender.requests_open(), 8u);
    }
    if (!open.empty() && random() % 2 == 0) {
      receiver.Taken(open.front());
      open.erase(open.begin());
    }
    old.push_back({receiver.requests(), receiver.bytes()});
    const Totals& late = old[old.size() - 1 - random() % std::min<size_t>(old.size(), 20)];
    if (random() % 3 == 0) sender.Update(late.requests, late.bytes);
  }
  for (uint64_t bytes : open) receiver.Taken(bytes);
  sender.Update(receiver.requests(), receiver.bytes());
  EXPECT_EQ(sender.requests_open(), 0u);
  EXPECT_EQ(sender.bytes_open(), 0u);
}

}  // namespace
}  // namespace ps
