#include "store/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/store/gate_driver.h"
#include "tests/support/chaos.h"
#include "tests/support/figure.h"
#include "tests/support/gate_simulation.h"

namespace ps {
namespace {

constexpr std::uint64_t kFew = 13000;

std::uint64_t NumPrograms() {
  return ChaosNumber("PS_GATE_PROGRAMS", std::getenv("PS_TEST_LONG") == nullptr ? kFew : 1000000);
}

TEST(GateTest, SimulationOfRandomProgramsHoldsInEveryCase) {
  const std::uint64_t seed = ChaosNumber("PS_GATE_SEED", 1);
  const std::vector<GateCase> cases = GateCases();
  const auto each = static_cast<int>((NumPrograms() + cases.size() - 1) / cases.size());
  std::printf("PS_GATE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::int64_t reads = 0;
  for (const GateCase& one : cases) {
    const GateTotals totals = SimulateGate(one, each, seed);
    EXPECT_EQ(totals.failures(), 0) << one.name << ", bound " << one.consistency.bound << ": " << totals;
    EXPECT_GT(totals.reads, each) << one.name;
    EXPECT_EQ(totals.dropped > 0, one.consistency.mode == Consistency::kBsp && !one.auto_close)
        << one.name << ": " << totals;
    reads += totals.reads;
  }
  if (!HasFailure())
    PS_FIGURE("GATE", each << " programs x " << cases.size() << " cases, " << reads << " reads right");
}

// tbl-vec-57
TEST(GateTest, ThoseWhoStayGoOnWithoutOneThatLeft) {
  Driver d(3, Consistency::Bsp());
  EXPECT_EQ(d.Add(0, 1, 1), "");
  EXPECT_EQ(d.Add(1, 1, 2), "");
  EXPECT_EQ(d.Add(2, 1, 3), "apply 0:1, apply 1:2, apply 2:3, close 1");
  EXPECT_EQ(d.Leave(2, 1), "");
  for (std::uint64_t round = 2; round <= 5; ++round) {
    EXPECT_EQ(d.Read(0, round - 1, 8), "answer 0:8");
    EXPECT_EQ(d.Add(1, round, 2), "");
    EXPECT_EQ(d.Add(0, round, 1), "apply 0:1, apply 1:2, close " + std::to_string(round));
  }
  EXPECT_EQ(d.gate.state().num_dropped, 0u);
}

TEST(GateTest, ALeaveReleasesWhatWaitedForIt) {
  Driver d(3, Consistency::Bsp());
  d.Add(0, 1, 1);
  d.Add(2, 1, 3);
  EXPECT_EQ(d.Read(2, 1, 9), "");
  EXPECT_EQ(d.Leave(1, 0), "apply 0:1, apply 2:3, close 1, answer 2:9");
}

TEST(GateTest, ALeaveMayOvertakeTheLastRounds) {
  Driver d(2, Consistency::Bsp());
  d.Add(0, 1, 1);
  EXPECT_EQ(d.Leave(1, 1), "");
  EXPECT_EQ(d.gate.Missing(1), std::vector<int>{1});
  EXPECT_EQ(d.Close(1, 1, 2), "");
  EXPECT_EQ(d.Part(1, 1, 5), "");
  EXPECT_EQ(d.Part(1, 1, 4), "apply 0:1, apply 1:4, apply 1:5, close 1");
  EXPECT_EQ(d.Add(0, 2, 6), "apply 0:6, close 2");
}

TEST(GateTest, WhatALeaverLeftUnfinishedIsDropped) {
  Driver d(2, Consistency::Bsp());
  d.Part(1, 1, 4);
  EXPECT_EQ(d.Leave(1, 0), "drop 1:4");
  EXPECT_EQ(d.Part(1, 1, 5), "drop 1:5");
  EXPECT_EQ(d.Add(0, 1, 6), "apply 0:6, close 1");
  EXPECT_EQ(d.gate.state().num_dropped, 2u);
  EXPECT_EQ(d.Leave(1, 0), "");
  EXPECT_NE(d.Leave(1, 1), "");
}

// tbl-vec-58: one server of two, where only worker 0 has a row; worker 1 sends ticks.
TEST(GateTest, TicksCloseRoundsWhereAWorkerHasNothing) {
  Driver d(2, Consistency::Bsp());
  for (std::uint64_t round = 1; round <= 100; ++round) {
    EXPECT_EQ(d.Add(0, round, round), "");
    EXPECT_EQ(d.Read(0, round, 1000), "");
    const std::string k = std::to_string(round);
    EXPECT_EQ(d.Close(1, round, 0), "apply 0:" + k + ", close " + k + ", answer 0:1000");
    EXPECT_EQ(d.Read(1, round, 1001), "answer 1:1001");
  }
}

// tbl-vec-60: a gate per table, so that the order of calls to several tables does not matter.
TEST(GateTest, TablesDoNotWaitForEachOther) {
  Driver a(2, Consistency::Bsp());
  Driver b(2, Consistency::Bsp());
  EXPECT_EQ(a.Add(0, 1, 1), "");
  EXPECT_EQ(a.Read(0, 1, 2), "");
  EXPECT_EQ(b.Add(0, 1, 3), "");
  EXPECT_EQ(b.Read(0, 1, 4), "");
  EXPECT_EQ(a.Add(1, 1, 5), "apply 0:1, apply 1:5, close 1, answer 0:2");
  EXPECT_EQ(b.Add(1, 1, 6), "apply 0:3, apply 1:6, close 1, answer 0:4");
}

// tbl-vec-61
TEST(GateTest, AReaderAheadOfItsBoundWaitsForTheSlowest) {
  Driver d(2, Consistency::Ssp(1));
  for (std::uint64_t round = 1; round <= 3; ++round)
    EXPECT_EQ(d.Add(0, round, round), "apply 0:" + std::to_string(round));
  EXPECT_EQ(d.Add(1, 1, 7), "apply 1:7");
  EXPECT_EQ(d.Read(0, 3, 8), "");
  EXPECT_EQ(d.gate.Missing(3), std::vector<int>{1});
  EXPECT_EQ(d.Add(1, 2, 9), "apply 1:9, answer 0:8");
  EXPECT_EQ(d.Read(1, 2, 10), "answer 1:10");
}

// tbl-vec-62
TEST(GateTest, BoundZeroHasAtLeastEveryAddOfTheTaggedRound) {
  Driver d(2, Consistency::Ssp(0));
  d.Add(0, 1, 1);
  d.Add(0, 2, 2);
  EXPECT_EQ(d.Read(0, 2, 9), "");
  EXPECT_EQ(d.Add(1, 1, 3), "apply 1:3");
  EXPECT_EQ(d.Add(1, 2, 4), "apply 1:4, answer 0:9");
}

TEST(GateTest, TheFloorIsOfThoseWhoAreStillIn) {
  Driver d(3, Consistency::Ssp(0));
  d.Add(0, 1, 1);
  d.Add(1, 1, 1);
  EXPECT_EQ(d.Read(0, 1, 9), "");
  EXPECT_EQ(d.Leave(2, 0), "answer 0:9");
  EXPECT_EQ(d.Leave(1, 1), "");
  d.Add(0, 2, 1);
  EXPECT_EQ(d.Read(0, 2, 9), "answer 0:9");
}

// tbl-vec-64
TEST(GateTest, ALateRoundOfABackupWorkerIsDroppedAndCounted) {
  Driver d(3, Consistency::Bsp(1));
  EXPECT_EQ(d.Add(0, 1, 1), "");
  EXPECT_EQ(d.Add(1, 1, 2), "apply 0:1, apply 1:2, close 1");
  EXPECT_EQ(d.Add(2, 1, 3), "drop 2:3");
  EXPECT_EQ(d.gate.state().num_dropped, 1u);
  EXPECT_EQ(d.Read(2, 1, 4), "answer 2:4");
  EXPECT_EQ(d.Add(2, 2, 5), "");
  EXPECT_EQ(d.Add(1, 2, 6), "apply 1:6, apply 2:5, close 2");
}

TEST(GateTest, APartThatCameBeforeItsRoundClosedWithoutItsSenderIsDropped) {
  Driver d(2, Consistency::Bsp(1));
  EXPECT_EQ(d.Part(0, 1, 1), "");
  EXPECT_EQ(d.Add(1, 1, 2), "drop 0:1, apply 1:2, close 1");
  EXPECT_EQ(d.Part(0, 1, 3), "drop 0:3");
  EXPECT_EQ(d.Close(0, 1, 2), "");
  EXPECT_EQ(d.gate.clock(0), 1u);
}

// tbl-vec-65: as far as the gate decides it.
TEST(GateTest, ArrivalOrderDoesNotShow) {
  for (int seed = 0; seed < 20; ++seed) {
    Driver d(4, Consistency::Bsp());
    std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7};
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    for (int worker = 0; worker < 4; ++worker) d.Close(worker, 1, 2);
    std::string text;
    for (const int part : order) text += d.Part(part / 2, 1, part);
    EXPECT_EQ(
        text,
        "apply 0:0, apply 0:1, apply 1:2, apply 1:3, apply 2:4, apply 2:5, apply 3:6, apply 3:7, close 1");
  }
}

TEST(GateTest, WithoutOrderAReadSeesAtLeastItsReadersOwnRounds) {
  Driver d(2, Consistency::Asp());
  EXPECT_EQ(d.Read(0, 2, 9), "");
  EXPECT_EQ(d.Add(0, 2, 2), "apply 0:2");
  EXPECT_EQ(d.Add(0, 1, 1), "apply 0:1, answer 0:9");
  EXPECT_EQ(d.Read(1, 0, 8), "answer 1:8");
}

// Limit (a): the same messages, in another order on another server.
TEST(GateTest, WithBackupWorkersServersDecideApart) {
  Driver here(2, Consistency::Bsp(1));
  Driver there(2, Consistency::Bsp(1));
  EXPECT_EQ(here.Add(0, 1, 1), "apply 0:1, close 1");
  EXPECT_EQ(here.Add(1, 1, 2), "drop 1:2");
  EXPECT_EQ(there.Add(1, 1, 2), "apply 1:2, close 1");
  EXPECT_EQ(there.Add(0, 1, 1), "drop 0:1");
}

// Limit (b): what comes twice is seen only where the round says so.
TEST(GateTest, WhatCannotBeIsRefusedAndChangesNothing) {
  Driver d(2, Consistency::Bsp());
  EXPECT_NE(d.Part(2, 1, 1), "");
  EXPECT_NE(d.Part(-1, 1, 1), "");
  EXPECT_NE(d.Part(0, 0, 1), "");
  EXPECT_NE(d.Part(0, Gate::kMaxRound + 1, 1), "");
  EXPECT_NE(d.Read(0, ~std::uint64_t{0}, 1), "");
  EXPECT_NE(d.Close(0, 1, ~std::uint32_t{0}), "");
  EXPECT_EQ(d.Close(0, 2, 1), "");
  EXPECT_NE(d.Close(0, 2, 1), "") << "twice";
  EXPECT_EQ(d.Part(0, 2, 3), "");
  EXPECT_EQ(d.Part(0, 2, 4), "round 2 of worker 0 has more than 1 parts");
  EXPECT_EQ(d.Part(0, 1, 1), "");
  EXPECT_EQ(d.Part(0, 1, 2), "");
  EXPECT_EQ(d.Close(0, 1, 1), "round 1 of worker 0 is closed with 1 parts, but 2 came");
  EXPECT_EQ(d.Close(0, 1, 2), "");
  EXPECT_EQ(d.gate.clock(0), 2u);
  EXPECT_EQ(d.Part(0, 2, 3), "round 2 of worker 0 is complete already");
  EXPECT_NE(d.Leave(0, 1), "");
  EXPECT_EQ(d.Leave(1, 2), "");
  EXPECT_NE(d.Close(1, 3, 0), "");
  EXPECT_NE(d.Read(1, 3, 1), "");
  EXPECT_EQ(d.Add(1, 1, 5), "apply 0:1, apply 0:2, apply 1:5, close 1");
  EXPECT_EQ(d.Add(1, 2, 6), "apply 0:3, apply 1:6, close 2");
}

TEST(GateTest, OneWorkerCannotOpenRoundsWithoutEnd) {
  Driver d(1, Consistency::Asp());
  std::uint64_t round = 2;
  while (d.Close(0, round, 0).empty() && round < (2u << 20)) ++round;
  EXPECT_EQ(round, 2 + (1u << 20));
  EXPECT_EQ(d.Close(0, 1, 0), "");
  EXPECT_EQ(d.gate.clock(0), round - 1);
}

// Limit (c)
TEST(GateTest, SaysWhomARoundWaitsFor) {
  Driver d(4, Consistency::Bsp());
  d.Add(1, 1, 1);
  d.Add(1, 2, 1);
  d.Add(3, 1, 1);
  d.Leave(0, 1);
  EXPECT_EQ(d.gate.Missing(0), std::vector<int>{});
  EXPECT_EQ(d.gate.Missing(1), (std::vector<int>{0, 2}));
  EXPECT_EQ(d.gate.Missing(2), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(Driver(2, Consistency::Asp()).gate.Missing(5), std::vector<int>{});
  EXPECT_EQ(Driver(2, Consistency::Ssp(3)).gate.Missing(3), std::vector<int>{});
  EXPECT_EQ(Driver(2, Consistency::Ssp(3)).gate.Missing(4), (std::vector<int>{0, 1}));
}

TEST(GateTest, ALostWorkerIsNotWaitedForAndItsCompleteRoundsCount) {
  Driver d(3, Consistency::Bsp());
  d.Add(2, 1, 1);
  d.Part(2, 2, 2);
  d.Add(2, 3, 3);
  d.Read(2, 1, 9);
  d.Add(0, 1, 4);
  EXPECT_EQ(d.Lose(2), "cancel 2:9, drop 2:2, drop 2:3");
  EXPECT_EQ(d.Add(1, 1, 5), "apply 0:4, apply 1:5, apply 2:1, close 1");
  EXPECT_EQ(d.Lose(2), "");
  d.Add(0, 2, 6);
  EXPECT_EQ(d.Add(1, 2, 7), "apply 0:6, apply 1:7, close 2");
}

TEST(GateTest, ALossReleasesWhatWaitedForIt) {
  Driver bsp(2, Consistency::Bsp());
  bsp.Add(0, 1, 1);
  bsp.Read(0, 1, 9);
  EXPECT_EQ(bsp.Lose(1), "apply 0:1, close 1, answer 0:9");
  Driver ssp(2, Consistency::Ssp(0));
  ssp.Add(0, 1, 1);
  ssp.Read(0, 1, 9);
  EXPECT_EQ(ssp.Lose(1), "answer 0:9");
}

TEST(GateTest, ARestartedWorkerGoesOnAfterItsCompleteRounds) {
  Driver d(2, Consistency::Bsp());
  d.Add(1, 1, 1);
  d.Part(1, 2, 2);
  d.Read(1, 1, 9);
  EXPECT_EQ(d.Rejoin(1, 0), "cancel 1:9, drop 1:2");
  EXPECT_EQ(d.rejoined.clock, 1u);
  EXPECT_EQ(d.rejoined.lost_rounds, 0u);
  EXPECT_EQ(d.Add(0, 1, 3), "apply 0:3, apply 1:1, close 1");
  EXPECT_EQ(d.Add(1, 2, 4), "");
  EXPECT_EQ(d.Add(0, 2, 5), "apply 0:5, apply 1:4, close 2");
}

TEST(GateTest, OneThatWasLostComesBackWhereTheOthersAre) {
  Driver d(2, Consistency::Bsp());
  d.Lose(1);
  for (std::uint64_t round = 1; round <= 7; ++round) d.Add(0, round, round);
  EXPECT_EQ(d.Rejoin(1, 0), "");
  EXPECT_EQ(d.rejoined.clock, 7u);
  EXPECT_EQ(d.Add(0, 8, 1), "");
  EXPECT_EQ(d.Add(1, 8, 2), "apply 0:1, apply 1:2, close 8");

  Driver ssp(2, Consistency::Ssp(1));
  ssp.Lose(1);
  for (std::uint64_t round = 1; round <= 7; ++round) ssp.Add(0, round, round);
  ssp.Rejoin(1, 0);
  EXPECT_EQ(ssp.rejoined.clock, 7u);
  ssp.Add(0, 8, 1);
  EXPECT_EQ(ssp.Read(0, 8, 9), "answer 0:9");
  ssp.Add(0, 9, 1);
  EXPECT_EQ(ssp.Read(0, 9, 9), "");
}

TEST(GateTest, ARestoredServerAdoptsTheRoundsOfThoseWhoComeBack) {
  Driver before(2, Consistency::Bsp());
  for (std::uint64_t round = 1; round <= 5; ++round) {
    before.Add(0, round, 1);
    before.Add(1, round, 2);
  }
  before.Add(0, 6, 1);  // not applied: not in the checkpoint
  const GateState saved = before.gate.state();

  Driver d(2, Consistency::Bsp());
  Gate gate(2, Consistency::Bsp(), saved);
  Gate::Actions actions;
  EXPECT_EQ(gate.clock(0), 5u);
  EXPECT_EQ(gate.Rejoin(0, 9, &actions).value().lost_rounds, 4u);
  EXPECT_TRUE(gate.Read(0, 9, 77, &actions).ok());
  EXPECT_TRUE(actions.empty());
  EXPECT_EQ(gate.Rejoin(1, 8, &actions).value().lost_rounds, 3u);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Gate::Action::kClose);
  EXPECT_EQ(actions[0].round, 8u);
  EXPECT_EQ(gate.state().version, 8u);
  actions.clear();
  EXPECT_TRUE(gate.Part(1, 9, 5, &actions).ok() && gate.Close(1, 9, 1, &actions).ok());
  ASSERT_EQ(actions.size(), 3u);
  EXPECT_EQ(actions[0].token, 5u);
  EXPECT_EQ(actions[1].kind, Gate::Action::kClose);
  EXPECT_EQ(actions[2].token, 77u);
}

TEST(GateTest, AJumpOverAnyNumberOfRoundsIsOneStep) {
  Driver d(3, Consistency::Bsp(1));
  d.Rejoin(0, Gate::kMaxRound);
  EXPECT_EQ(d.Rejoin(1, Gate::kMaxRound), "close " + std::to_string(Gate::kMaxRound));
  EXPECT_EQ(d.Read(1, Gate::kMaxRound, 1), "answer 1:1");
}

TEST(GateTest, AnotherNumberOfWorkersBeginsWhereTheOldOnesWere) {
  GateState state;
  state.version = 20;
  state.clocks = {{20, GateState::kStays}, {12, 12}};
  EXPECT_EQ(Gate(1, Consistency::Bsp(), state).clock(0), 20u);
  EXPECT_EQ(Gate(3, Consistency::Asp(), state).clock(2), 20u);
  const Gate same(2, Consistency::Bsp(), state);
  EXPECT_EQ(same.clock(1), 12u);
  EXPECT_EQ(same.Missing(21), std::vector<int>{0});
}

TEST(GateTest, FirstMissingStopsAtTheLowestThatOwesTheRound) {
  Driver d(4, Consistency::Bsp(1));
  EXPECT_EQ(d.gate.FirstMissing(), 0);
  d.Add(1, 1, 1);
  EXPECT_EQ(d.gate.FirstMissing(), 0);
  d.Leave(0, 0);
  EXPECT_EQ(d.gate.FirstMissing(), 2);
  d.Part(2, 1, 1);
  EXPECT_EQ(d.gate.FirstMissing(), 2) << "its round is not complete";
  EXPECT_EQ(d.Close(2, 1, 1), "apply 1:1, apply 2:1, close 1");
  EXPECT_EQ(d.gate.FirstMissing(), 1) << "of round 2";
  d.Lose(1);
  d.Rejoin(0, 0);
  EXPECT_EQ(d.gate.FirstMissing(), 0);
}

TEST(GateTest, OneReadCanBeTakenBack) {
  Driver d(2, Consistency::Bsp());
  d.Add(0, 1, 1);
  d.Read(0, 1, 8);
  d.Read(0, 1, 9);
  d.Read(0, 2, 9);  // before its own parts
  EXPECT_EQ(d.CancelRead(0, 9), "cancel 0:9, cancel 0:9");
  EXPECT_EQ(d.CancelRead(0, 9), "");
  EXPECT_EQ(d.Add(1, 1, 1), "apply 0:1, apply 1:1, close 1, answer 0:8");
}

}  // namespace
}  // namespace ps
