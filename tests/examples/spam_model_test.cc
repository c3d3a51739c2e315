// The model: FTRL, the files of mails, and training without the network.
#include <dmlc/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "examples/logistic/dataset.h"
#include "examples/logistic/metrics.h"
#include "examples/logistic/model.h"
#include "examples/spam_filter/bucket.h"
#include "examples/spam_filter/ftrl.h"
#include "examples/spam_filter/options.h"
#include "examples/spam_filter/synthetic.h"
#include "examples/spam_filter/trainer.h"
#include "tests/support/temporary_file.h"

namespace spam {
namespace {

using logistic::Batch;
using logistic::Dataset;
using logistic::MakeBatch;
using ps::TemporaryFile;

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

TEST(MailsTest, HaveTheBiasOfTheSpamFilterAndNoBucketThatDoesNotExist) {
  const Dataset data = ReadMails(TemporaryFile("1 3:1 1048575:1\n").path(), 0, 1);
  EXPECT_EQ(data.features, (std::vector<uint64_t>{kBiasBucket, 3, 1048575}));
  EXPECT_THROW(ReadMails(TemporaryFile("1 1048576:1\n").path(), 0, 1), dmlc::Error);
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
    for (const ps::Key key : KeysOf(batch.keys)) weights.push_back(table.Weight(key));
    return weights;
  };
  std::vector<std::pair<std::vector<ps::Key>, std::vector<float>>> late;
  const auto apply = [&](size_t i) {
    for (size_t k = 0; k < late[i].first.size(); ++k) table.Update(late[i].first[k], late[i].second[k]);
  };
  const Dataset train = ReadMails(TemporaryFile(train_lines.str()).path(), 0, 1);
  for (size_t epoch = 0; epoch < 3; ++epoch) {
    for (size_t begin = 0; begin < train.size(); begin += options.batch) {
      const Batch batch =
          MakeBatch(train, AllRows(train), begin, std::min(begin + options.batch, train.size()));
      late.emplace_back(KeysOf(batch.keys),
                        logistic::Gradient(batch, logistic::Predict(batch, weights_of(batch))));
      if (late.size() > delay) apply(late.size() - 1 - delay);
    }
  }
  const Batch batch = MakeBatch(ReadMails(TemporaryFile(held_out_lines.str()).path(), 0, 1));
  return logistic::Auc(batch.labels, logistic::Predict(batch, weights_of(batch)));
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
