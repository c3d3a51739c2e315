#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

// A worker that has not contributed yet has seen the values of now, whatever they are; its delay begins with
// its first contribution.
TEST(DcAsgdTest, TheFirstContributionIsNotCompensated) {
  for (const char* name : {"dcasgd", "dcasgd_a"}) {
    RuleTable<double> table(name, {{"lr", "0.5"}, {"lambda", "4"}}, {100}, 2);
    table.Add({1}, 1);
    EXPECT_EQ(table.values(), std::vector<double>{99}) << name;
    EXPECT_EQ(table.state(1), std::vector<double>{99}) << name;
  }
}

TEST(DcAsgdTest, CompensatesForWhatOthersDidMeanwhile) {
  RuleTable<double> table("dcasgd", {{"lr", "0.5"}, {"lambda", "0.25"}}, {10}, 2);
  table.Add({1}, 0);  // 9, seen by 0
  table.Add({2}, 1);  // 7, seen by 1
  table.Add({1}, 0);  // g = 2: 7 - .5 * (2 + .25 * 4 * (7 - 9))
  EXPECT_EQ(table.values(), std::vector<double>{7});
  EXPECT_EQ(table.state(0), std::vector<double>{7});
  table.Add({1}, 1);
  EXPECT_EQ(table.values(), std::vector<double>{6}) << "nothing has changed since worker 1";
}

TEST(DcAsgdTest, AValueOfZeroIsSeenToo) {
  RuleTable<double> table("dcasgd", {{"lr", "1"}, {"lambda", "1"}}, {1}, 2);
  table.Add({1}, 0);   // 0
  table.Add({-3}, 1);  // 3
  table.Add({1}, 0);   // 3 - (1 + 1 * (3 - 0))
  EXPECT_EQ(table.values(), std::vector<double>{-1});
}

TEST(DcAsgdATest, HasOneMeanSquareForAllWorkers) {
  RuleTable<double> table("dcasgd_a", {{"lr", "1"}, {"momentum", "0.5"}}, {0}, 2);
  ASSERT_EQ(table.updater().NumStates(), 3);
  table.Add({2}, 0);
  table.Add({4}, 1);
  EXPECT_EQ(table.state(2), std::vector<double>{9});
}

}  // namespace
}  // namespace ps
