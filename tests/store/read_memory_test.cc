#include "store/read_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace ps {
namespace {

using Places = std::vector<std::uint32_t>;

TEST(ReadMemoryTest, NothingIsSeenAtFirst) {
  ReadMemory::Impl memory;
  EXPECT_EQ(memory.PlanOfAll(0).since, 0u);
  const std::vector<std::uint64_t> rows{5, 6};
  EXPECT_EQ(memory.PlanOf(0, rows.data(), 2).unseen, (Places{0, 1}));
}

TEST(ReadMemoryTest, RowsAreRememberedOneByOneAndByServer) {
  ReadMemory::Impl memory;
  memory.Saw(0, {1, 2}, 10, 1);
  memory.Saw(0, {2}, 12, 1);
  const std::vector<std::uint64_t> rows{3, 2, 1};
  const ReadMemory::Impl::Plan plan = memory.PlanOf(0, rows.data(), 3);
  EXPECT_EQ(plan.unseen, Places{0});
  EXPECT_EQ(plan.seen, (Places{1, 2}));
  EXPECT_EQ(plan.since, 10u);
  EXPECT_EQ(plan.epoch, 1u);
  EXPECT_EQ(memory.PlanOf(1, rows.data(), 3).unseen.size(), 3u);
  EXPECT_EQ(memory.PlanOfAll(0).since, 0u) << "some rows of it were never seen";
}

TEST(ReadMemoryTest, WhoHasSeenAllHasSeenEachRow) {
  ReadMemory::Impl memory;
  memory.Saw(0, {1}, 5, 1);
  memory.SawAll(0, 20, 1);
  memory.Saw(0, {2}, 25, 1);
  const std::vector<std::uint64_t> rows{1, 2};
  const ReadMemory::Impl::Plan plan = memory.PlanOf(0, rows.data(), 2);
  EXPECT_TRUE(plan.unseen.empty());
  EXPECT_EQ(plan.since, 20u);
}

TEST(ReadMemoryTest, AnOlderAnswerThatComesLateChangesNothing) {
  ReadMemory::Impl memory;
  memory.SawAll(0, 20, 1);
  memory.SawAll(0, 10, 1);
  EXPECT_EQ(memory.PlanOfAll(0).since, 20u);
}

TEST(ReadMemoryTest, ANewEpochBeginsAnew) {
  ReadMemory::Impl memory;
  memory.SawAll(0, 20, 1);
  memory.Saw(0, {1}, 3, 2);
  EXPECT_EQ(memory.PlanOfAll(0).since, 0u);
  EXPECT_EQ(memory.PlanOfAll(0).epoch, 2u);
  memory.Forget();
  EXPECT_EQ(memory.PlanOfAll(0).epoch, 0u);
}

}  // namespace
}  // namespace ps
