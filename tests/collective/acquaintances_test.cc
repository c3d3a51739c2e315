#include "collective/acquaintances.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

using Next = Acquaintances::Next;

CollectiveSink::Packed To(int node, int token) { return {node, token, "", {}}; }

TEST(AcquaintancesTest, KeepsWhatIsForANodeUntilItSaysSomething) {
  Acquaintances peers;
  CollectiveSink::Packed first = To(9, 1);
  CollectiveSink::Packed second = To(9, 2);
  CollectiveSink::Packed other = To(11, 3);
  EXPECT_EQ(peers.Offer(&first), Next::kAsk);
  EXPECT_EQ(peers.Offer(&second), Next::kNothing);
  EXPECT_EQ(peers.Offer(&other), Next::kAsk);
  EXPECT_FALSE(peers.Knows(9));
  const std::vector<CollectiveSink::Packed> kept = peers.Meet(9);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].token, 1);
  EXPECT_EQ(kept[1].token, 2);
  EXPECT_TRUE(peers.Knows(9));
  EXPECT_FALSE(peers.Knows(11));
  CollectiveSink::Packed third = To(9, 4);
  EXPECT_EQ(peers.Offer(&third), Next::kSend);
  EXPECT_EQ(third.token, 4);
  EXPECT_TRUE(peers.Meet(9).empty());
}

TEST(AcquaintancesTest, WhoDoesNotAnswerIsAskedAgainByTheNextOne) {
  Acquaintances peers;
  CollectiveSink::Packed first = To(9, 1);
  CollectiveSink::Packed second = To(9, 2);
  EXPECT_EQ(peers.Offer(&first), Next::kAsk);
  EXPECT_EQ(peers.GiveUp(9).size(), 1u);
  EXPECT_EQ(peers.Offer(&second), Next::kAsk);
}

TEST(AcquaintancesTest, SuccessorsAreStrangers) {
  Acquaintances peers;
  peers.Meet(9);
  peers.Forget();
  EXPECT_FALSE(peers.Knows(9));
}

}  // namespace
}  // namespace ps
