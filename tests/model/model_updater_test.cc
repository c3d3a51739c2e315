#include "ps/model_updater.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "model/model_rule.h"
#include "ps/updater.h"

namespace ps {
namespace {

class Nothing final : public ModelUpdater {
 public:
  void Update(int, const TensorView&, const TensorView&) override {}
};

TEST(ModelUpdaterTest, NamesAreThoseOfUpdatersAndNewOnes) {
  const ModelUpdaterFactory factory = [](DType) -> std::unique_ptr<ModelUpdater> {
    return std::make_unique<Nothing>();
  };
  EXPECT_FALSE(IsModelUpdater("nothing"));
  EXPECT_EQ(RegisterModelUpdater("nothing", factory), Status::Ok());
  EXPECT_TRUE(IsModelUpdater("nothing"));
  EXPECT_EQ(RegisterModelUpdater("nothing", factory).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(RegisterModelUpdater("sgd", factory).code(), StatusCode::kAlreadyExists);
  EXPECT_FALSE(IsModelUpdater("sgd"));
  EXPECT_EQ(RegisterModelUpdater("a b", factory).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RegisterModelUpdater("none of it", nullptr).code(), StatusCode::kInvalidArgument);
}

TEST(ModelUpdaterTest, TheRuleWantsAllThatItsServerHas) {
  static_cast<void>(RegisterModelUpdater(
      "all_of_it", [](DType) -> std::unique_ptr<ModelUpdater> { return std::make_unique<Nothing>(); }));
  ModelKeyOptions options;
  options.shape = {1, 1};
  const auto rule = MakeUpdater("all_of_it", options.Encode(), {DType::kF32, 1, nullptr});
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_TRUE(rule.value()->NeedsShare());
  EXPECT_FALSE(rule.value()->NeedsWhole());
}

}  // namespace
}  // namespace ps
