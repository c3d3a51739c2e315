#include "van/roster.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

Node NodeOf(int id) {
  Node node;
  node.id = id;
  node.hostname = "10.0.0.1";
  node.port = 4000 + id;
  node.incarnation = static_cast<uint64_t>(id) + 100;
  return node;
}

TEST(RosterTest, FindsANodeByItsIdAndNothingElse) {
  Roster roster;
  roster.nodes = {NodeOf(1), NodeOf(8), NodeOf(9)};
  ASSERT_NE(roster.Find(8), nullptr);
  EXPECT_EQ(roster.Find(8)->port, 4008);
  EXPECT_EQ(roster.Find(10), nullptr);
  EXPECT_EQ(Roster().Find(1), nullptr);
}

TEST(RosterTest, ComparesEveryFieldOfItsNodes) {
  Roster a;
  a.nodes = {NodeOf(1), NodeOf(8)};
  Roster b = a;
  EXPECT_TRUE(a == b);
  b.nodes[1].is_recovery = true;
  EXPECT_FALSE(a == b);
  b = a;
  b.nodes[1].incarnation = 7;
  EXPECT_FALSE(a == b);
  b = a;
  b.nodes.pop_back();
  EXPECT_FALSE(a == b);
  b = a;
  b.settings.on_node_lost = OnNodeLost::kShrink;
  EXPECT_FALSE(a == b);
}

TEST(RosterTest, RegistrationsCompareByAllFields) {
  Registration a;
  a.node = NodeOf(9);
  Registration b = a;
  EXPECT_TRUE(a == b);
  b.node_key = "worker-1";
  EXPECT_FALSE(a == b);
  b = a;
  b.previous_rank = 0;
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace ps
