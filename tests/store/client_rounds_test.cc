#include "store/client_rounds.h"

#include <gtest/gtest.h>

#include <vector>

namespace ps {
namespace {

using Rounds = std::vector<std::uint64_t>;

TableSpec Spec(const Consistency& consistency, bool auto_close = true) {
  TableSpec spec;
  spec.consistency = consistency;
  spec.auto_close = auto_close;
  return spec;
}

TEST(ClientRoundsTest, EachContributionIsARoundOnAllServers) {
  ClientRounds rounds(Spec(Consistency::Bsp()), 3);
  EXPECT_EQ(rounds.Contribute({1}).at, Rounds{1});
  const ClientRounds::Stamp stamp = rounds.Contribute({});
  EXPECT_EQ(stamp.round, 2u);
  EXPECT_TRUE(stamp.at.empty());
  for (int server = 0; server < 3; ++server) EXPECT_EQ(rounds.RoundAt(server), 2u);
}

TEST(ClientRoundsTest, WithoutAutoCloseARoundEndsWithClose) {
  ClientRounds rounds(Spec(Consistency::Ssp(1), false), 2);
  EXPECT_EQ(rounds.Contribute({0, 1}).at, (Rounds{1, 1}));
  EXPECT_EQ(rounds.Contribute({1}).at, Rounds{1});
  EXPECT_EQ(rounds.RoundAt(1), 0u);
  const ClientRounds::Closed closed = rounds.Close();
  EXPECT_EQ(closed.round, 1u);
  EXPECT_EQ(closed.parts, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(rounds.RoundAt(0), 1u);
  EXPECT_EQ(rounds.Close().parts, (std::vector<std::uint32_t>{0, 0}));
}

TEST(ClientRoundsTest, AsynchronousServersCountWhatTheyWereSent) {
  ClientRounds rounds(Spec(Consistency::Asp()), 2);
  EXPECT_FALSE(rounds.are_counted());
  EXPECT_EQ(rounds.Contribute({1}).at, Rounds{1});
  EXPECT_EQ(rounds.Contribute({0, 1}).at, (Rounds{1, 2}));
  EXPECT_EQ(rounds.RoundAt(0), 1u);
  EXPECT_EQ(rounds.RoundAt(1), 2u);
}

TEST(ClientRoundsTest, GoesOnFromWhatTheServersHave) {
  ClientRounds counted(Spec(Consistency::Bsp()), 2);
  counted.GoOnFrom({0, 7});
  EXPECT_EQ(counted.Contribute({0}).round, 8u);
  ClientRounds asynchronous(Spec(Consistency::Asp()), 2);
  asynchronous.GoOnFrom({3, 7});
  EXPECT_EQ(asynchronous.Contribute({0, 1}).at, (Rounds{4, 8}));
}

}  // namespace
}  // namespace ps
