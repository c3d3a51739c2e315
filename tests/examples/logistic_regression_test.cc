// What the user of examples/logistic_regression types, and what workers make of it together.
#include <gtest/gtest.h>

#include <cmath>
#include <future>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/logistic_regression/options.h"
#include "examples/logistic_regression/trainer.h"
#include "ps/store.h"
#include "tests/support/temporary_file.h"
#include "tests/support/watchdog.h"

namespace lr {
namespace {

// The text of the error, "" if there is none.
std::string ErrorOf(const std::vector<std::string>& words) {
  try {
    ParseOptions(words);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LogisticRegressionOptionsTest, AreReadFromTheFileAndThenFromTheWords) {
  const ps::TemporaryFile file(
      "# a comment\ntrain = a/b.libsvm\n\ntest=c  # another\nalpha = 0.25\nepochs= 7\nlambda2 =1e-3\n");
  const Options options = ParseOptions({"epochs=3", file.path(), "min_auc=0.5"});
  EXPECT_EQ(options.train, "a/b.libsvm");
  EXPECT_EQ(options.test, "c");
  EXPECT_EQ(options.alpha, 0.25);
  EXPECT_EQ(options.lambda2, 1e-3);
  EXPECT_EQ(options.epochs, 3u);
  EXPECT_EQ(options.min_auc, 0.5);
  EXPECT_EQ(options.batch, Options().batch);
}

TEST(LogisticRegressionOptionsTest, MistakesAreNamedWithTheirFile) {
  const ps::TemporaryFile unknown("train = a\ntest = b\nspeed = 9\n");
  EXPECT_NE(ErrorOf({unknown.path()}).find(unknown.path() + ":3: 'speed=9' is not an option"),
            std::string::npos);
  const ps::TemporaryFile wrong("train = a\ntest = b\nbatch = 0\n");
  EXPECT_NE(ErrorOf({wrong.path()}).find("'batch=0'"), std::string::npos);
  const ps::TemporaryFile no_line("train = a\ntest b\n");
  EXPECT_NE(ErrorOf({no_line.path()}).find(no_line.path() + ":2: 'test b' is no `name = value`"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"no/such/file"}).find("no/such/file: can not be opened"), std::string::npos);
  EXPECT_NE(ErrorOf({"train=a"}).find("train and test are required"), std::string::npos);
}

// Examples of a known model over features that are far apart, as hashes are.
std::string MakeLibsvm(std::size_t num_examples, unsigned seed) {
  constexpr std::uint64_t kFeatures = 30;
  std::mt19937_64 random(seed);
  const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::ostringstream lines;
  for (std::size_t i = 0; i < num_examples; ++i) {
    double margin = 0;
    std::ostringstream features;
    for (std::uint64_t feature = 0; feature < kFeatures; ++feature) {
      if (uniform() > 0.2) continue;
      margin += feature % 3 == 0 ? 2 : feature % 3 == 1 ? -2 : 0;
      features << ' ' << feature * 0x9e3779b97f4a7c15u << ":1";
    }
    lines << (uniform() < 1 / (1 + std::exp(-margin)) ? 1 : 0) << features.str() << '\n';
  }
  return lines.str();
}

TEST(LogisticRegressionTest, OneWorkerAndSeveralLearnTheModel) {
  const ps::Watchdog watchdog;
  const ps::TemporaryFile train(MakeLibsvm(3000, 1)), test(MakeLibsvm(1500, 2));
  Options options;
  options.train = train.path();
  options.test = test.path();
  options.epochs = 3;
  for (const int num_workers : {1, 3}) {
    ps::LocalStoreOptions local;
    local.servers = 2;
    local.workers = num_workers;
    const auto stores = ps::Store::Local(local);
    struct Outcome {
      EpochResult first, last;
      Quality quality;
    };
    std::vector<std::future<Outcome>> workers;
    for (const auto& store : stores) {
      workers.push_back(std::async(std::launch::async, [&options, &store] {
        Trainer trainer(*store, options);
        Outcome outcome;
        outcome.first = trainer.RunEpoch(1, nullptr);
        for (unsigned epoch = 2; epoch <= options.epochs; ++epoch)
          outcome.last = trainer.RunEpoch(epoch, nullptr);
        outcome.quality = trainer.Judge();
        return outcome;
      }));
    }
    for (auto& worker : workers) {
      const Outcome outcome = worker.get();
      EXPECT_LT(outcome.last.loss, outcome.first.loss);
      EXPECT_EQ(outcome.quality.num_examples, 1500u);
      EXPECT_GT(outcome.quality.auc, 0.9) << num_workers << " workers";
      EXPECT_LT(outcome.quality.log_loss, 0.42) << num_workers << " workers";
    }
  }
}

TEST(LogisticRegressionTest, AFileWithoutExamplesIsNamed) {
  const ps::TemporaryFile empty("\n");
  Options options;
  options.train = options.test = empty.path();
  const auto stores = ps::Store::Local();
  Trainer trainer(*stores[0], options);
  try {
    trainer.RunEpoch(1, nullptr);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(empty.path() + ": holds no examples"), std::string::npos);
  }
}

}  // namespace
}  // namespace lr
