#include "model/model_rule.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/test_model_updater.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

UpdaterTarget TargetAt(std::shared_ptr<const UpdaterHost> host) { return {DType::kF32, 1, std::move(host)}; }

ModelKeyOptions KeyOf(const std::string& model, int key) {
  ModelKeyOptions options;
  options.model = model;
  options.key = key;
  options.shape = {1, 2};
  options.params = {{"start", "5"}, {"lr", "2"}};
  return options;
}

class ModelRuleTest : public testing::Test {
 protected:
  std::shared_ptr<ModelObjects> Objects() {
    return std::make_shared<ModelObjects>("mine", [this](DType) -> std::unique_ptr<ModelUpdater> {
      ++num_made_;
      return std::make_unique<TestModelUpdater>(&diary_);
    });
  }

  Watchdog watchdog_;
  UpdaterDiary diary_;
  int num_made_ = 0;
  const std::shared_ptr<const UpdaterHost> host_ =
      std::make_shared<UpdaterHost>(UpdaterHost{3, {"program", "-v"}});
};

TEST_F(ModelRuleTest, OptionsComeBackInTheirOrder) {
  ModelKeyOptions options = KeyOf("m", -7);
  for (int i = 0; i < 12; ++i)
    options.params.emplace_back("z" + std::to_string(12 - i), "v:" + std::to_string(i));
  options.params.emplace_back("a:b", "");
  const ModelKeyOptions back = ModelKeyOptions::Decode(options.Encode()).value();
  EXPECT_EQ(back.model, "m");
  EXPECT_EQ(back.key, -7);
  EXPECT_EQ(back.shape, options.shape);
  EXPECT_EQ(back.params, options.params);
}

TEST_F(ModelRuleTest, OtherOptionsAreRefusedAndSayWhatToDo) {
  ModelRule rule(Objects(), TargetAt(host_));
  const Status status = rule.Configure({{"lr", "1"}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("RegisterModelUpdater"), std::string::npos) << status;
  UpdaterOptions wrong = KeyOf("m", 1).Encode();
  wrong["key"] = "99999999999";
  EXPECT_FALSE(rule.Configure(wrong).ok());
}

TEST_F(ModelRuleTest, KeysOfOneModelShareAnObjectThatIsMadeWhenItIsNeeded) {
  const auto objects = Objects();
  std::vector<std::unique_ptr<ModelRule>> rules;
  for (int key = 0; key < 3; ++key) {
    rules.push_back(std::make_unique<ModelRule>(objects, TargetAt(host_)));
    ASSERT_EQ(rules.back()->Configure(KeyOf("m", key).Encode()), Status::Ok());
  }
  EXPECT_EQ(num_made_, 0);
  for (const auto& rule : rules) {
    float values[2] = {0, 0};
    ASSERT_EQ(rule->Initialize(values, 2), Status::Ok());
    EXPECT_EQ(values[1], 5);
    const float delta[2] = {1, 2};
    const UpdateRun run{values, delta, 2};
    rule->Update(&run, 1, {});
    EXPECT_EQ(values[0], 3);
    EXPECT_EQ(values[1], 1);
  }
  EXPECT_EQ(num_made_, 1);
  const UpdaterDiary::Life life = diary_.lives().front();
  EXPECT_EQ(life.rank, 3);
  EXPECT_EQ(life.command_line, (std::vector<std::string>{"program", "-v"}));
  EXPECT_EQ(life.params, KeyOf("m", 0).params);
  EXPECT_EQ(diary_.inits(), (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}}));
}

TEST_F(ModelRuleTest, ModelsServersAndParametersHaveObjectsOfTheirOwn) {
  const auto objects = Objects();
  const auto other_host = std::make_shared<UpdaterHost>();
  const auto first = objects->Get(TargetAt(host_), KeyOf("m", 0));
  EXPECT_EQ(objects->Get(TargetAt(host_), KeyOf("m", 1)), first);
  EXPECT_NE(objects->Get(TargetAt(host_), KeyOf("n", 0)), first);
  EXPECT_NE(objects->Get(TargetAt(other_host), KeyOf("m", 0)), first);
  ModelKeyOptions other = KeyOf("m", 0);
  other.params[0].second = "6";
  EXPECT_NE(objects->Get(TargetAt(host_), other), first);
  EXPECT_EQ(num_made_, 4);
}

TEST_F(ModelRuleTest, AnObjectGoesWithTheLastOfItsKeys) {
  const auto objects = Objects();
  objects->Get(TargetAt(host_), KeyOf("m", 0));
  objects->Get(TargetAt(host_), KeyOf("m", 0));
  EXPECT_EQ(num_made_, 2);
}

TEST_F(ModelRuleTest, AFactoryThatMakesNothingOrThrowsIsAnErrorEachTime) {
  int calls = 0;
  const auto objects = std::make_shared<ModelObjects>("mine", [&](DType) -> std::unique_ptr<ModelUpdater> {
    if (++calls == 1) return nullptr;
    if (calls == 2) throw std::runtime_error("no memory of mine");
    return std::make_unique<TestModelUpdater>(&diary_);
  });
  EXPECT_THROW(objects->Get(TargetAt(host_), KeyOf("m", 0)), Error);
  EXPECT_THROW(objects->Get(TargetAt(host_), KeyOf("m", 0)), std::runtime_error);
  EXPECT_NE(objects->Get(TargetAt(host_), KeyOf("m", 0)), nullptr);
  EXPECT_THROW(objects->Get({DType::kF32, 1, nullptr}, KeyOf("m", 0)), Error);
}

}  // namespace
}  // namespace ps
