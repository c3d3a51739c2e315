// A rule of the program's own on a living table: it runs on threads of the server, never on one that
// receives, and in its place among what comes before and after it.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "tests/support/job.h"
#include "tests/support/ruled_table.h"

namespace ps {
namespace {

std::atomic<int> num_calls{0};
std::atomic<int> num_elsewhere{0};  // not on a thread of a server

void CountThread() {
  char name[16] = {};
  (void)pthread_getname_np(pthread_self(), name, sizeof(name));
  ++num_calls;
  if (std::string(name).compare(0, 7, "ps-srv-") != 0) ++num_elsewhere;
}

// Of one element; what it makes depends on the order of the calls, and on how many there were.
void Fold(float* value, float delta, float* calls) { *value = 2 * *value + delta + (*calls += 1); }

void FoldCall(const UpdaterCall* call, void*) {
  CountThread();
  for (std::size_t i = 0; i < call->size; ++i)
    Fold(static_cast<float*>(call->values) + i, static_cast<const float*>(call->delta)[i],
         static_cast<float*>(call->states[0]) + i);
}

std::shared_future<void> may_end;  // of the rule "stuck", in the test that runs

void StuckCall(const UpdaterCall* call, void* argument) {
  may_end.wait();
  FoldCall(call, argument);
}

class StoreUserRule : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    static const Status fold = RegisterUpdaterFunction("fold", FoldCall, 1, nullptr);
    static const Status stuck = RegisterUpdaterFunction("stuck", StuckCall, 1, nullptr);
    ASSERT_TRUE(fold.ok() && stuck.ok());
    num_calls = 0;
    num_elsewhere = 0;
    folder_ = NewFolder("store_user_rule");
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    EXPECT_GT(num_calls, 0);
    EXPECT_EQ(num_elsewhere, 0) << "of " << num_calls << " calls";
  }

  // Contributes ones, and does the same to an element of the test.
  void Add(StoreTable& table, int times) {
    for (int i = 0; i < times; ++i) {
      table.AddAsync(Rows::All(), Floats(kSize, 1).data());
      if (is_folded_) Fold(&value_, 1, &calls_);
      if (!is_folded_) value_ += 1;
    }
  }
  void SetRule(StoreTable& table, const std::string& name) {
    table.SetUpdater(Choice(name)).Wait();
    is_folded_ = name != "add";
    calls_ = 0;
  }
  Floats Expected() const { return Floats(kSize, value_); }

  std::string folder_;
  bool is_folded_ = false;
  float value_ = 0;
  float calls_ = 0;
};
class StoreUserRuleInline : public StoreUserRule {};
INSTANTIATE_TEST_SUITE_P(Ways, StoreUserRule, EveryWay(), NameOfWay);
INSTANTIATE_TEST_SUITE_P(Ways, StoreUserRuleInline, testing::Values(Way::kLoopback, Way::kClusterInline),
                         NameOfWay);

TEST_P(StoreUserRule, ItTakesTheTableOverInOrderAndGivesItBack) {
  StoreWorld world(GetParam(), 2, 1);
  const auto table = world[0].Create(Spec("add"));
  Add(*table, 10);
  SetRule(*table, "fold");
  Add(*table, 5);
  SetRule(*table, "add");
  Add(*table, 10);
  EXPECT_EQ(Values(*table), Expected());
  SetRule(*table, "fold");
  Add(*table, 3);
  EXPECT_EQ(Values(*table), Expected());
  SetRule(*table, "add");
  EXPECT_EQ(Values(*table), Expected());
  Add(*table, 1);
  EXPECT_EQ(Values(*table), Expected());
}

TEST_P(StoreUserRule, WithRoundsItBeginsWithItsOwn) {
  StoreWorld world(GetParam(), 2, 2);
  const auto tables = world.Create(Spec("add", Consistency::Bsp()));
  const Floats ones(kSize, 1);
  tables[0]->AddAsync(Rows::All(), ones.data());
  tables[0]->SetUpdater(Choice("fold")).Wait();  // from round 2 on
  for (int round = 2; round <= 4; ++round) tables[0]->AddAsync(Rows::All(), ones.data());
  value_ = 2;  // of round 1
  for (int round = 1; round <= 4; ++round) {
    tables[1]->AddAsync(Rows::All(), ones.data());
    if (round > 1) Fold(&value_, 2, &calls_);
    EXPECT_EQ(Values(*tables[1]), Expected()) << "round " << round;
  }
}

// One that was made with another rule, and one that is not there, are restored with the one in force.
TEST_P(StoreUserRule, ARestoredTableGoesOnWithIt) {
  {
    StoreWorld world(GetParam(), 2, 1);
    const auto table = world[0].Create(Spec("add"));
    Add(*table, 2);
    SetRule(*table, "fold");
    Add(*table, 3);
    world[0].Save(folder_);
  }
  const float saved = value_;
  const float saved_calls = calls_;
  for (const bool is_there : {true, false}) {
    value_ = saved;
    calls_ = saved_calls;
    StoreWorld world(GetParam(), 3, 1);
    std::unique_ptr<StoreTable> table;
    if (is_there) table = world[0].Create(Spec("add"));
    world[0].Load(folder_);
    if (!is_there) table = world[0].Create(Spec("add"));
    EXPECT_EQ(Values(*table), Expected());
    Add(*table, 4);
    EXPECT_EQ(Values(*table), Expected());
  }
}

TEST_P(StoreUserRule, ItComesWithItsStatesFromACheckpoint) {
  {
    StoreWorld world(GetParam(), 2, 1);
    const auto table = world[0].Create(Spec("add"));
    SetRule(*table, "fold");
    Add(*table, 3);
    world[0].Save(folder_);
  }
  for (const auto what : {LoadOptions::kStates, LoadOptions::kStatesAndRule}) {
    StoreWorld world(GetParam(), 3, 1);
    const auto table = world[0].Create(Spec("add"));
    is_folded_ = false;
    value_ = 0;
    Add(*table, 2);
    if (what == LoadOptions::kStates) SetRule(*table, "fold");
    world[0].Load(folder_, {what, ""});
    is_folded_ = true;
    calls_ = 3;
    Add(*table, 2);
    EXPECT_EQ(Values(*table), Expected()) << what;
  }
}

TEST_P(StoreUserRuleInline, WhileItIsStuckOtherTablesGoOnAndItsOwnWaitsInOrder) {
  StoreWorld world(GetParam(), 2, 1);
  std::promise<void> release;
  may_end = release.get_future().share();
  const auto table = world[0].Create(Spec("add"));
  TableSpec spec = Spec("add");
  spec.name = "other";
  const auto other = world[0].Create(spec);
  Add(*table, 2);
  SetRule(*table, "stuck");
  Add(*table, 2);
  Floats read(kSize);
  const Ticket stuck = table->GetAsync(Rows::All(), read.data());
  other->Add(Rows::All(), Floats(kSize, 7).data());
  EXPECT_EQ(Values(*other), Floats(kSize, 7));
  EXPECT_FALSE(stuck.Done());
  const Floats expected = Expected();
  Add(*table, 1);
  release.set_value();
  stuck.Wait();
  EXPECT_EQ(read, expected);
  SetRule(*table, "add");
  Add(*table, 1);
  EXPECT_EQ(Values(*table), Expected());
}

}  // namespace
}  // namespace ps
