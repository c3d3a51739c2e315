#include "store/table_lanes.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

// Which tasks ran where. A task that is apart runs while its poster looks on.
class TableLanesTest : public testing::Test {
 protected:
  ~TableLanesTest() override { executors_.Close(); }

  auto Task(int number) {
    return [this, number] {
      seen_.push_back(number);
      is_here_.push_back(std::this_thread::get_id() == poster_);
    };
  }

  Watchdog watchdog_;
  const std::thread::id poster_ = std::this_thread::get_id();
  std::vector<int> seen_;
  std::vector<bool> is_here_;
  TableSlots::Slot slot_;
  Executors executors_{0};
  TableLanes lanes_{&executors_};
};

TEST_F(TableLanesTest, WhatABuiltInRuleDoesRunsHereAndWhatAUsersDoesApart) {
  lanes_.Post(slot_, Task(1));
  slot_.is_builtin = false;
  lanes_.Post(slot_, Task(2));
  lanes_.Post(slot_, Task(3));
  executors_.Drain();
  EXPECT_EQ(seen_, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(is_here_, (std::vector<bool>{true, false, false}));
}

TEST_F(TableLanesTest, ATaskMayChangeTheRuleAndThoseBehindItAreWhereTheNewOneMayRun) {
  lanes_.Post(slot_, [this] { slot_.is_builtin = false; });
  lanes_.Post(slot_, Task(1));
  lanes_.Post(slot_, [this] { slot_.is_builtin = true; });
  executors_.Drain();
  lanes_.Post(slot_, Task(2));
  EXPECT_EQ(is_here_, (std::vector<bool>{false, true}));
}

TEST_F(TableLanesTest, NothingOvertakesWhatIsApart) {
  std::promise<void> may_end;
  lanes_.PostApart(slot_, [&may_end] { may_end.get_future().wait(); });
  lanes_.Post(slot_, Task(1));
  EXPECT_TRUE(seen_.empty());
  may_end.set_value();
  lanes_.Post(slot_, Task(2));
  executors_.Drain();
  lanes_.Post(slot_, Task(3));
  EXPECT_EQ(seen_, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(is_here_[0]);
  EXPECT_TRUE(is_here_[2]) << "it has come back";
}

TEST_F(TableLanesTest, ATaskThatThrowsHoldsNothingAway) {
  lanes_.PostApart(slot_, [] { throw std::runtime_error("no good"); });
  executors_.Drain();
  lanes_.Post(slot_, Task(1));
  EXPECT_EQ(is_here_, (std::vector<bool>{true}));
}

TEST_F(TableLanesTest, WithThreadsASlotStaysOnItsLane) {
  Executors executors(2);
  TableLanes lanes(&executors);
  slot_.lane = 1;
  std::vector<std::thread::id> ran;
  const auto task = [&ran] { ran.push_back(std::this_thread::get_id()); };
  lanes.Post(slot_, task);
  slot_.is_builtin = false;
  lanes.Post(slot_, task);
  lanes.PostApart(slot_, task);
  executors.Drain();
  executors.Close();
  ASSERT_EQ(ran.size(), 3u);
  EXPECT_EQ(ran[0], ran[1]);
  EXPECT_EQ(ran[0], ran[2]);
}

}  // namespace
}  // namespace ps
