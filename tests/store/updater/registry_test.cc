#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ps/updater.h"
#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

// x = max(x, d), as a user's rule.
class Largest : public Updater {
 public:
  Status Configure(const UpdaterOptions& options) override {
    return options.empty() ? Status::Ok() : Status::InvalidArgument("largest has no options");
  }
  void Update(const UpdateRun* runs, std::size_t num_runs, const UpdateContext&) override {
    for (std::size_t r = 0; r < num_runs; ++r) {
      auto* const values = static_cast<float*>(runs[r].values);
      const auto* const delta = static_cast<const float*>(runs[r].delta);
      for (std::size_t i = 0; i < runs[r].size; ++i) values[i] = std::max(values[i], delta[i]);
    }
  }
};

Result<std::unique_ptr<Updater>> MakeLargest(const UpdaterTarget& target) {
  if (target.dtype != DType::kF32) return Status::InvalidArgument("largest is for f32");
  return std::unique_ptr<Updater>(new Largest());
}

TEST(RegistryTest, AUsersRuleIsMadeByItsName) {
  ASSERT_TRUE(RegisterUpdater("largest", MakeLargest).ok());
  RuleTable<float> table("largest", {}, {1, 5});
  table.Add({3, 3});
  EXPECT_EQ(table.values(), (std::vector<float>{3, 5}));
  const std::vector<std::string> names = UpdaterNames();
  EXPECT_EQ(std::count(names.begin(), names.end(), "largest"), 1);
  EXPECT_EQ(MakeUpdater("largest", {}, {DType::kF64, 1}).status().message(), "largest is for f32");
  EXPECT_EQ(MakeUpdater("largest", {{"a", "1"}}, {}).status().message(), "largest has no options");
}

TEST(RegistryTest, ANameBelongsToOneRule) {
  for (const char* name : {"add", "adam"}) {
    const Status status = RegisterUpdater(name, MakeLargest);
    EXPECT_EQ(status.code(), StatusCode::kAlreadyExists);
    EXPECT_NE(status.message().find(name), std::string::npos);
  }
  ASSERT_TRUE(RegisterUpdater("once", MakeLargest).ok());
  EXPECT_EQ(RegisterUpdater("once", MakeLargest).code(), StatusCode::kAlreadyExists);
}

TEST(RegistryTest, WhatCanNotBeNamedOrMadeIsRefused) {
  for (const char* name : {"", "my rule", "lr=1", "tab\t"})
    EXPECT_EQ(RegisterUpdater(name, MakeLargest).code(), StatusCode::kInvalidArgument) << name;
  EXPECT_EQ(RegisterUpdater("nothing", nullptr).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(
      RegisterUpdater("maker_of_none", [](const UpdaterTarget&) { return std::unique_ptr<Updater>(); }).ok());
  EXPECT_EQ(MakeUpdater("maker_of_none", {}, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST(RegistryTest, AnUnknownNameIsAnsweredWithAllNames) {
  const Status status = MakeUpdater("adamm", {}, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  for (const std::string& name : UpdaterNames())
    EXPECT_NE(status.message().find(name), std::string::npos) << name;
}

TEST(RegistryTest, SixteenBitFloatsAreComputedInTheirMaster) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const Status status = MakeUpdater("add", {}, {dtype, 1}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("f32"), std::string::npos);
  }
}

TEST(RegistryTest, ThreadsRegisterAndMakeAtOnce) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        const std::string name = "rule_" + std::to_string(t) + "_" + std::to_string(i);
        EXPECT_TRUE(RegisterUpdater(name, MakeLargest).ok());
        EXPECT_TRUE(MakeUpdater(name, {}, {}).ok());
        EXPECT_TRUE(MakeUpdater("adam", {}, {}).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ps
