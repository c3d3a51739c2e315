#include "postoffice/node_groups.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

using Ids = std::vector<int>;

TEST(NodeGroupsTest, ListsWorkersThenServersThenTheScheduler) {
  const NodeGroups groups(3, 2);
  EXPECT_EQ(*groups.Find(1), (Ids{1}));
  EXPECT_EQ(*groups.Find(2), (Ids{8, 10}));
  EXPECT_EQ(*groups.Find(3), (Ids{8, 10, 1}));
  EXPECT_EQ(*groups.Find(4), (Ids{9, 11, 13}));
  EXPECT_EQ(*groups.Find(5), (Ids{9, 11, 13, 1}));
  EXPECT_EQ(*groups.Find(6), (Ids{9, 11, 13, 8, 10}));
  EXPECT_EQ(*groups.Find(7), (Ids{9, 11, 13, 8, 10, 1}));
}

TEST(NodeGroupsTest, ANodeIsAGroupOfItself) {
  const NodeGroups groups(1, 1);
  EXPECT_EQ(*groups.Find(8), (Ids{8}));
  EXPECT_EQ(*groups.Find(9), (Ids{9}));
}

TEST(NodeGroupsTest, KnowsNothingElse) {
  const NodeGroups groups(1, 1);
  for (int id : {0, -1, 10, 11, 42}) EXPECT_EQ(groups.Find(id), nullptr) << id;
}

TEST(NodeGroupsTest, AGroupWithoutNodesIsEmpty) {
  const NodeGroups groups(0, 1);
  EXPECT_EQ(*groups.Find(4), Ids());
}

}  // namespace
}  // namespace ps
