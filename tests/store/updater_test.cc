#include "ps/updater.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/store/updater/rule_table.h"

namespace ps {
namespace {

constexpr std::size_t kSize = 37;  // some vectors, and a rest
constexpr int kWorkers = 3;

// Rules that look at each element alone.
std::vector<std::string> ElementRules() {
  std::vector<std::string> rules;
  for (const std::string& name : UpdaterNames()) {
    const UpdaterTarget target{DType::kF32, kWorkers};
    if (name != kNoUpdater && !Make(name, {}, target)->NeedsWhole()) rules.push_back(name);
  }
  return rules;
}

template <typename T>
std::vector<T> Random(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> values(-2, 2);
  std::vector<T> made(size);
  for (T& value : made) value = values(random);
  return made;
}

// Whatever the length of a run, and wherever in it an element is: vectors and the rest behind them agree.
template <typename T>
void CheckPieces(const std::string& rule) {
  RuleTable<T> whole(rule, {}, Random<T>(1, kSize), kWorkers);
  RuleTable<T> pieces(rule, {}, Random<T>(1, kSize), kWorkers);
  for (std::uint32_t round = 0; round < 6; ++round) {
    const std::vector<T> delta = Random<T>(10 + round, kSize);
    const int worker = static_cast<int>(round) % kWorkers;
    whole.Add(delta, worker);
    pieces.BeginAdd();
    const std::size_t cut = 1 + 6 * round;
    const auto middle = delta.begin() + static_cast<std::ptrdiff_t>(cut);
    pieces.AddPart(0, std::vector<T>(delta.begin(), middle), worker);
    pieces.AddPart(cut, std::vector<T>(middle, delta.end()), worker);
    ASSERT_EQ(whole.block(), pieces.block()) << rule << ", round " << round;
  }
}

TEST(UpdaterTest, TwoPiecesAreAsOneBitForBit) {
  for (const std::string& rule : ElementRules()) {
    CheckPieces<float>(rule);
    CheckPieces<double>(rule);
  }
}

// Rows with their states right behind them, as hash tables have them, are as one block with states behind it.
TEST(UpdaterTest, StatesLieWhereTheStepSays) {
  constexpr std::size_t kWidth = 5;
  constexpr std::size_t kRows = 3;
  for (const std::string& rule : ElementRules()) {
    const std::vector<float> start = Random<float>(3, kWidth * kRows);
    RuleTable<float> block(rule, {}, start, kWorkers);
    const auto updater = Make(rule, {}, {DType::kF32, kWorkers});
    const std::size_t row_size = kWidth * static_cast<std::size_t>(1 + updater->NumStates());
    std::vector<float> rows(row_size * kRows);
    for (std::size_t i = 0; i < start.size(); ++i) rows[i / kWidth * row_size + i % kWidth] = start[i];
    for (int round = 1; round <= 4; ++round) {
      const std::vector<float> delta = Random<float>(20 + static_cast<std::uint32_t>(round), start.size());
      block.Add(delta, round % kWorkers);
      std::vector<UpdateRun> runs;
      for (std::size_t r = 0; r < kRows; ++r)
        runs.push_back({&rows[r * row_size], &delta[r * kWidth], kWidth});
      updater->Update(runs.data(), runs.size(), {kWidth * sizeof(float), round, round % kWorkers});
    }
    for (std::size_t i = 0; i < start.size(); ++i)
      ASSERT_EQ(rows[i / kWidth * row_size + i % kWidth], block.values()[i]) << rule << " " << i;
  }
}

// The same row twice in one call is the same row in two calls of one number.
TEST(UpdaterTest, RunsAreDoneOneAfterTheOther) {
  for (const std::string& rule : ElementRules()) {
    const std::vector<float> delta = Random<float>(5, 8);
    RuleTable<float> twice(rule, {}, Random<float>(4, 4), kWorkers);
    twice.BeginAdd();
    twice.AddPart(0, std::vector<float>(delta.begin(), delta.begin() + 4));
    twice.AddPart(0, std::vector<float>(delta.begin() + 4, delta.end()));
    const auto updater = Make(rule, {}, {DType::kF32, kWorkers});
    std::vector<float> block = Random<float>(4, 4);
    block.resize(twice.block().size());
    const UpdateRun runs[] = {{block.data(), delta.data(), 4}, {block.data(), delta.data() + 4, 4}};
    updater->Update(runs, 2, {4 * sizeof(float), 1, 0});
    EXPECT_EQ(block, twice.block()) << rule;
  }
}

TEST(UpdaterTest, ANanStaysInItsElement) {
  for (const std::string& rule : ElementRules()) {
    RuleTable<float> table(rule, {}, Random<float>(1, kSize), kWorkers);
    std::vector<float> delta = Random<float>(2, kSize);
    delta[11] = std::numeric_limits<float>::quiet_NaN();
    for (int round = 0; round < 3; ++round) table.Add(delta);
    for (std::size_t i = 0; i < kSize; ++i)
      EXPECT_EQ(std::isnan(table.values()[i]), i == 11) << rule << " " << i;
  }
}

TEST(UpdaterTest, NoRunsAndEmptyRunsChangeNothing) {
  for (const std::string& rule : ElementRules()) {
    RuleTable<float> table(rule, {}, Random<float>(1, 4), kWorkers);
    const std::vector<float> before = table.block();
    table.Add({});
    table.updater().Update(nullptr, 0, UpdateContext());
    EXPECT_EQ(table.block(), before) << rule;
  }
}

// tests/vectors/updaters.json: {"id", "updater": as ParseUpdater takes it, "start", "steps": [{"add",
// "expect"}]}, and where they are not f32, 1, 0 and 0: "dtype", "workers", "tol" (relative), in a step "w";
// "states" after a step.
nlohmann::json Vectors() {
  const char* const root = std::getenv("PS_ROOT");
  std::ifstream file(std::string(root == nullptr ? "." : root) + "/tests/vectors/updaters.json");
  EXPECT_TRUE(file) << "run from the root of the repository, or set PS_ROOT to it";
  return nlohmann::json::parse(file);
}

template <typename T>
void ExpectNear(const std::vector<T>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = static_cast<T>(expected[i]);
    EXPECT_LE(std::fabs(values[i] - wanted), tolerance * std::fabs(wanted))
        << values[i] << " is not " << expected[i];
  }
}

template <typename T>
void RunVector(const nlohmann::json& vector) {
  const UpdaterChoice choice = ParseUpdater(vector["updater"].get<std::string>()).value();
  const double tolerance = vector.value("tol", 0.0);
  RuleTable<T> table(choice.name, choice.options, vector["start"], vector.value("workers", 1));
  for (const nlohmann::json& step : vector["steps"]) {
    SCOPED_TRACE(step.dump());
    table.Add(step["add"], step.value("w", 0));
    ExpectNear(table.values(), step["expect"], tolerance);
    const std::vector<std::vector<double>> states = step.value("states", std::vector<std::vector<double>>());
    for (std::size_t k = 0; k < states.size(); ++k)
      ExpectNear(table.state(static_cast<int>(k)), states[k], tolerance);
  }
}

TEST(UpdaterTest, GivesTheValuesOfTheVectors) {
  const nlohmann::json vectors = Vectors();
  EXPECT_GE(vectors.size(), 20U);
  for (const nlohmann::json& vector : vectors) {
    SCOPED_TRACE(vector["id"].get<std::string>());
    const std::string dtype = vector.value("dtype", "f32");
    if (dtype == "f32") {
      RunVector<float>(vector);
    } else if (dtype == "i32") {
      RunVector<std::int32_t>(vector);
    } else {
      ADD_FAILURE() << "no runner for " << dtype;
    }
  }
}

}  // namespace
}  // namespace ps
