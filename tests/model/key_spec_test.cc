#include "model/key_spec.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/model_rule.h"
#include "ps/model_updater.h"

namespace ps {
namespace {

Group::Key KeyOf(const Shape& shape) { return {5, shape, DType::kF32, MergeKind::kSum}; }

TEST(KeySpecTest, WithoutARuleValuesAddUpOrReplaceTheLastRound) {
  ModelSettings settings;
  TableSpec spec = KeySpec("m", KeyOf({2, 3}), settings, false);
  EXPECT_EQ(spec.name, "sm/m/5");
  EXPECT_EQ(spec.updater, "add");
  EXPECT_EQ(spec.rows * spec.width, 6);
  EXPECT_EQ(spec.Validate(), Status::Ok());
  settings.consistency = Consistency::Bsp();
  settings.mean = true;
  spec = KeySpec("m", KeyOf({2, 3}), settings, false);
  EXPECT_EQ(spec.updater, "assign");
  EXPECT_EQ(spec.apply, TableSpec::kMerged);
  EXPECT_TRUE(spec.mean);
  EXPECT_EQ(spec.Validate(), Status::Ok());
}

TEST(KeySpecTest, LargeKeysMayBeSpreadOverServersButNotInThisProcess) {
  ModelSettings settings;
  settings.bigarray_bound = 6;
  EXPECT_EQ(KeySpec("m", KeyOf({2, 3}), settings, false).rows, 6);
  EXPECT_EQ(KeySpec("m", KeyOf({1, 5}), settings, false).rows, 1);
  EXPECT_EQ(KeySpec("m", KeyOf({2, 3}), settings, true).rows, 1);
}

TEST(KeySpecTest, InThisProcessThereIsOneWorker) {
  ModelSettings settings;
  settings.consistency = Consistency::Bsp();
  settings.updater = UpdaterChoice{"sgd", {}};
  const TableSpec spec = KeySpec("m", KeyOf({1, 1}), settings, true);
  EXPECT_EQ(spec.consistency.mode, Consistency::kAsp);
  EXPECT_EQ(spec.Validate(), Status::Ok());
}

TEST(KeySpecTest, RulesOfTheLibraryGetTheirOptionsAndProgramsAll) {
  ModelSettings settings;
  ASSERT_TRUE(settings.Set("update_on_server", "1").ok());
  ASSERT_TRUE(settings.Set("lr", ".5").ok());
  settings.updater = UpdaterChoice{"sgd", {{"wd", "1"}}};
  EXPECT_EQ(KeySpec("m", KeyOf({1, 1}), settings, true).updater_options,
            (UpdaterOptions{{"lr", ".5"}, {"wd", "1"}}));
  ASSERT_TRUE(
      RegisterModelUpdater("of_key_spec", [](DType) { return std::unique_ptr<ModelUpdater>(); }).ok());
  settings.updater->name = "of_key_spec";
  const ModelKeyOptions options =
      ModelKeyOptions::Decode(KeySpec("m", KeyOf({4, 2}), settings, true).updater_options).value();
  EXPECT_EQ(options.key, 5);
  EXPECT_EQ(options.shape, (Shape{4, 2}));
  EXPECT_EQ(options.params, (ModelKeyOptions::Params{{"update_on_server", "1"}, {"lr", ".5"}, {"wd", "1"}}));
}

TEST(KeySpecTest, WhatSetParamHasSaidGoesOverAnOptionOfEitherKindOfRule) {
  ModelSettings settings;
  ASSERT_TRUE(settings.Set("lr", ".5").ok());
  settings.updater = UpdaterChoice{"sgd", {{"lr", "1"}, {"wd", "1"}}};
  EXPECT_EQ(KeySpec("m", KeyOf({1, 1}), settings, true).updater_options,
            (UpdaterOptions{{"lr", ".5"}, {"wd", "1"}}));
  ASSERT_TRUE(RegisterModelUpdater("of_both", [](DType) { return std::unique_ptr<ModelUpdater>(); }).ok());
  settings.updater->name = "of_both";
  const ModelKeyOptions options =
      ModelKeyOptions::Decode(KeySpec("m", KeyOf({1, 1}), settings, true).updater_options).value();
  EXPECT_EQ(options.params, (ModelKeyOptions::Params{{"lr", ".5"}, {"wd", "1"}}));
}

}  // namespace
}  // namespace ps
