#include "app/node_text.h"

#include <gtest/gtest.h>

#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(NodeTextTest, NamesTheNodeOnceItHasAName) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  EXPECT_EQ(DescribeSelf(&cluster.worker(0)), "this node");
  EXPECT_EQ(LogName(&cluster.worker(0)), "");
  ASSERT_TRUE(cluster.Start().ok());
  EXPECT_EQ(DescribeSelf(&cluster.worker(0)), "worker 0 (id 9)");
  EXPECT_EQ(LogName(&cluster.worker(0)), "W[9]");
}

TEST(NodeTextTest, CutsLongLists) {
  Postoffice node{Config()};
  EXPECT_EQ(DescribeNodes(&node, {}), "anybody");
  EXPECT_EQ(DescribeNodes(&node, {10, 8}), "server 0 (id 8), server 1 (id 10)");
  EXPECT_EQ(DescribeNodes(&node, {8, 10, 12, 14, 16, 18}),
            "server 0 (id 8), server 1 (id 10), server 2 (id 12), server 3 (id 14) and 2 more");
}

}  // namespace
}  // namespace ps
