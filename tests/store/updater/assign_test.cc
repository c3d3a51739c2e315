#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

TEST(AssignTest, TheLastContributionStays) {
  RuleTable<float> floats("assign", {}, {1, 2});
  floats.Add({3, 4});
  floats.Add({5, 6});
  EXPECT_EQ(floats.values(), (std::vector<float>{5, 6}));
  EXPECT_EQ(floats.updater().shortcut(), Updater::Shortcut::kAssign);
}

TEST(AssignTest, TakesEveryDType) {
  for (int code = 0; code < kNumDTypes; ++code) {
    const DType dtype = MasterOf(static_cast<DType>(code));
    const auto updater = Make("assign", {}, {dtype, 1});
    std::vector<std::uint8_t> values(3 * SizeOf(dtype) + 1, 7);
    const std::vector<std::uint8_t> delta(3 * SizeOf(dtype), 9);
    const UpdateRun run = {values.data(), delta.data(), 3};
    updater->Update(&run, 1, {});
    std::vector<std::uint8_t> expected(delta);
    expected.push_back(7);
    EXPECT_EQ(values, expected) << NameOf(dtype);
  }
}

TEST(AssignTest, HasNoOptions) {
  EXPECT_EQ(MakeUpdater("assign", {{"rate", "2"}}, {}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ps
