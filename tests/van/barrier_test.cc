#include "van/barrier.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "message/node_id.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int kAll = 7;
constexpr int kWorkers = 4;

// Scheduler, servers 8, 10, ..., workers 9, 11, ...
std::set<int> Cluster(int num_servers, int num_workers) {
  std::set<int> nodes = {kSchedulerId};
  for (int i = 0; i < num_servers; ++i) nodes.insert(ServerIdOfRank(i));
  for (int i = 0; i < num_workers; ++i) nodes.insert(WorkerIdOfRank(i));
  return nodes;
}

BarrierCounter Counter(int num_servers, int num_workers) {
  BarrierCounter counter;
  counter.SetMembers(Cluster(num_servers, num_workers));
  return counter;
}

TEST(BarrierTest, ReleasesOnlyWhenEveryMemberArrived) {
  BarrierCounter counter = Counter(1, 1);
  EXPECT_EQ(counter.Arrive(1, kAll, 1).count, 1);
  const BarrierCounter::Arrival second = counter.Arrive(8, kAll, 1);
  EXPECT_EQ(second.count, 2);
  EXPECT_FALSE(second.released);
  EXPECT_EQ(counter.Missing(kAll), std::vector<int>({9}));
  const BarrierCounter::Arrival last = counter.Arrive(9, kAll, 1);
  EXPECT_EQ(last.count, 3);
  ASSERT_TRUE(last.released);
  EXPECT_EQ(last.release.group, kAll);
  EXPECT_EQ(last.release.round, 1u);
  EXPECT_EQ(last.release.members, std::vector<int>({1, 8, 9}));
  EXPECT_EQ(counter.Arrived(kAll), 0);
}

TEST(BarrierTest, GroupsAreMasksOfRoles) {
  const BarrierCounter counter = Counter(2, 3);
  EXPECT_EQ(counter.Size(1), 1);
  EXPECT_EQ(counter.Size(2), 2);
  EXPECT_EQ(counter.Size(3), 3);
  EXPECT_EQ(counter.Size(4), 3);
  EXPECT_EQ(counter.Size(6), 5);
  EXPECT_EQ(counter.Size(7), 6);
  EXPECT_EQ(counter.Missing(2), std::vector<int>({8, 10}));
}

TEST(BarrierTest, ARepeatInTheSameRoundCountsNothing) {
  BarrierCounter counter = Counter(0, 2);
  counter.Arrive(9, kWorkers, 1);
  const BarrierCounter::Arrival repeat = counter.Arrive(9, kWorkers, 1);
  EXPECT_EQ(repeat.count, 0);
  EXPECT_FALSE(repeat.released);
  EXPECT_EQ(repeat.error, "");
  EXPECT_EQ(counter.Arrived(kWorkers), 1);
}

TEST(BarrierTest, ARepeatOfAReleasedRoundIsReleasedAgainToThatNodeAlone) {
  BarrierCounter counter = Counter(0, 2);
  counter.Arrive(9, kWorkers, 1);
  counter.Arrive(11, kWorkers, 1);
  const BarrierCounter::Arrival repeat = counter.Arrive(9, kWorkers, 1);
  ASSERT_TRUE(repeat.released);
  EXPECT_EQ(repeat.count, 0);
  EXPECT_EQ(repeat.release.round, 1u);
  EXPECT_EQ(repeat.release.members, std::vector<int>({9}));
  EXPECT_EQ(counter.Arrived(kWorkers), 0);
}

TEST(BarrierTest, AnEchoOfAnOlderRoundDoesNothing) {
  BarrierCounter counter = Counter(0, 1);
  counter.Arrive(9, kWorkers, 1);
  counter.Arrive(9, kWorkers, 2);
  const BarrierCounter::Arrival echo = counter.Arrive(9, kWorkers, 1);
  EXPECT_FALSE(echo.released);
  EXPECT_EQ(echo.error, "");
  EXPECT_EQ(counter.Arrived(kWorkers), 0);
}

TEST(BarrierTest, ARoundThatIsNotOpenYetIsRefused) {
  BarrierCounter counter = Counter(0, 2);
  EXPECT_NE(counter.Arrive(9, kWorkers, 2).error.find("round 2 is not open, 1 is"), std::string::npos);
  EXPECT_NE(counter.Arrive(9, kWorkers, 0).error, "");
  EXPECT_EQ(counter.Arrived(kWorkers), 0);
}

TEST(BarrierTest, StrangersAndUnknownGroupsAreRefused) {
  BarrierCounter counter = Counter(1, 1);
  EXPECT_NE(counter.Arrive(8, kWorkers, 1).error.find("no member"), std::string::npos);
  EXPECT_NE(counter.Arrive(11, kWorkers, 1).error.find("no member"), std::string::npos);
  for (int group : {0, 8, -1, 1 << 20}) {
    EXPECT_NE(counter.Arrive(9, group, 1).error.find("groups are 1 to 7"), std::string::npos) << group;
    EXPECT_TRUE(counter.Missing(group).empty() || group < 0) << group;
  }
}

TEST(BarrierTest, LosingTheOnlyMissingMemberCompletesTheRound) {
  BarrierCounter counter = Counter(1, 2);
  counter.Arrive(9, kWorkers, 1);
  std::set<int> living = Cluster(1, 2);
  living.erase(11);
  const std::vector<BarrierCounter::Release> releases = counter.SetMembers(living);
  ASSERT_EQ(releases.size(), 1u);
  EXPECT_EQ(releases[0].group, kWorkers);
  EXPECT_EQ(releases[0].members, std::vector<int>({9}));
}

TEST(BarrierTest, LosingAMemberThatHadArrivedReleasesNobodyEarly) {
  BarrierCounter counter = Counter(0, 3);
  counter.Arrive(11, kWorkers, 1);
  std::set<int> living = Cluster(0, 3);
  living.erase(11);
  EXPECT_TRUE(counter.SetMembers(living).empty());
  EXPECT_FALSE(counter.Arrive(9, kWorkers, 1).released);
  EXPECT_TRUE(counter.Arrive(13, kWorkers, 1).released);
}

TEST(BarrierTest, ANodeThatTakesALostOnesPlaceFallsIntoStep) {
  BarrierCounter counter = Counter(0, 2);
  for (uint64_t round = 1; round <= 5; ++round) {
    counter.Arrive(9, kWorkers, round);
    counter.Arrive(11, kWorkers, round);
  }
  counter.Arrive(11, kWorkers, 6);
  counter.Renew(11);
  EXPECT_EQ(counter.Arrived(kWorkers), 0);
  counter.Arrive(9, kWorkers, 6);
  const BarrierCounter::Arrival arrival = counter.Arrive(11, kWorkers, 1);
  ASSERT_TRUE(arrival.released);
  EXPECT_EQ(arrival.release.round, 6u);
  EXPECT_EQ(counter.Arrive(11, kWorkers, 7).count, 1);
}

TEST(BarrierTest, ANodeRemovedAndAddedAgainBeginsAtOne) {
  BarrierCounter counter = Counter(0, 2);
  counter.Arrive(9, kWorkers, 1);
  counter.Arrive(11, kWorkers, 1);
  counter.SetMembers({1, 9});
  counter.SetMembers({1, 9, 11});
  EXPECT_EQ(counter.Arrive(11, kWorkers, 1).count, 1);
}

TEST(BarrierTest, AFailedRoundEndsForThoseWhoWereThereAndTheLateOneStaysInStep) {
  BarrierCounter counter = Counter(0, 2);
  counter.Arrive(9, kWorkers, 1);
  const BarrierCounter::Release failed = counter.Fail(kWorkers);
  EXPECT_EQ(failed.round, 1u);
  EXPECT_EQ(failed.members, std::vector<int>({9}));
  EXPECT_NE(counter.Arrive(9, kWorkers, 1).error.find("has failed"), std::string::npos);
  EXPECT_EQ(counter.Arrive(11, kWorkers, 1).count, 1);
  const BarrierCounter::Arrival arrival = counter.Arrive(9, kWorkers, 2);
  ASSERT_TRUE(arrival.released);
  EXPECT_EQ(arrival.release.round, 2u);
  EXPECT_EQ(arrival.release.members, std::vector<int>({9, 11}));
}

TEST(BarrierTest, FailingABarrierNobodyIsInChangesNothing) {
  BarrierCounter counter = Counter(0, 1);
  EXPECT_TRUE(counter.Fail(kWorkers).members.empty());
  EXPECT_EQ(counter.Arrive(9, kWorkers, 1).release.round, 1u);
}

// 20 seeds; arrivals of every round in any order and doubled: every round is released once, to all, after all
// came.
TEST(BarrierTest, NobodyLeavesARoundEarlyWhateverTheOrder) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    BarrierCounter counter = Counter(3, 4);
    std::map<int, uint64_t> at;
    for (int node : Cluster(3, 4)) at[node] = 1;
    std::map<int, bool> inside;
    uint64_t rounds = 0;
    for (int step = 0; step < 2000; ++step) {
      auto it = at.begin();
      std::advance(it, random() % at.size());
      const BarrierCounter::Arrival arrival = counter.Arrive(it->first, kAll, it->second);
      ASSERT_EQ(arrival.error, "");
      inside[it->first] = true;
      if (!arrival.released) continue;
      ++rounds;
      ASSERT_EQ(inside.size(), at.size());
      ASSERT_EQ(arrival.release.members.size(), at.size());
      for (int node : arrival.release.members) at[node] = arrival.release.round + 1;
      inside.clear();
    }
    EXPECT_GT(rounds, 10u);
  }
}

TEST(BarrierTest, AHundredRoundsOfTwoHundredNodesAreCheap) {
  BarrierCounter counter = Counter(100, 100);
  const std::set<int> nodes = Cluster(100, 100);
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t round = 1; round <= 100; ++round) {
    int count = 0;
    for (int node : nodes) {
      const BarrierCounter::Arrival arrival = counter.Arrive(node, kAll, round);
      ASSERT_EQ(arrival.count, ++count);
      ASSERT_EQ(arrival.released, count == 201);
    }
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  // 50 ms a barrier are allowed for everything; the counting may take a hundredth of it, loosened twentyfold.
  EXPECT_LT(std::chrono::duration<double>(took).count(), 100 * 0.0005 * 20 * TestTimeScale());
}

}  // namespace
}  // namespace ps
