// Defects of start, barriers and liveness that the pure classes of the van decide.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/version.h"
#include "ps/base.h"
#include "van/barrier.h"
#include "van/liveness.h"
#include "van/membership.h"

namespace ps {
namespace {

using Answer = Membership::Answer;

Registration From(Node::Role role, uint64_t incarnation) {
  Registration registration;
  registration.node.role = role;
  registration.node.hostname = "10.0.0.4";
  registration.node.port = 4711;
  registration.node.incarnation = incarnation;
  registration.num_workers = 1;
  registration.num_servers = 1;
  registration.key_bits = static_cast<int>(8 * sizeof(Key));
  registration.protocol = kProtocolVersion;
  return registration;
}

// One worker, one server.
Membership SmallJob() {
  Node scheduler;
  scheduler.role = Node::SCHEDULER;
  scheduler.id = 1;
  scheduler.hostname = "10.0.0.1";
  scheduler.port = 8000;
  scheduler.incarnation = 1;
  return Membership(1, 1, {}, scheduler, 1);
}

TEST(RegressB02, OtherCountsAreRefusedNamingBothNodesAndBothValues) {
  Membership membership = SmallJob();
  Registration registration = From(Node::WORKER, 2);
  registration.num_workers = 3;
  const Answer answer = membership.Register(registration);
  EXPECT_EQ(answer.kind, Answer::kReject);
  EXPECT_EQ(answer.reason.message(),
            "worker at 10.0.0.4:4711 has DMLC_NUM_WORKER=3, the scheduler at 10.0.0.1:8000 has 1");
}

TEST(RegressB06, ASurplusNodeThatComesFirstDoesNotSpoilTheOtherRole) {
  Membership membership = SmallJob();
  EXPECT_EQ(membership.Register(From(Node::WORKER, 2)).kind, Answer::kWait);
  const Answer surplus = membership.Register(From(Node::WORKER, 3));
  EXPECT_EQ(surplus.kind, Answer::kReject);
  EXPECT_EQ(surplus.reason.message(), "the job already has its 1 workers");
  EXPECT_FALSE(membership.complete());
  EXPECT_EQ(membership.Register(From(Node::SERVER, 4)).kind, Answer::kComplete);
  EXPECT_EQ(membership.roster().nodes.size(), 3u);
  EXPECT_EQ(membership.Register(From(Node::WORKER, 3)).kind, Answer::kLate) << "Succession refuses it";
}

TEST(RegressB10e, EqualHostAndPortAreTwoNodes) {
  Membership membership = SmallJob();
  EXPECT_EQ(membership.Register(From(Node::WORKER, 2)).kind, Answer::kWait);
  EXPECT_EQ(membership.Register(From(Node::SERVER, 3)).kind, Answer::kComplete);
  EXPECT_EQ(membership.roster().Find(8)->incarnation, 3u);
  EXPECT_EQ(membership.roster().Find(9)->incarnation, 2u);
}

TEST(RegressB40, AnyCustomerIdsAreMembersByTheirNodeId) {
  Membership membership = [] {
    Node scheduler;
    scheduler.role = Node::SCHEDULER;
    scheduler.id = 1;
    return Membership(2, 0, {}, scheduler, 1);
  }();
  BarrierCounter counter;
  for (int customer_id : {5, 1}) {
    Registration registration = From(Node::WORKER, static_cast<uint64_t>(customer_id) + 10);
    registration.node.customer_id = customer_id;
    registration.num_workers = 2;
    registration.num_servers = 0;
    membership.Register(registration);
  }
  ASSERT_TRUE(membership.complete());
  counter.SetMembers({1, 9, 11});
  EXPECT_EQ(membership.roster().Find(9)->customer_id, 1);
  EXPECT_EQ(membership.roster().Find(11)->customer_id, 5);
  EXPECT_FALSE(counter.Arrive(9, kWorkerGroup, 1).released);
  EXPECT_TRUE(counter.Arrive(11, kWorkerGroup, 1).released);
}

TEST(RegressB41, TwoThreadsOfOneNodeCountOnce) {
  BarrierCounter counter;
  counter.SetMembers({1, 9, 11});
  EXPECT_EQ(counter.Arrive(9, kWorkerGroup, 1).count, 1);
  EXPECT_FALSE(counter.Arrive(9, kWorkerGroup, 1).released);
  EXPECT_EQ(counter.Missing(kWorkerGroup), std::vector<int>({11}));
  EXPECT_TRUE(counter.Arrive(11, kWorkerGroup, 1).released);
}

TEST(RegressB42, GroupsAndRoundsHaveStateOfTheirOwn) {
  BarrierCounter counter;
  counter.SetMembers({1, 8, 9, 11});
  counter.Arrive(9, kWorkerGroup, 1);
  counter.Arrive(9, kServerGroup + kWorkerGroup, 1);
  counter.Arrive(8, kServerGroup + kWorkerGroup, 1);
  EXPECT_TRUE(counter.Arrive(8, kServerGroup, 1).released);
  EXPECT_EQ(counter.Arrived(kWorkerGroup), 1);
  EXPECT_EQ(counter.Arrived(kServerGroup + kWorkerGroup), 2);
  EXPECT_TRUE(counter.Arrive(11, kWorkerGroup, 1).released);
  EXPECT_FALSE(counter.Arrive(9, kWorkerGroup, 2).released);
  EXPECT_EQ(counter.Missing(kServerGroup + kWorkerGroup), std::vector<int>({11}));
}

TEST(RegressB64, AHeartbeatOfANodeNobodyKnowsIsIgnored) {
  Liveness liveness;
  EXPECT_FALSE(liveness.Heard(9, 100));
  EXPECT_EQ(liveness.SilentFor(9, 100), -1);
  EXPECT_TRUE(liveness.Silent(1, 100000).empty());
}

TEST(RegressB65, HalfASecondIsNotRoundedToASecond) {
  Liveness liveness;
  liveness.Watch(9, 999);
  EXPECT_TRUE(liveness.Silent(500, 1001).empty());
  EXPECT_EQ(liveness.Silent(500, 1499), std::vector<int>({9}));
}

TEST(RegressB66, WithHeartbeatsOffNobodyIsDead) {
  Liveness liveness;
  liveness.Watch(9, 0);
  EXPECT_TRUE(liveness.Silent(0, 1000000000).empty());
}

}  // namespace
}  // namespace ps
