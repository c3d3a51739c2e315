#include "store/updater/target.h"

#include <gtest/gtest.h>

#include <string>

#include "ps/updater.h"

namespace ps {
namespace {

TEST(TargetTest, SaysWhatIsPossibleInstead) {
  const auto text = [](DType dtype) { return RefuseTarget("adam", dtype).message(); };
  EXPECT_NE(text(DType::kI32).find("'adam'"), std::string::npos);
  EXPECT_NE(text(DType::kI32).find("a table of i32"), std::string::npos);
  EXPECT_NE(text(DType::kI32).find("assign, add and sgd"), std::string::npos);
  EXPECT_NE(text(DType::kBool).find("assign only"), std::string::npos);
  EXPECT_NE(text(DType::kBF16).find("but in f32"), std::string::npos);
}

TEST(TargetTest, IntegersHaveExactRulesOnly) {
  for (const std::string& name : UpdaterNames()) {
    if (name == kNoUpdater) continue;  // it does nothing, to any
    const bool is_exact = name == "assign" || name == "add" || name == "sgd";
    for (int code = 0; code < kNumDTypes; ++code) {
      const auto dtype = static_cast<DType>(code);
      if (IsFloat(dtype)) continue;
      const Status status = MakeUpdater(name, {}, {dtype, 1}).status();
      const bool is_taken = dtype == DType::kBool ? name == "assign" : is_exact;
      EXPECT_EQ(status.ok(), is_taken) << name << " " << NameOf(dtype) << " " << status;
      EXPECT_EQ(status.code(), is_taken ? StatusCode::kOk : StatusCode::kInvalidArgument);
    }
  }
}

}  // namespace
}  // namespace ps
