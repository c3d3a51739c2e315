#include "c_api/node.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "ps/c/base.h"
#include "ps/c/runtime.h"
#include "tests/support/watchdog.h"

namespace ps::c_api {
namespace {

// Two workers, each bound to a thread of its own.
class NodeTest : public testing::Test {
 protected:
  NodeTest() {
    PSLocalClusterOptions options{};
    options.struct_size = sizeof options;
    options.workers = 2;
    EXPECT_EQ(PSLocalClusterCreate(&options, &cluster_), PS_OK) << PSGetLastError();
    for (int rank = 0; rank < 2; ++rank)
      EXPECT_EQ(PSLocalClusterWorker(cluster_, rank, &nodes_[rank]), PS_OK);
  }
  ~NodeTest() override {
    EXPECT_EQ(PSBindThread(nullptr), PS_OK);
    for (const PSNode node : nodes_) EXPECT_EQ(PSNodeFree(node), PS_OK);
    EXPECT_EQ(PSLocalClusterFree(cluster_), PS_OK);
  }

  Watchdog watchdog_;
  PSLocalCluster cluster_ = nullptr;
  PSNode nodes_[2] = {};
};

TEST_F(NodeTest, NullMeansTheNodeOfTheThread) {
  EXPECT_EQ(PSBindThread(nodes_[1]), PS_OK);
  int rank = -1;
  EXPECT_EQ(PSMyRank(nullptr, &rank), PS_OK);
  EXPECT_EQ(rank, 1);
  std::thread([&] {
    int other = -1;
    EXPECT_EQ(PSBindThread(nodes_[0]), PS_OK);
    EXPECT_EQ(PSMyRank(nullptr, &other), PS_OK);
    EXPECT_EQ(other, 0);
  }).join();
  EXPECT_EQ(PSBindThread(nodes_[0]), PS_OK);
  EXPECT_EQ(PSMyRank(nullptr, &rank), PS_OK);
  EXPECT_EQ(rank, 0);
}

TEST_F(NodeTest, WithoutOneItMeansThatOfTheProcess) {
  int number = -1;
  EXPECT_EQ(PSIsStarted(nullptr, &number), PS_OK);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(PSMyRank(nullptr, &number), PS_FAILED_PRECONDITION);
  EXPECT_EQ(PSFinalize(nullptr, 0), PS_FAILED_PRECONDITION);
  EXPECT_EQ(PSBarrier(nullptr, 4, -1), PS_FAILED_PRECONDITION);
}

TEST_F(NodeTest, ABoundNodeMayBeFreedAndItsClusterGone) {
  EXPECT_EQ(PSBindThread(nodes_[0]), PS_OK);
  EXPECT_EQ(PSNodeFree(nodes_[0]), PS_OK);
  nodes_[0] = nullptr;
  int rank = -1;
  EXPECT_EQ(PSMyRank(nullptr, &rank), PS_OK);
  EXPECT_EQ(PSLocalClusterFree(cluster_), PS_OK);
  cluster_ = nullptr;
  EXPECT_EQ(PSMyRank(nullptr, &rank), PS_FAILED_PRECONDITION);
  EXPECT_NE(std::string(PSGetLastError()).find("worker 0"), std::string::npos) << PSGetLastError();
}

TEST_F(NodeTest, BarriersMeetTheirGroupOrTheTime) {
  EXPECT_EQ(PSBarrier(nodes_[0], 4, 20), PS_DEADLINE_EXCEEDED);
  std::thread other([&] { EXPECT_EQ(PSBarrier(nodes_[1], 4, -1), PS_OK); });
  EXPECT_EQ(PSBarrier(nodes_[0], 4, -1), PS_OK) << PSGetLastError();
  other.join();
  EXPECT_EQ(PSBarrier(nodes_[0], 2, -1), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSBarrier(nodes_[0], 99, -1), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSBarrier(nodes_[0], 4, -2), PS_INVALID_ARGUMENT);
}

TEST_F(NodeTest, DeadNodesAreCountedPerGroup) {
  int number = -1;
  EXPECT_EQ(PSGetNumDeadNodes(nodes_[0], 7, 60, &number), PS_OK) << PSGetLastError();
  EXPECT_EQ(number, 0);
  EXPECT_EQ(PSGetNumDeadNodes(nodes_[0], 4711, 60, &number), PS_NOT_FOUND);
  EXPECT_EQ(PSGetNumDeadNodes(nodes_[0], 7, -1, &number), PS_INVALID_ARGUMENT);
}

TEST_F(NodeTest, AWorkerFinalizedIsNotStarted) {
  std::thread other([&] { EXPECT_EQ(PSFinalize(nodes_[1], 1), PS_OK); });
  EXPECT_EQ(PSFinalize(nodes_[0], 1), PS_OK) << PSGetLastError();
  other.join();
  EXPECT_EQ(PSFinalize(nodes_[0], 1), PS_FAILED_PRECONDITION);
}

TEST_F(NodeTest, WhatIsNoNodeIsAnError) {
  int number = -1;
  const auto wrong = reinterpret_cast<PSNode>(cluster_);
  EXPECT_EQ(PSMyRank(wrong, &number), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSBindThread(wrong), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSMyRank(nodes_[0], nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSNodeGetRole(wrong, &number), PS_INVALID_ARGUMENT);
  EXPECT_EQ(number, -1);
}

}  // namespace
}  // namespace ps::c_api
