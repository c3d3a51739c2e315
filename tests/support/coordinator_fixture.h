// A coordinator of 3 workers and 1 server that the test talks to like a van.
#ifndef PS_TESTS_SUPPORT_COORDINATOR_FIXTURE_H_
#define PS_TESTS_SUPPORT_COORDINATOR_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/version.h"
#include "message/node_id.h"
#include "van/coordinator.h"

namespace ps {

constexpr int kWorkers = 4;
constexpr int kAll = 7;

class CoordinatorTest : public testing::Test {
 protected:
  static Node Scheduler() {
    Node node;
    node.role = Node::SCHEDULER;
    node.id = kSchedulerId;
    node.hostname = "10.0.0.1";
    node.port = 8000;
    node.incarnation = 1;
    return node;
  }

  static Registration RegistrationOf(Node::Role role, int rank) {
    Registration registration;
    registration.node.role = role;
    registration.node.hostname = "10.0.0.5";
    registration.node.port = 4711 + rank;
    registration.node.incarnation = 100 + 10 * static_cast<uint64_t>(role) + static_cast<uint64_t>(rank);
    registration.num_workers = 3;
    registration.num_servers = 1;
    registration.protocol = kProtocolVersion;
    registration.rank_wish = rank;
    return registration;
  }

  Coordinator::Output Register(Node::Role role, int rank, int64_t now_ms = 0) {
    return coordinator_.OnRegister(RegistrationOf(role, rank), "path" + std::to_string(rank), now_ms);
  }
  void RegisterAll(int64_t now_ms = 0) {
    for (int rank = 0; rank < 3; ++rank) Register(Node::WORKER, rank, now_ms);
    ASSERT_TRUE(Register(Node::SERVER, 0, now_ms).new_roster);
  }
  Coordinator::Output Arrive(int node, int group, uint64_t round = 1, int64_t timeout_ms = 0,
                             int64_t now_ms = 0) {
    BarrierNotice notice;
    notice.group = group;
    notice.round = round;
    notice.timeout_ms = timeout_ms;
    return coordinator_.OnBarrier(node, notice, now_ms);
  }
  static std::vector<int> Released(const Coordinator::Output& output) {
    std::vector<int> nodes;
    for (const Coordinator::Release& release : output.releases) nodes.push_back(release.node);
    return nodes;
  }

  // Worker 1 was silent for too long.
  Coordinator::Output LoseWorker1(int64_t now_ms = 1000) {
    EXPECT_TRUE(coordinator_.OnTimer(now_ms - 500).lost.empty());
    for (int node : {8, 9, 13}) coordinator_.Heard(node, now_ms - 100);
    return coordinator_.OnTimer(now_ms);
  }
  // A new process for its place.
  static Registration Newcomer(uint64_t incarnation = 900) {
    Registration newcomer = RegistrationOf(Node::WORKER, 1);
    newcomer.node.incarnation = incarnation;
    newcomer.node.hostname = "10.0.0.77";
    return newcomer;
  }
  static BarrierNotice Final(uint64_t round = 1) {
    BarrierNotice notice;
    notice.group = kAll;
    notice.round = round;
    notice.is_final = true;
    return notice;
  }

  static ClusterSettings Settings(OnNodeLost policy) {
    ClusterSettings settings;
    settings.heartbeat_interval_ms = 100;
    settings.heartbeat_timeout_ms = 1000;
    settings.on_node_lost = policy;
    settings.barrier_timeout_ms = 60000;
    return settings;
  }

  explicit CoordinatorTest(OnNodeLost policy = OnNodeLost::kFail)
      : coordinator_(3, 1, Settings(policy), Scheduler(), 5) {}

  Coordinator coordinator_;
};

class WaitTest : public CoordinatorTest {
 protected:
  WaitTest() : CoordinatorTest(OnNodeLost::kWait) {}
};

class ShrinkTest : public CoordinatorTest {
 protected:
  ShrinkTest() : CoordinatorTest(OnNodeLost::kShrink) {}
};

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_COORDINATOR_FIXTURE_H_
