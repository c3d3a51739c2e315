// The network of examples/mnist, and its training in one process.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "examples/mnist/network.h"
#include "examples/mnist/replica.h"
#include "examples/mnist/training.h"
#include "ps/status.h"

namespace mnist {
namespace {

// Pictures of 12 pixels, of which each class has inked one more than the others.
Digits MakeDigits(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Digits digits;
  digits.num_pixels = 12;
  for (std::size_t i = 0; i < count; ++i) {
    digits.labels.push_back(static_cast<std::uint8_t>(random() % kClasses));
    for (std::size_t pixel = 0; pixel < digits.num_pixels; ++pixel)
      digits.pixels.push_back(
          static_cast<std::uint8_t>(random() % 100 + (pixel == digits.labels.back() ? 155 : 0)));
  }
  return digits;
}

double LossOf(const Parameters& weights, const Digits& digits) {
  return Judge(weights, digits, PartOf(digits.size(), 0, 1)).loss;
}

TEST(NetworkTest, GradientsAreThoseOfTheLoss) {
  const Digits digits = MakeDigits(20, 1);
  Parameters weights = FirstWeights(digits.num_pixels);
  // Half of the hidden units are on and half are off, none near the edge, where there is no derivative.
  for (std::size_t unit = 0; unit < kHidden; ++unit) weights.hidden_bias[unit] = unit % 2 == 0 ? 3 : -3;
  Parameters gradients(digits.num_pixels);
  Differentiate(weights, digits, PartOf(digits.size(), 0, 1), &gradients);
  constexpr float kStep = 1e-2F;
  std::mt19937 random(2);
  for (std::size_t array = 0; array < 4; ++array) {
    std::vector<float>& values = *weights.All()[array];
    for (int trial = 0; trial < 20; ++trial) {
      float& value = values[random() % values.size()];
      const auto place = static_cast<std::size_t>(&value - values.data());
      const float before = value;
      value = before + kStep;
      const double above = LossOf(weights, digits);
      value = before - kStep;
      const double below = LossOf(weights, digits);
      value = before;
      const double measured = (above - below) / (2 * static_cast<double>(kStep));
      const auto computed = static_cast<double>((*gradients.All()[array])[place]);
      EXPECT_NEAR(computed, measured, 0.002 + 0.01 * std::fabs(measured)) << kParameterNames[array] << place;
    }
  }
}

TEST(NetworkTest, GradientsAreSumsOverExamples) {
  const Digits digits = MakeDigits(30, 1);
  const Parameters weights = FirstWeights(digits.num_pixels);
  Parameters whole(digits.num_pixels);
  Parameters even(digits.num_pixels);
  Parameters odd(digits.num_pixels);
  const Score score = Differentiate(weights, digits, PartOf(30, 0, 1), &whole);
  Score sum = Differentiate(weights, digits, PartOf(30, 0, 2), &even);
  sum += Differentiate(weights, digits, PartOf(30, 1, 2), &odd);
  EXPECT_NEAR(sum.loss, score.loss, 1e-9);
  EXPECT_EQ(sum.num_correct, score.num_correct);
  EXPECT_EQ(sum.num_examples, 30);
  for (std::size_t array = 0; array < 4; ++array) {
    for (std::size_t i = 0; i < whole.All()[array]->size(); ++i)
      EXPECT_NEAR((*whole.All()[array])[i], (*even.All()[array])[i] + (*odd.All()[array])[i], 1e-4);
  }
}

TEST(NetworkTest, AnUntrainedOneKnowsNothingAndALargeLogitIsNoInfinity) {
  const Digits digits = MakeDigits(1000, 1);
  Parameters weights = FirstWeights(digits.num_pixels);
  EXPECT_NEAR(Judge(weights, digits, PartOf(1000, 0, 1)).num_correct, 100, 90);
  for (float& bias : weights.output_bias) bias = 1e4F;
  weights.output_bias[3] = -1e4F;
  EXPECT_TRUE(std::isfinite(LossOf(weights, digits)));
}

Options SmallOptions(std::size_t devices) {
  Options options;
  options.devices = devices;
  options.batch = 20;
  return options;
}

TEST(TrainingTest, LearnsOnAnyNumberOfDevicesTheSame) {
  const Digits train = MakeDigits(2000, 1);
  const Digits test = MakeDigits(300, 2);
  Training alone(SmallOptions(1), train, test);
  Training shared(SmallOptions(3), train, test);
  EpochResult a;
  EpochResult b;
  for (const unsigned epoch : {1U, 2U}) {
    a = alone.RunEpoch(epoch, nullptr);
    b = shared.RunEpoch(epoch, nullptr);
  }
  EXPECT_GE(a.accuracy, 95);
  EXPECT_NEAR(b.loss, a.loss, 1e-4 * a.loss);
  EXPECT_NEAR(b.accuracy, a.accuracy, 1);
}

TEST(TrainingTest, TheRateDecaysFromEpochToEpoch) {
  const Digits train = MakeDigits(400, 1);
  Options options = SmallOptions(1);
  options.optimizer = "sgd";  // without a momentum that goes on
  options.lr_decay = 1e-9;    // as good as none after the first
  Training training(options, train, train);
  training.RunEpoch(1, nullptr);
  const EpochResult second = training.RunEpoch(2, nullptr);
  const EpochResult third = training.RunEpoch(3, nullptr);
  EXPECT_NEAR(third.loss, second.loss, 1e-5 * second.loss);
  EXPECT_EQ(third.accuracy, second.accuracy);
}

TEST(TrainingTest, OptionsThatDoNotFitAreRefused) {
  const Digits train = MakeDigits(10, 1);
  EXPECT_THROW(Training(SmallOptions(1), train, train), std::invalid_argument);
  Digits other = MakeDigits(60, 1);
  other.num_pixels = 6;
  other.labels.resize(other.labels.size() * 2);
  EXPECT_THROW(Training(SmallOptions(1), MakeDigits(60, 1), other), std::invalid_argument);
  Options options = SmallOptions(1);
  options.kvstore = "lokal";
  EXPECT_THROW(Training(options, other, other), ps::Error);
}

}  // namespace
}  // namespace mnist
