#include "message/node_id.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(NodeIdTest, RanksAndIdsAreInverse) {
  for (const int rank : {0, 1, 2, 65534}) {
    EXPECT_EQ(RankOfId(ServerIdOfRank(rank)), rank);
    EXPECT_EQ(RankOfId(WorkerIdOfRank(rank)), rank);
    EXPECT_EQ(RoleOfId(ServerIdOfRank(rank)), Node::SERVER);
    EXPECT_EQ(RoleOfId(WorkerIdOfRank(rank)), Node::WORKER);
  }
  EXPECT_EQ(ServerIdOfRank(0), 8);
  EXPECT_EQ(WorkerIdOfRank(0), 9);
  EXPECT_EQ(RankOfId(kSchedulerId), 0);
  EXPECT_EQ(RoleOfId(kSchedulerId), Node::SCHEDULER);
}

TEST(NodeIdTest, GroupsAreTheIdsOneToSeven) {
  for (int id = -1; id < 12; ++id) EXPECT_EQ(IsGroup(id), id >= 1 && id <= 7) << id;
  EXPECT_EQ(GroupOfRole(Node::SCHEDULER) | GroupOfRole(Node::SERVER) | GroupOfRole(Node::WORKER), 7);
}

TEST(NodeIdTest, NodesAreDescribedByWhatIsKnown) {
  Node node;
  node.role = Node::WORKER;
  EXPECT_EQ(DescribeNode(node), "worker");
  node.id = 11;
  EXPECT_EQ(DescribeNode(node), "worker 1 (id 11)");
  node.hostname = "10.0.0.5";
  node.port = 4711;
  EXPECT_EQ(DescribeNode(node), "worker 1 (id 11, 10.0.0.5:4711)");
  node.hostname = "fd00::5";
  EXPECT_EQ(DescribeNode(node), "worker 1 (id 11, [fd00::5]:4711)");
  node.id = Node::kEmpty;
  EXPECT_EQ(DescribeNode(node), "worker ([fd00::5]:4711)");
}

TEST(NodeIdTest, IdsAreDescribedByTheirRole) {
  EXPECT_EQ(DescribeNodeId(8), "server 0 (id 8)");
  EXPECT_EQ(DescribeNodeId(kSchedulerId), "scheduler (id 1)");
  EXPECT_EQ(DescribeNodeId(5), "node 5");
  EXPECT_EQ(DescribeNodeId(-3), "node -3");
  EXPECT_EQ(DescribeNodeId(Node::kEmpty), "a node without an id");
}

}  // namespace
}  // namespace ps
