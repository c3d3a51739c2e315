// The model: FTRL, logistic regression, measures, and training without the network.
#include <dmlc/logging.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "examples/spam_filter/bucket.h"
#include "examples/spam_filter/dataset.h"
#include "examples/spam_filter/ftrl.h"
#include "examples/spam_filter/logistic.h"
#include "examples/spam_filter/metrics.h"
#include "examples/spam_filter/options.h"
#include "examples/spam_filter/synthetic.h"

namespace spam {
namespace {

// A file that is gone at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("spam_model_test." + std::to_string(getpid()))) {
    std::ofstream(path_) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_;
};

std::vector<size_t> AllRows(const Dataset& data) {
  std::vector<size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

TEST(FtrlTest, FollowsTheAlgorithmStepByStep) {
  const FtrlOptions options{0.5f, 1.0f, 1.0f, 0.25f};
  FtrlWeight weight;
  FtrlUpdate(options, 3, &weight);  // sigma = 3 / 0.5, w was 0: z = 3, n = 9
  EXPECT_FLOAT_EQ(weight.z, 3.0f);
  EXPECT_FLOAT_EQ(weight.n, 9.0f);
  EXPECT_FLOAT_EQ(weight.w, -2.0f / (4.0f / 0.5f + 0.25f));  // -(3 - 1) / ((1 + 3) / 0.5 + 0.25)
  const float w = weight.w;
  FtrlUpdate(options, -4, &weight);  // n = 25, sigma = (5 - 3) / 0.5 = 4, z = 3 - 4 - 4 w
  EXPECT_FLOAT_EQ(weight.n, 25.0f);
  EXPECT_FLOAT_EQ(weight.z, -1.0f - 4.0f * w);
  EXPECT_FLOAT_EQ(weight.w, 0.0f);  // |z| = 0.03 is below l1
}

TEST(FtrlTest, KeepsWeightsAtZeroUpToL1) {
  const FtrlOptions options{0.1f, 1.0f, 2.0f, 0.0f};
  FtrlWeight weight;
  FtrlUpdate(options, 2, &weight);
  EXPECT_EQ(weight.w, 0.0f);
  FtrlUpdate(options, 0.5, &weight);
  EXPECT_LT(weight.w, 0.0f);
}

TEST(FtrlTest, TableGivesZeroForUnknownKeysWithoutStoringThem) {
  FtrlTable table({0.1f, 1.0f, 0.0f, 0.0f});
  EXPECT_EQ(table.Weight(7), 0.0f);
  EXPECT_EQ(table.size(), 0u);
  table.Update(7, 1);
  EXPECT_LT(table.Weight(7), 0.0f);
  EXPECT_EQ(table.Weight(8), 0.0f);
  EXPECT_EQ(table.size(), 1u);
}

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

TEST(DatasetTest, ReadsLibsvmAndPutsTheBiasFirst) {
  const TemporaryFile file("1 3:1 17:0.5\n0 4:1\n");
  const Dataset data = ReadLibsvm(file.path(), 0, 1);
  EXPECT_EQ(data.labels, (std::vector<float>{1, 0}));
  EXPECT_EQ(data.buckets, (std::vector<uint32_t>{kBiasBucket, 3, 17, kBiasBucket, 4}));
  EXPECT_EQ(data.values, (std::vector<float>{1, 1, 0.5, 1, 1}));
  EXPECT_EQ(data.offsets, (std::vector<size_t>{0, 3, 5}));
}

TEST(DatasetTest, PartsAreDisjointAndComplete) {
  std::string lines;
  for (int i = 1; i <= 100; ++i) lines += std::to_string(i % 2) + " " + std::to_string(i) + ":1\n";
  const TemporaryFile file(lines);
  std::vector<uint32_t> seen;
  for (unsigned part = 0; part < 3; ++part) {
    const Dataset data = ReadLibsvm(file.path(), part, 3);
    EXPECT_GT(data.size(), 20u);
    for (size_t i = 0; i < data.size(); ++i) seen.push_back(data.buckets[data.offsets[i] + 1]);
  }
  std::vector<uint32_t> all(100);
  std::iota(all.begin(), all.end(), 1u);
  EXPECT_EQ(seen, all);
}

TEST(DatasetTest, RefusesBucketsThatDoNotExistAndFilesThatAreNotThere) {
  const TemporaryFile file("1 1048576:1\n");
  EXPECT_THROW(ReadLibsvm(file.path(), 0, 1), dmlc::Error);
  EXPECT_THROW(ReadLibsvm(file.path() + ".gone", 0, 1), dmlc::Error);
}

TEST(DatasetTest, BatchNumbersItsFeaturesByTheirPlaceAmongTheKeys) {
  const TemporaryFile file("1 9:1 4:1\n0 7:1\n1 9:1\n");
  const Batch batch = MakeBatch(ReadLibsvm(file.path(), 0, 1), {2, 0}, 0, 2);
  EXPECT_EQ(batch.labels, (std::vector<float>{1, 1}));
  EXPECT_EQ(batch.buckets, (std::vector<uint32_t>{0, 4, 9}));
  EXPECT_EQ(batch.features, (std::vector<uint32_t>{0, 2, 0, 2, 1}));
  EXPECT_EQ(batch.offsets, (std::vector<size_t>{0, 2, 5}));
}

TEST(LogisticTest, GradientIsTheDerivativeOfTheLoss) {
  const TemporaryFile file("1 5:2 6:1\n0 5:1\n0 6:3\n");
  const Dataset data = ReadLibsvm(file.path(), 0, 1);
  const Batch batch = MakeBatch(data, AllRows(data), 0, data.size());
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

// Trains with the program's settings and a delay between a gradient and its use, as asynchronous workers
// have.
double TrainedAuc(const SyntheticCorpus& corpus, size_t delay) {
  std::ostringstream train_lines;
  std::ostringstream held_out_lines;
  WriteLibsvm(corpus.split.train, train_lines);
  WriteLibsvm(corpus.split.held_out, held_out_lines);
  const Options options;
  FtrlTable table(options.ftrl);
  const auto weights_of = [&](const Batch& batch) {
    std::vector<float> weights;
    for (uint32_t bucket : batch.buckets) weights.push_back(table.Weight(KeyOfBucket(bucket)));
    return weights;
  };
  std::vector<std::pair<std::vector<uint32_t>, std::vector<float>>> late;
  const auto apply = [&](size_t i) {
    for (size_t k = 0; k < late[i].first.size(); ++k)
      table.Update(KeyOfBucket(late[i].first[k]), late[i].second[k]);
  };
  const Dataset train = ReadLibsvm(TemporaryFile(train_lines.str()).path(), 0, 1);
  for (size_t epoch = 0; epoch < 3; ++epoch) {
    for (size_t begin = 0; begin < train.size(); begin += options.batch) {
      const Batch batch =
          MakeBatch(train, AllRows(train), begin, std::min(begin + options.batch, train.size()));
      late.emplace_back(batch.buckets, Gradient(batch, Predict(batch, weights_of(batch))));
      if (late.size() > delay) apply(late.size() - 1 - delay);
    }
  }
  const Dataset held_out = ReadLibsvm(TemporaryFile(held_out_lines.str()).path(), 0, 1);
  const Batch batch = MakeBatch(held_out, AllRows(held_out), 0, held_out.size());
  return Auc(batch.labels, Predict(batch, weights_of(batch)));
}

TEST(TrainingTest, ComesCloseToTheBestPossibleAucAlsoWithLateGradients) {
  const SyntheticCorpus corpus = MakeSynthetic({});
  for (size_t delay : {0, 6}) {
    const double auc = TrainedAuc(corpus, delay);
    EXPECT_GT(auc, corpus.best_auc - 0.01) << "delay " << delay;
    EXPECT_LT(auc, corpus.best_auc + 0.002) << "delay " << delay;
  }
}

}  // namespace
}  // namespace spam
