// Start weights and orders of examples/mnist that are the same in every language, and sums that do not depend
// on who adds up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "examples/mnist/batches.h"
#include "examples/mnist/epoch_table.h"
#include "examples/mnist/network.h"
#include "examples/mnist/starts.h"
#include "examples/mnist/training.h"
#include "tests/support/temporary_file.h"

namespace mnist {
namespace {

constexpr std::size_t kPixels = 12;

Digits MakeDigits(std::size_t count) {
  std::mt19937 random(1);
  Digits digits;
  digits.num_pixels = kPixels;
  for (std::size_t i = 0; i < count; ++i)
    digits.labels.push_back(static_cast<std::uint8_t>(random() % kClasses));
  for (std::size_t i = 0; i < count * kPixels; ++i)
    digits.pixels.push_back(static_cast<std::uint8_t>(random() % 256));
  return digits;
}

TEST(RandomNumbersTest, AreThoseOfTheirInventors) {
  EXPECT_EQ(RandomNumbers(0, 0).at(0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(RandomNumbers(0, 0).at(1), 0x6e789e6aa1b965f4U);
}

TEST(RandomNumbersTest, DifferBySeedAndSequence) {
  EXPECT_NE(RandomNumbers(1, 0).at(0), RandomNumbers(2, 0).at(0));
  EXPECT_NE(RandomNumbers(1, 0).at(0), RandomNumbers(1, 1).at(0));
}

TEST(FirstWeightsTest, OfASeedAreUniformAndAsLargeAsTheInputsBid) {
  const Parameters weights = FirstWeights(784, 1);
  const std::vector<float>& values = weights.hidden_weights;
  const double range = std::sqrt(6.0 / 784);
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    ASSERT_LE(std::fabs(value), range);
    sum += static_cast<double>(value);
    squares += static_cast<double>(value * value);
  }
  EXPECT_NEAR(sum / values.size(), 0, 0.02 * range);
  EXPECT_NEAR(squares / values.size(), range * range / 3, 0.02 * range * range);
  EXPECT_NE(FirstWeights(784, 2).hidden_weights, values);
  EXPECT_EQ(FirstWeights(784, 1).output_weights, weights.output_weights);
}

// tests/lua/starts_test.lua has the same numbers.
TEST(FirstWeightsTest, AreTheSameInEveryLanguage) {
  std::vector<float> weights(3);
  FillWithFirstWeights(1, 0, 784, &weights);
  EXPECT_EQ(weights, (std::vector<float>{0.0534385853F, 0.0274428427F, 0.00638005463F}));
  const std::vector<std::size_t> order = OrderOf(1, 1, 60000);
  EXPECT_EQ(order[0], 29515u);
  EXPECT_EQ(order[1], 44255u);
  EXPECT_EQ(order[59999], 10006u);
}

TEST(OrderTest, HasEveryExampleOnceAndAnotherOrderInEachEpoch) {
  std::vector<std::size_t> order = OrderOf(1, 1, 1000);
  EXPECT_NE(OrderOf(1, 2, 1000), order);
  EXPECT_NE(OrderOf(2, 1, 1000), order);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> all(1000);
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(order, all);
}

TEST(BlocksTest, OfAllPartsAreTheBatch) {
  Batches batches(1000, 100, 1);
  batches.Shuffle(1);
  std::vector<std::size_t> all = batches.Part(3, 0, 1);
  std::sort(all.begin(), all.end());
  for (const std::size_t num_parts : {1U, 2U, 4U}) {
    std::vector<std::size_t> examples;
    for (std::size_t part = 0; part < num_parts; ++part) {
      const auto blocks = batches.Blocks(3, part, num_parts, 4);
      EXPECT_EQ(blocks.size(), 4 / num_parts);
      for (const auto& block : blocks) examples.insert(examples.end(), block.begin(), block.end());
    }
    std::sort(examples.begin(), examples.end());
    EXPECT_EQ(examples, all);
  }
}

TEST(BlocksTest, HaveGradientsWhoseSumsAreExactInAnyOrder) {
  const Digits digits = MakeDigits(60);
  const Parameters weights = FirstWeights(kPixels, 1);
  std::vector<std::vector<std::size_t>> blocks;
  for (std::size_t i = 0; i < 6; ++i) blocks.push_back(PartOf(60, i, 6));
  Parameters whole(kPixels);
  DifferentiateBlocks(weights, digits, blocks, &whole);
  Parameters plain(kPixels);
  Differentiate(weights, digits, PartOf(60, 0, 1), &plain);
  std::reverse(blocks.begin(), blocks.end());
  Parameters first(kPixels);
  Parameters second(kPixels);
  DifferentiateBlocks(weights, digits, {blocks.begin(), blocks.begin() + 2}, &first);
  DifferentiateBlocks(weights, digits, {blocks.begin() + 2, blocks.end()}, &second);
  for (std::size_t array = 0; array < 4; ++array) {
    for (std::size_t i = 0; i < whole.All()[array]->size(); ++i) {
      const float sum = (*whole.All()[array])[i];
      EXPECT_EQ((*second.All()[array])[i] + (*first.All()[array])[i], sum);
      EXPECT_NEAR(sum, (*plain.All()[array])[i], 6 * 0x1p-15F + 1e-4F);
    }
  }
}

TEST(BlocksTest, ThatCanNotBeSharedEquallyAreRefused) {
  const Digits digits = MakeDigits(60);
  Options options;
  options.batch = 20;
  options.devices = 3;
  options.blocks = 4;
  EXPECT_THROW(Training(options, digits, digits), std::invalid_argument);
}

TEST(BlocksTest, MakeTrainingTheSameOnAnyNumberOfDevices) {
  const Digits digits = MakeDigits(400);
  Options options;
  options.batch = 20;
  options.blocks = 4;
  options.seed = 1;
  std::vector<EpochResult> results;
  for (const std::size_t devices : {1U, 2U, 4U}) {
    options.devices = devices;
    Training training(options, digits, digits);
    training.RunEpoch(1, nullptr);
    results.push_back(training.RunEpoch(2, nullptr));
    EXPECT_DOUBLE_EQ(results.back().loss, results.front().loss);
    EXPECT_EQ(results.back().accuracy, results.front().accuracy);
  }
}

TEST(EpochTableTest, HasALinePerEpochWithTheTimeSoFar) {
  const ps::TemporaryFile file;
  const std::string path = file.path();
  EpochTable table(path);
  EpochResult result;
  result.loss = 0.25;
  result.accuracy = 97.5;
  result.seconds = 1.5;
  table.Add(1, result);
  table.Add(2, result);
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
            "epoch,seconds,test_error,loss\n1,1.5000,0.025000,0.25000000\n2,3.0000,0.025000,0.25000000\n");
  EXPECT_THROW(EpochTable(path + "/none/run.csv"), std::runtime_error);
}

}  // namespace
}  // namespace mnist
