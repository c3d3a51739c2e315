// Sparse logistic regression as several examples use it: data, model and measures, without servers.
#include <dmlc/logging.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "examples/logistic/dataset.h"
#include "examples/logistic/metrics.h"
#include "examples/logistic/model.h"
#include "tests/support/temporary_file.h"

namespace logistic {
namespace {

using ps::TemporaryFile;

TEST(MetricsTest, AucCountsPairsAndHalvesTies) {
  EXPECT_DOUBLE_EQ(Auc({1, 0, 1, 0}, {0.9, 0.8, 0.7, 0.1}), 0.75);
  EXPECT_DOUBLE_EQ(Auc({1, 0}, {0.5, 0.5}), 0.5);
  EXPECT_DOUBLE_EQ(Auc({1, 1, 0, 0, 0}, {0.5, 0.9, 0.5, 0.5, 0.1}), (0.5 + 0.5 + 1 + 3) / 6);
  EXPECT_DOUBLE_EQ(Auc({0, 0, 1, 1}, {0.1, 0.2, 0.3, 0.4}), 1);
  EXPECT_DOUBLE_EQ(Auc({1, 1, 0, 0}, {0.1, 0.2, 0.3, 0.4}), 0);
  EXPECT_DOUBLE_EQ(Auc({1, 1}, {0.1, 0.2}), 0.5);
}

TEST(MetricsTest, AccuracyAndLogLossAreThoseOfTheTextbook) {
  EXPECT_DOUBLE_EQ(Accuracy({1, 0, 1, 0}, {0.9, 0.2, 0.4, 0.6}), 0.5);
  EXPECT_DOUBLE_EQ(LogLoss({1, 0}, {0.5, 0.75}), (std::log(2) + std::log(4)) / 2);
  EXPECT_LT(LogLoss({1}, {0.0}), 40);  // certain and wrong: large, not infinite
  EXPECT_DOUBLE_EQ(Accuracy({}, {}), 0);
}

TEST(DatasetTest, ReadsLibsvmWithAnyFeaturesAndPutsTheBiasFirst) {
  const TemporaryFile file("1 3:1 12345678901234567890:0.5\n-1 4:1\n");
  const Dataset data = ReadLibsvm(file.path(), {0, 1, 7});
  EXPECT_EQ(data.labels, (std::vector<float>{1, 0}));
  EXPECT_EQ(data.features, (std::vector<uint64_t>{7, 3, 12345678901234567890u, 7, 4}));
  EXPECT_EQ(data.values, (std::vector<float>{1, 1, 0.5, 1, 1}));
  EXPECT_EQ(data.offsets, (std::vector<size_t>{0, 3, 5}));
}

TEST(DatasetTest, PartsAreDisjointAndComplete) {
  std::string lines;
  for (int i = 1; i <= 100; ++i) lines += std::to_string(i % 2) + " " + std::to_string(i) + ":1\n";
  const TemporaryFile file(lines);
  std::vector<uint64_t> seen;
  for (unsigned part = 0; part < 3; ++part) {
    const Dataset data = ReadLibsvm(file.path(), {part, 3});
    EXPECT_GT(data.size(), 20u);
    for (size_t i = 0; i < data.size(); ++i) seen.push_back(data.features[data.offsets[i] + 1]);
  }
  std::vector<uint64_t> all(100);
  std::iota(all.begin(), all.end(), uint64_t{1});
  EXPECT_EQ(seen, all);
}

TEST(DatasetTest, RefusesFeaturesThatDoNotExistAndFilesThatAreNotThere) {
  const TemporaryFile file("1 1024:1\n");
  EXPECT_EQ(ReadLibsvm(file.path(), {}).size(), 1u);
  EXPECT_THROW(ReadLibsvm(file.path(), {0, 1, 0, 1024}), dmlc::Error);
  EXPECT_THROW(ReadLibsvm(file.path() + ".gone", {}), dmlc::Error);
}

TEST(DatasetTest, BatchNumbersItsFeaturesByTheirPlaceAmongTheKeys) {
  const TemporaryFile file("1 9:1 4:1\n0 7:1\n1 9:1\n");
  const Batch batch = MakeBatch(ReadLibsvm(file.path(), {0, 1, 0}), {2, 0}, 0, 2);
  EXPECT_EQ(batch.labels, (std::vector<float>{1, 1}));
  EXPECT_EQ(batch.keys, (std::vector<uint64_t>{0, 4, 9}));
  EXPECT_EQ(batch.places, (std::vector<uint32_t>{0, 2, 0, 2, 1}));
  EXPECT_EQ(batch.offsets, (std::vector<size_t>{0, 2, 5}));
}

TEST(LogisticTest, GradientIsTheDerivativeOfTheLoss) {
  const TemporaryFile file("1 5:2 6:1\n0 5:1\n0 6:3\n");
  const Batch batch = MakeBatch(ReadLibsvm(file.path(), {0, 1, 0}));
  const std::vector<float> weights = {0.1f, -0.4f, 0.3f};
  const std::vector<float> gradient = Gradient(batch, Predict(batch, weights));
  constexpr float kStep = 1e-2f;
  for (size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> up = weights;
    std::vector<float> down = weights;
    up[i] += kStep;
    down[i] -= kStep;
    const double difference =
        LogLoss(batch.labels, Predict(batch, up)) - LogLoss(batch.labels, Predict(batch, down));
    EXPECT_NEAR(gradient[i], 3 * difference / (2 * kStep), 1e-3) << "weight " << i;
  }
}

TEST(LogisticTest, SigmoidIsSafeFarOut) {
  EXPECT_DOUBLE_EQ(Sigmoid(0), 0.5);
  EXPECT_DOUBLE_EQ(Sigmoid(1000), 1);
  EXPECT_DOUBLE_EQ(Sigmoid(-1000), 0);
}

}  // namespace
}  // namespace logistic
