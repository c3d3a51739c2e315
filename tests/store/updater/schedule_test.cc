#include "store/updater/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "store/updater/options.h"

namespace ps {
namespace {

Result<Schedule> Made(const UpdaterOptions& texts) {
  ScheduleOptions options = DefaultOptions<ScheduleOptions>();
  PS_RETURN_IF_ERROR(SetOptions("rule", texts, {OptionGroup::Of(&options)}));
  return Schedule::Of(options);
}

// The rates of updates 0 to `last`.
std::vector<double> Rates(const UpdaterOptions& texts, double base, int last) {
  const Result<Schedule> schedule = Made(texts);
  EXPECT_TRUE(schedule.ok()) << schedule.status();
  std::vector<double> rates;
  for (int number = 0; number <= last; ++number) rates.push_back(schedule.value().At(number, base));
  return rates;
}

void ExpectNear(const std::vector<double>& rates, const std::vector<double>& expected) {
  ASSERT_EQ(rates.size(), expected.size());
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(rates[i], expected[i], 1e-6 * expected[i]) << i;
}

TEST(ScheduleTest, WithoutOneTheRateIsTheBase) {
  EXPECT_EQ(Schedule().At(1, .3), .3);
  EXPECT_EQ(Schedule().At(1000000, .3), .3);
}

// V184.
TEST(ScheduleTest, FactorDropsBehindEachStep) {
  ExpectNear(Rates({{"schedule", "factor"}, {"step", "2"}, {"factor", "0.1"}}, 1, 7),
             {1, 1, 1, .1, .1, .01, .01, .001});
}

TEST(ScheduleTest, FactorStopsAtItsLeastRate) {
  const UpdaterOptions options = {{"schedule", "factor"}, {"factor", "0.1"}, {"stop_factor_lr", "0.05"}};
  ExpectNear(Rates(options, 1, 4), {1, 1, .1, .05, .05});
  ExpectNear(Rates(options, .01, 2), {.01, .01, .05});
}

TEST(ScheduleTest, MultiFactorDropsBehindTheStepsNamed) {
  ExpectNear(Rates({{"lr_scheduler", "multifactor"}, {"steps", "2,3,6"}, {"factor", "0.5"}}, 8, 8),
             {8, 8, 8, 4, 2, 2, 2, 1, 1});
}

TEST(ScheduleTest, PolyEndsAtTheFinalRate) {
  ExpectNear(Rates({{"schedule", "poly"}, {"max_update", "4"}, {"pwr", "2"}, {"final_lr", "1"}}, 17, 6),
             {17, 10, 5, 2, 1, 1, 1});
}

TEST(ScheduleTest, CosineEndsAtTheFinalRate) {
  ExpectNear(Rates({{"schedule", "cosine"}, {"max_update", "4"}, {"final_lr", "2"}}, 4, 5),
             {4, 3 + std::sqrt(.5), 3, 3 - std::sqrt(.5), 2, 2});
}

TEST(ScheduleTest, WarmsUpToTheBase) {
  const UpdaterOptions linear = {{"warmup_steps", "4"}, {"warmup_begin_lr", "1"}};
  ExpectNear(Rates(linear, 9, 5), {1, 3, 5, 7, 9, 9});
  UpdaterOptions constant = linear;
  constant["warmup_mode"] = "constant";
  ExpectNear(Rates(constant, 9, 5), {1, 1, 1, 1, 9, 9});
  UpdaterOptions poly = linear;
  poly.insert({{"schedule", "poly"}, {"max_update", "6"}, {"power", "1"}});
  ExpectNear(Rates(poly, 9, 6), {1, 3, 5, 7, 9, 4.5, 0});
}

TEST(ScheduleTest, WhatDoesNotFitTogetherIsRefused) {
  const std::vector<UpdaterOptions> wrong = {
      {{"schedule", "multifactor"}},
      {{"steps", "1,2"}},
      {{"schedule", "multifactor"}, {"steps", "2,1"}},
      {{"schedule", "multifactor"}, {"steps", "1,x"}},
      {{"schedule", "multifactor"}, {"steps", "0"}},
      {{"schedule", "cosine"}, {"max_update", "5"}, {"warmup_steps", "5"}},
      {{"schedule", "factor"}, {"factor", "1.5"}},
      {{"schedule", "factor"}, {"step", "0"}},
      {{"schedule", "linear"}},
  };
  for (const UpdaterOptions& options : wrong)
    EXPECT_EQ(Made(options).status().code(), StatusCode::kInvalidArgument) << options.begin()->second;
}

TEST(ScheduleTest, VeryLateUpdatesHaveARateToo) {
  for (const char* name : {"factor", "poly", "cosine"}) {
    const Result<Schedule> schedule = Made({{"schedule", name}, {"factor", "0.5"}, {"max_update", "10"}});
    ASSERT_TRUE(schedule.ok());
    EXPECT_LE(schedule.value().At(std::int64_t{1} << 60, 1), 1e-8) << name;
  }
}

}  // namespace
}  // namespace ps
