#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(AddTest, AddsFloatsAndIntegers) {
  RuleTable<float> floats("add", {}, {1, -2});
  floats.Add({.5F, .25F});
  EXPECT_EQ(floats.values(), (std::vector<float>{1.5F, -1.75F}));
  RuleTable<std::int64_t> integers("add", {}, {1, std::int64_t{1} << 60});
  integers.Add({-3, 1});
  EXPECT_EQ(integers.values(), (std::vector<std::int64_t>{-2, (std::int64_t{1} << 60) + 1}));
  EXPECT_EQ(floats.updater().shortcut(), Updater::Shortcut::kAdd);
  EXPECT_EQ(integers.updater().shortcut(), Updater::Shortcut::kAdd);
}

// ADD(2) of the KVStore's vectors.
TEST(AddTest, ARateMultipliesWhatIsAdded) {
  RuleTable<float> floats("add", {{"rescale_grad", "2"}}, {1});
  floats.Add({3});
  EXPECT_EQ(floats.values(), std::vector<float>{7});
  EXPECT_EQ(floats.updater().shortcut(), Updater::Shortcut::kNone);
  RuleTable<std::int32_t> integers("add", {{"rate", "-2"}}, {1});
  integers.Add({3});
  EXPECT_EQ(integers.values(), std::vector<std::int32_t>{-5});
}

TEST(AddTest, IntegersWrapAround) {
  RuleTable<std::int8_t> bytes("add", {}, {127, -128});
  bytes.Add({1, -1});
  EXPECT_EQ(bytes.values(), (std::vector<std::int8_t>{-128, 127}));
  RuleTable<std::int32_t> words("add", {{"rate", "3"}}, {0});
  words.Add({std::numeric_limits<std::int32_t>::max()});
  EXPECT_EQ(words.values(), std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::max() - 2});
}

TEST(AddTest, IntegersTakeNoFractions) {
  for (const char* rate : {"0.5", "1e300", "9007199254740994"}) {
    const Status status = MakeUpdater("add", {{"rate", rate}}, {DType::kI32, 1}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << rate;
    EXPECT_NE(status.message().find("whole numbers"), std::string::npos);
  }
  const auto updater = Make("add", {{"rate", "2"}}, {DType::kI32, 1});
  EXPECT_FALSE(updater->Configure({{"rate", "0.5"}}).ok());
  std::int32_t value = 0;
  const std::int32_t delta = 1;
  const UpdateRun run = {&value, &delta, 1};
  updater->Update(&run, 1, {});
  EXPECT_EQ(value, 2) << "a refused option changes nothing";
}

TEST(AddTest, TruthIsNotAdded) {
  const Status status = MakeUpdater("add", {}, {DType::kBool, 1}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("assign"), std::string::npos);
}

// tbl-vec-55: rules belong to tables.
TEST(AddTest, TwoTablesHaveTwoRules) {
  RuleTable<float> sgd("sgd", {}, {0});
  RuleTable<float> add("add", {}, {0});
  sgd.Add({1});
  add.Add({1});
  EXPECT_EQ(sgd.values(), std::vector<float>{-1});
  EXPECT_EQ(add.values(), std::vector<float>{1});
}

}  // namespace
}  // namespace ps
