#include "store/rule_work.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <vector>

#include "tests/support/watchdog.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

// A table of three slots on three threads.
class RuleWorkTest : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 300000;

  RuleWorkTest() {
    spec_.name = "w";
    spec_.rows = kRows;
    place_.range = Range(0, kRows);
    place_.num_lanes = executors_.num_lanes();
    place_.budget = &budget_;
    slots_ = TableSlots::Make(spec_, place_).value();
    work_ = std::make_unique<RuleWork>(slots_.get(), &lanes_);
  }
  ~RuleWorkTest() override { executors_.Close(); }

  Status Change(const TableRule& rule, bool asks) {
    std::promise<Status> answer;
    const auto reply = std::make_shared<Reply>(
        1, [&answer](StoreAnswer&& from) { answer.set_value(from.replies[0].status); });
    std::shared_ptr<TableSlots> next = slots_->WithRule(rule).value();
    if (asks) {
      work_->AskRoom(std::move(next), reply, 0);
    } else {
      work_->Change(std::move(next), reply, 0);
    }
    return answer.get_future().get();
  }
  // Each slot adds ones to its rows, as its rule does it, behind what was posted.
  void AddOnes() {
    for (std::size_t i = 0; i < slots_->size(); ++i) {
      executors_.Post((*slots_)[i].lane, [slot = &(*slots_)[i]] {
        const Floats ones(slot->num_rows, 1);
        (void)slot->shard->Update(RowSet::Range(slot->first_row, slot->num_rows), ones.data(), {});
      });
    }
  }
  Floats Values() {
    executors_.Drain();
    Floats values(kRows);
    for (std::size_t i = 0; i < slots_->size(); ++i) {
      const TableSlots::Slot& slot = (*slots_)[i];
      slot.shard->Read(RowSet::Range(slot.first_row, slot.num_rows), values.data() + slot.first_row);
    }
    return values;
  }

  Watchdog watchdog_;
  MemoryBudget budget_;
  Executors executors_{3};
  TableLanes lanes_{&executors_};
  TableSpec spec_;
  TableSlots::Place place_;
  std::unique_ptr<TableSlots> slots_;
  std::unique_ptr<RuleWork> work_;
};

TEST_F(RuleWorkTest, EverySlotComesToTheChangeInTheOrderOfTheCalls) {
  ASSERT_EQ(slots_->size(), 3u);
  AddOnes();
  AddOnes();
  EXPECT_TRUE(Change({{"sgd", {{"lr", "5"}}}, false, {}}, false).ok());
  AddOnes();
  work_->Configure({{"lr", "10"}});
  AddOnes();
  EXPECT_EQ(Values(), Floats(kRows, 2 - 5 - 10));
}

TEST_F(RuleWorkTest, ARuleThatComesWithTheLibraryNeedsNoFirstValuesOfTheOneBefore) {
  for (std::size_t i = 0; i < slots_->size(); ++i)
    lanes_.Post((*slots_)[i], [slot = &(*slots_)[i]] {
      slot->is_builtin = false;
      slot->broken = Status::Unavailable("no first values");
    });
  EXPECT_TRUE(Change({{"sgd", {{"lr", "5"}}}, false, {}}, false).ok());
  executors_.Drain();
  for (std::size_t i = 0; i < slots_->size(); ++i) EXPECT_TRUE((*slots_)[i].broken.ok()) << i;
}

TEST_F(RuleWorkTest, AQuestionChangesNothingAndItsMemoryIsFreeWhenItIsAnswered) {
  AddOnes();
  executors_.Drain();
  const std::uint64_t used = budget_.used_bytes();
  EXPECT_TRUE(Change({{"adam", {}}, false, {}}, true).ok());
  EXPECT_EQ(budget_.used_bytes(), used);
  AddOnes();
  EXPECT_EQ(Values(), Floats(kRows, 2));
  EXPECT_TRUE(Change({{"adam", {}}, false, {}}, false).ok());
  EXPECT_EQ(Values(), Floats(kRows, 2));
  EXPECT_GT(budget_.used_bytes(), used + 2 * kRows * sizeof(float) - 1);
}

}  // namespace
}  // namespace ps
