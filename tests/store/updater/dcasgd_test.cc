#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

// The delay of a worker that has not contributed yet began with the table, whatever the values were then.
TEST(DcAsgdTest, InitialValuesAreNoDelay) {
  for (const char* name : {"dcasgd", "dcasgd_a"}) {
    RuleTable<double> table(name, {{"lr", "0.5"}, {"lambda", "4"}}, {100}, 2);
    table.Add({1}, 1);
    EXPECT_EQ(table.values(), std::vector<double>{99}) << name;
    table.Add({1}, 1);
    EXPECT_EQ(table.values(), std::vector<double>{98}) << name << ": nothing has changed since worker 1";
  }
}

TEST(DcAsgdTest, CompensatesForWhatOthersDidMeanwhile) {
  RuleTable<double> table("dcasgd", {{"lr", "0.5"}, {"lambda", "0.25"}}, {10}, 2);
  table.Add({1}, 0);  // 9, seen by 0
  table.Add({2}, 1);  // g = 4, 1 since the beginning: 9 - .5 * (4 + .25 * 16 * (9 - 10)) = 9
  EXPECT_EQ(table.values(), std::vector<double>{9});
  table.Add({2}, 1);  // 7
  table.Add({1}, 0);  // g = 2: 7 - .5 * (2 + .25 * 4 * (7 - 9)) = 7
  EXPECT_EQ(table.values(), std::vector<double>{7});
}

TEST(DcAsgdATest, HasOneMeanSquareForAllWorkers) {
  RuleTable<double> table("dcasgd_a", {{"lr", "1"}, {"momentum", "0.5"}}, {0}, 2);
  ASSERT_EQ(table.updater().NumStates(), 4);
  table.Add({2}, 0);
  table.Add({4}, 1);
  EXPECT_EQ(table.state(3), std::vector<double>{9});
}

}  // namespace
}  // namespace ps
