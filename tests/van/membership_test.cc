#include "van/membership.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/version.h"
#include "ps/base.h"

namespace ps {
namespace {

using Answer = Membership::Answer;

Node Scheduler() {
  Node node;
  node.role = Node::SCHEDULER;
  node.id = 1;
  node.hostname = "10.0.0.1";
  node.port = 8000;
  node.incarnation = 1;
  return node;
}

Registration From(Node::Role role, int number, int num_workers, int num_servers) {
  Registration registration;
  registration.node.role = role;
  registration.node.hostname = "10.0.0." + std::to_string(number);
  registration.node.port = 4000 + number;
  registration.node.incarnation = 1000 + static_cast<uint64_t>(number) + (role == Node::WORKER ? 100 : 0);
  registration.num_workers = num_workers;
  registration.num_servers = num_servers;
  registration.key_bits = static_cast<int>(8 * sizeof(Key));
  registration.protocol = kProtocolVersion;
  return registration;
}

// A job of 2 workers and 1 server.
class MembershipTest : public ::testing::Test {
 protected:
  static Registration Worker(int number) { return From(Node::WORKER, number, 2, 1); }
  static Registration Server(int number) { return From(Node::SERVER, number, 2, 1); }

  Status Refusal(const Registration& registration) {
    const Answer answer = membership_.Register(registration);
    EXPECT_EQ(answer.kind, Answer::kReject);
    return answer.reason;
  }

  ClusterSettings settings_{1000, 10000, OnNodeLost::kWait};
  Membership membership_{2, 1, settings_, Scheduler(), 77};
};

TEST_F(MembershipTest, IsCompleteWhenBothRolesAre) {
  EXPECT_EQ(membership_.Register(Worker(4)).kind, Answer::kWait);
  EXPECT_EQ(membership_.Register(Server(5)).kind, Answer::kWait);
  EXPECT_FALSE(membership_.complete());
  EXPECT_EQ(membership_.Register(Worker(3)).kind, Answer::kComplete);
  ASSERT_TRUE(membership_.complete());
  const Roster& roster = membership_.roster();
  EXPECT_EQ(roster.epoch, 1u);
  EXPECT_EQ(roster.job_id, 77u);
  EXPECT_TRUE(roster.settings == settings_);
  ASSERT_EQ(roster.nodes.size(), 4u);
  EXPECT_EQ(roster.nodes[0].id, 1);
  EXPECT_EQ(roster.nodes[1].id, 8);
  EXPECT_EQ(roster.nodes[1].hostname, "10.0.0.5");
  EXPECT_EQ(roster.nodes[2].id, 9);
  EXPECT_EQ(roster.nodes[2].hostname, "10.0.0.3");
  EXPECT_EQ(roster.nodes[3].id, 11);
  EXPECT_EQ(roster.nodes[3].incarnation, 1104u);
  EXPECT_FALSE(membership_.arrival_decided());
}

TEST_F(MembershipTest, ASchedulerAloneIsCompleteFromTheStart) {
  const Membership alone(0, 0, settings_, Scheduler(), 1);
  EXPECT_TRUE(alone.complete());
  EXPECT_EQ(alone.roster().nodes.size(), 1u);
}

TEST_F(MembershipTest, ARepeatedRegistrationIsHarmless) {
  membership_.Register(Worker(3));
  EXPECT_EQ(membership_.Register(Worker(3)).kind, Answer::kWait);
  membership_.Register(Server(5));
  EXPECT_EQ(membership_.Register(Worker(4)).kind, Answer::kComplete);
  const Roster before = membership_.roster();
  EXPECT_EQ(membership_.Register(Worker(4)).kind, Answer::kKnown);
  EXPECT_EQ(membership_.Register(Server(5)).kind, Answer::kKnown);
  EXPECT_TRUE(membership_.roster() == before);
}

TEST_F(MembershipTest, ASurplusNodeIsRefusedByNumberAndRole) {
  membership_.Register(Worker(3));
  membership_.Register(Worker(4));
  EXPECT_EQ(Refusal(Worker(6)).message(), "the job already has its 2 workers");
  EXPECT_EQ(Refusal(Worker(6)).code(), StatusCode::kResourceExhausted);
  Registration wishing = Worker(6);
  wishing.rank_wish = 2;
  EXPECT_EQ(Refusal(wishing).message(), "the job already has its 2 workers");
  membership_.Register(Server(5));
  EXPECT_EQ(membership_.roster().nodes.size(), 4u);
}

TEST_F(MembershipTest, WhoComesLateIsNotRefusedHereUnlessItDoesNotFit) {
  membership_.Register(Worker(3));
  membership_.Register(Worker(4));
  membership_.Register(Server(5));
  EXPECT_EQ(membership_.Register(Worker(6)).kind, Answer::kLate);
  Registration other = Worker(7);
  other.num_workers = 9;
  EXPECT_EQ(Refusal(other).code(), StatusCode::kInvalidArgument);
}

TEST_F(MembershipTest, AReplacementIsANewEpochAtTheSamePlace) {
  membership_.Register(Worker(3));
  membership_.Register(Worker(4));
  membership_.Register(Server(5));
  const Roster before = membership_.roster();
  const int id = before.nodes[2].id;
  membership_.Replace(id, Worker(77), true);
  const Roster after = membership_.roster();
  EXPECT_EQ(after.epoch, before.epoch + 1);
  ASSERT_EQ(after.nodes.size(), before.nodes.size());
  EXPECT_EQ(after.nodes[2].id, id);
  EXPECT_EQ(after.nodes[2].incarnation, Worker(77).node.incarnation);
  EXPECT_TRUE(after.nodes[2].is_recovery);
  EXPECT_EQ(membership_.Register(Worker(77)).kind, Answer::kKnown);
}

TEST_F(MembershipTest, WhoIsRemovedCanBeReplaced) {
  membership_.Register(Worker(3));
  membership_.Register(Worker(4));
  membership_.Register(Server(5));
  membership_.Remove(9);
  EXPECT_EQ(membership_.roster().Find(9), nullptr);
  EXPECT_EQ(membership_.roster().nodes.size(), 3u);
  membership_.Replace(9, Worker(77), true);
  ASSERT_NE(membership_.roster().Find(9), nullptr);
  EXPECT_EQ(membership_.roster().Find(9)->incarnation, Worker(77).node.incarnation);
}

TEST_F(MembershipTest, OtherCountsNameBothNodesAndBothValues) {
  EXPECT_EQ(Refusal(From(Node::WORKER, 4, 3, 1)).message(),
            "worker at 10.0.0.4:4004 has DMLC_NUM_WORKER=3, the scheduler at 10.0.0.1:8000 has 2");
  EXPECT_EQ(Refusal(From(Node::SERVER, 4, 2, 5)).message(),
            "server at 10.0.0.4:4004 has DMLC_NUM_SERVER=5, the scheduler at 10.0.0.1:8000 has 1");
}

TEST_F(MembershipTest, OtherKeyWidthAndOtherProtocolAreRefused) {
  Registration narrow = Worker(4);
  narrow.key_bits = 32;
  EXPECT_NE(Refusal(narrow).message().find("keys of 32 bits"), std::string::npos);
  Registration old = Worker(4);
  old.protocol = kProtocolVersion + 1;
  const Status status = Refusal(old);
  EXPECT_NE(status.message().find("worker at 10.0.0.4:4004 speaks protocol version"), std::string::npos);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST_F(MembershipTest, OtherChunksAreRefused) {
  Registration other = Worker(4);
  other.chunk_bytes = 4096;
  EXPECT_EQ(Refusal(other).message(),
            "worker at 10.0.0.4:4004 has PS_CHUNK_BYTES=4096, the scheduler at 10.0.0.1:8000 has 1048576");
}

TEST_F(MembershipTest, ASchedulerCannotRegister) {
  EXPECT_NE(Refusal(From(Node::SCHEDULER, 4, 2, 1)).message().find("10.0.0.1:8000"), std::string::npos);
}

TEST_F(MembershipTest, ARankOutOfRangeNamesTheRange) {
  Registration wish = Worker(4);
  wish.rank_wish = 2;
  EXPECT_EQ(Refusal(wish).message(),
            "worker at 10.0.0.4:4004 asks for rank 2 (DMLC_RANK); ranks of workers are 0 to 1");
  wish.rank_wish = -2;
  EXPECT_EQ(Refusal(wish).code(), StatusCode::kInvalidArgument);
}

TEST_F(MembershipTest, ARankThatIsTakenNamesBothNodes) {
  Registration first = Worker(3);
  first.rank_wish = 1;
  membership_.Register(first);
  Registration second = Worker(4);
  second.rank_wish = 1;
  EXPECT_EQ(
      Refusal(second).message(),
      "worker at 10.0.0.4:4004 asks for rank 1 (DMLC_RANK), which worker at 10.0.0.3:4003 asked for before");
  // The other role has ranks of its own.
  Registration server = Server(5);
  server.rank_wish = 0;
  EXPECT_EQ(membership_.Register(server).kind, Answer::kWait);
  second.rank_wish = 0;
  EXPECT_EQ(membership_.Register(second).kind, Answer::kComplete);
  EXPECT_EQ(membership_.roster().Find(11)->hostname, "10.0.0.3");
  EXPECT_EQ(membership_.roster().Find(9)->hostname, "10.0.0.4");
}

TEST_F(MembershipTest, WhoGaveUpBeforeTheRosterLeavesItsPlace) {
  Registration first = Worker(3);
  first.rank_wish = 0;
  membership_.Register(first);
  EXPECT_TRUE(membership_.Forget(first.node.incarnation));
  EXPECT_FALSE(membership_.Forget(first.node.incarnation));
  Registration again = first;
  again.node.incarnation = 5;
  EXPECT_EQ(membership_.Register(again).kind, Answer::kWait);
  membership_.Register(Server(5));
  membership_.Register(Worker(4));
  EXPECT_FALSE(membership_.Forget(5));
  EXPECT_EQ(membership_.roster().Find(9)->incarnation, 5u);
}

TEST_F(MembershipTest, ProgressSaysWhoIsThereAndHowManyAreMissing) {
  EXPECT_EQ(membership_.Progress(), "workers 0/2, servers 0/1");
  membership_.Register(Worker(4));
  membership_.Register(Server(5));
  EXPECT_EQ(membership_.Progress(), "workers 1/2 (10.0.0.4:4004), servers 1/1");
}

TEST_F(MembershipTest, ProgressNamesTheMissingRanksWhereAllHaveAskedForTheirs) {
  Membership job(4, 0, settings_, Scheduler(), 1);
  Registration second = From(Node::WORKER, 4, 4, 0);
  second.rank_wish = 1;
  job.Register(second);
  EXPECT_EQ(job.Progress(), "workers 1/4 (10.0.0.4:4004), missing ranks 0, 2, 3, servers 0/0");
  Registration last = From(Node::WORKER, 5, 4, 0);
  last.rank_wish = 3;
  job.Register(last);
  Registration first = From(Node::WORKER, 6, 4, 0);
  first.rank_wish = 0;
  job.Register(first);
  EXPECT_NE(job.Progress().find("4006), missing rank 2, servers"), std::string::npos) << job.Progress();
  job.Forget(first.node.incarnation);
  job.Register(From(Node::WORKER, 7, 4, 0));
  EXPECT_EQ(job.Progress().find("missing"), std::string::npos) << "it may get any: " << job.Progress();
}

TEST_F(MembershipTest, ProgressOfAWideJobStaysOneLine) {
  Membership wide(300, 0, settings_, Scheduler(), 1);
  for (int i = 0; i < 200; ++i) wide.Register(From(Node::WORKER, i, 300, 0));
  EXPECT_LT(wide.Progress().size(), 500u);
  EXPECT_NE(wide.Progress().find("and 184 more"), std::string::npos);
}

// --- ranks ---

Registration At(const std::string& host, const std::string& key = "") {
  Registration registration = From(Node::WORKER, 0, 0, 0);
  registration.node.hostname = host;
  registration.node_key = key;
  return registration;
}

TEST(RankTest, AddressesCompareAsNumbersAndKeysNaturally) {
  EXPECT_EQ(AssignRanks({At("10.0.0.10"), At("10.0.0.9"), At("9.0.0.1")}), std::vector<int>({2, 1, 0}));
  EXPECT_EQ(AssignRanks({At("b", "worker-10"), At("c", "worker-9"), At("a", "worker-1")}),
            std::vector<int>({2, 1, 0}));
}

TEST(RankTest, NodesWithAKeyComeBeforeThoseWithout) {
  EXPECT_EQ(AssignRanks({At("10.0.0.1"), At("10.0.0.2", "z")}), std::vector<int>({1, 0}));
}

TEST(RankTest, OnlyAFixedPortTakesPart) {
  Registration a = At("10.0.0.1");
  a.node.port = 9000;
  Registration b = At("10.0.0.1");
  b.node.port = 8000;
  bool arrival_decided = false;
  EXPECT_EQ(AssignRanks({a, b}, &arrival_decided), std::vector<int>({0, 1}));
  EXPECT_TRUE(arrival_decided);
  a.fixed_port = b.fixed_port = true;
  EXPECT_EQ(AssignRanks({a, b}, &arrival_decided), std::vector<int>({1, 0}));
  EXPECT_FALSE(arrival_decided);
}

TEST(RankTest, CustomerIdsOrderTheNodesOfAProcess) {
  Registration a = At("10.0.0.1");
  a.node.customer_id = 3;
  Registration b = At("10.0.0.1");
  bool arrival_decided = true;
  EXPECT_EQ(AssignRanks({a, b}, &arrival_decided), std::vector<int>({1, 0}));
  EXPECT_FALSE(arrival_decided);
}

TEST(RankTest, WishesComeFirstThenFormerRanksThenTheRest) {
  Registration wish = At("10.0.0.9");
  wish.rank_wish = 0;
  Registration former = At("10.0.0.8");
  former.previous_rank = 2;
  Registration former_taken = At("10.0.0.2");
  former_taken.previous_rank = 0;
  const Registration plain = At("10.0.0.1");
  EXPECT_EQ(AssignRanks({plain, former_taken, former, wish}), std::vector<int>({1, 3, 2, 0}));
}

TEST(RankTest, AFormerRankOfALargerJobIsNone) {
  Registration former = At("10.0.0.2");
  former.previous_rank = 7;
  EXPECT_EQ(AssignRanks({former, At("10.0.0.1")}), std::vector<int>({1, 0}));
}

TEST(RankTest, TwoThatHadTheSameRankAreOrderedLikeTheRest) {
  Registration a = At("10.0.0.2");
  Registration b = At("10.0.0.1");
  a.previous_rank = b.previous_rank = 1;
  EXPECT_EQ(AssignRanks({a, b}), std::vector<int>({0, 1}));
  EXPECT_EQ(AssignRanks({b, a}), std::vector<int>({1, 0}));
}

TEST(RankTest, NodesAlikeButForTheirWishesDoNotDependOnArrival) {
  Registration a = At("10.0.0.1");
  a.rank_wish = 1;
  Registration b = At("10.0.0.1");
  b.rank_wish = 0;
  bool arrival_decided = true;
  EXPECT_EQ(AssignRanks({a, b}, &arrival_decided), std::vector<int>({1, 0}));
  EXPECT_FALSE(arrival_decided);
}

// Registrations from a small world, so that ties of every kind happen.
std::vector<Registration> RandomNodes(std::mt19937* random) {
  const auto pick = [random](int n) { return static_cast<int>((*random)() % static_cast<uint32_t>(n)); };
  const int count = 1 + pick(12);
  const int variety = 1 + pick(8);
  std::vector<int> wishes(count);
  for (int i = 0; i < count; ++i) wishes[i] = i;
  std::shuffle(wishes.begin(), wishes.end(), *random);
  std::vector<Registration> nodes;
  for (int i = 0; i < count; ++i) {
    Registration node = At("10.0.0." + std::to_string(pick(variety)),
                           pick(3) == 0 ? "w-" + std::to_string(pick(variety)) : "");
    node.node.incarnation = static_cast<uint64_t>(i) + 1;
    node.node.port = 4000 + pick(variety);
    node.fixed_port = pick(2) == 0;
    node.node.customer_id = pick(2);
    if (pick(4) == 0) node.rank_wish = wishes[i];
    if (pick(3) == 0) node.previous_rank = pick(count + 2) - 1;
    nodes.push_back(node);
  }
  return nodes;
}

std::map<uint64_t, int> RanksByNode(const std::vector<Registration>& nodes, bool* arrival_decided) {
  const std::vector<int> ranks = AssignRanks(nodes, arrival_decided);
  std::map<uint64_t, int> by_node;
  for (size_t i = 0; i < nodes.size(); ++i) by_node[nodes[i].node.incarnation] = ranks[i];
  return by_node;
}

void ExpectProper(const std::vector<Registration>& nodes) {
  std::vector<int> ranks = AssignRanks(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(nodes[i].rank_wish < 0 || ranks[i] == nodes[i].rank_wish);
  }
  std::sort(ranks.begin(), ranks.end());
  for (size_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(ranks[i], static_cast<int>(i));
}

TEST(RankTest, AnyOrderOfArrivalGivesTheSameRanksUnlessArrivalHadToDecide) {
  int decided_by_arrival = 0;
  int decided_without = 0;
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<Registration> nodes = RandomNodes(&random);
    bool decided = false;
    const std::map<uint64_t, int> ranks = RanksByNode(nodes, &decided);
    bool differs = false;
    for (int permutation = 0; permutation < 20; ++permutation) {
      std::shuffle(nodes.begin(), nodes.end(), random);
      ExpectProper(nodes);
      bool decided_now = false;
      if (RanksByNode(nodes, &decided_now) != ranks) differs = true;
      EXPECT_EQ(decided_now, decided);
    }
    EXPECT_TRUE(decided || !differs);
    ++(decided ? decided_by_arrival : decided_without);
  }
  EXPECT_GT(decided_by_arrival, 50);
  EXPECT_GT(decided_without, 50);
}

}  // namespace
}  // namespace ps
