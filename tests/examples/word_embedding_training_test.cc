// Skip-gram, the tables it is trained on, and what comes of it with several workers, all in this process.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <future>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "examples/word_embedding/block_reader.h"
#include "examples/word_embedding/model.h"
#include "examples/word_embedding/neighbours.h"
#include "examples/word_embedding/skip_gram.h"
#include "examples/word_embedding/training.h"
#include "ps/store.h"
#include "tests/support/temporary_file.h"
#include "tests/support/watchdog.h"

namespace embedding {
namespace {

// Sentences about one of four subjects, of ten words each, with words between that say nothing.
std::vector<Sentence> MakeText(std::size_t num_sentences) {
  std::mt19937_64 random(11);
  std::vector<Sentence> text;
  for (std::size_t i = 0; i < num_sentences; ++i) {
    const std::string subject = std::string("abcd").substr(random() % 4, 1);
    Sentence sentence;
    for (int j = 0; j < 12; ++j)
      sentence.push_back(random() % 3 == 0 ? "the" : subject + std::to_string(random() % 10));
    text.push_back(sentence);
  }
  return text;
}

class TrainingTest : public testing::TestWithParam<bool> {
 protected:
  TrainingTest() {
    options_.hierarchical = GetParam();
    options_.dim = 20;
    options_.window = 3;
    options_.epochs = 4;
    options_.lr = 0.1;
    options_.block = 200;
    const SplitText split = HoldOut(MakeText(1500), 10);
    vocabulary_ = std::make_unique<Vocabulary>(split.train, 1);
    corpora_ = {Encode(split.train, *vocabulary_), Encode(split.held_out, *vocabulary_)};
  }

  struct Outcome {
    EpochResult last;
    std::vector<float> vectors;
  };
  Outcome TrainOn(ps::Store& store) {
    Training training(store, options_, *vocabulary_, corpora_);
    Outcome outcome;
    for (unsigned epoch = 1; epoch <= options_.epochs; ++epoch) outcome.last = training.RunEpoch(epoch, {});
    outcome.vectors = training.Vectors();
    return outcome;
  }
  // What worker 0 of so many has.
  Outcome TrainWith(int num_workers) {
    ps::LocalStoreOptions local;
    local.servers = 2;
    local.workers = num_workers;
    const auto stores = ps::Store::Local(local);
    std::vector<std::future<Outcome>> workers;
    for (const auto& store : stores)
      workers.push_back(std::async(std::launch::async, [this, &store] { return TrainOn(*store); }));
    std::vector<Outcome> outcomes;
    for (auto& worker : workers) outcomes.push_back(worker.get());
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.last.held_out_loss, outcomes[0].last.held_out_loss);
      EXPECT_EQ(outcome.vectors, outcomes[0].vectors);
    }
    return outcomes[0];
  }

  ps::Watchdog watchdog_{std::chrono::seconds(60)};
  Options options_;
  std::unique_ptr<Vocabulary> vocabulary_;
  Corpora corpora_;
};

// The same training on plain arrays, without tables and reading ahead.
std::vector<float> TrainPlainly(const Options& options, const Vocabulary& vocabulary, const Corpora& corpora,
                                std::vector<float> input) {
  const BlockMaker maker(options, vocabulary);
  BlockPlan plan(corpora.train, options.block);
  std::vector<float> output(maker.output_order().num_rows() * options.dim);
  const auto copy_rows = [&](const std::vector<std::uint64_t>& rows, const std::vector<float>& from) {
    std::vector<float> values;
    for (const std::uint64_t row : rows) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * options.dim);
      values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(options.dim));
    }
    return values;
  };
  const auto write_rows = [&](const std::vector<std::uint64_t>& rows, const std::vector<float>& values,
                              std::vector<float>* to) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < options.dim; ++j)
        (*to)[rows[i] * options.dim + j] = values[i * options.dim + j];
    }
  };
  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) {
    plan.Shuffle(MixSeeds(options.seed, epoch));
    for (std::size_t i = 0; i < plan.num_blocks(); ++i) {
      const Block block =
          maker.Make(corpora.train, plan.begin(i), plan.end(i), MixSeeds(options.seed, epoch));
      BlockValues values = {copy_rows(block.input_rows, input), copy_rows(block.output_rows, output)};
      const double done =
          (epoch - 1 + static_cast<double>(i) / static_cast<double>(plan.num_blocks())) / options.epochs;
      Train(block, options.dim, static_cast<float>(options.lr * (1 - done)), &values);
      write_rows(block.input_rows, values.input, &input);
      write_rows(block.output_rows, values.output, &output);
    }
  }
  std::vector<float> vectors;
  for (std::uint32_t word = 0; word < vocabulary.size(); ++word) {
    const std::vector<float> vector = copy_rows({maker.input_order().RowOf(word)}, input);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  return vectors;
}

TEST_P(TrainingTest, OneWorkerComputesWhatAProgramWithoutServersWould) {
  const auto stores = ps::Store::Local();
  std::vector<float> first;
  {
    const BlockMaker maker(options_, *vocabulary_);
    const auto others = ps::Store::Local();
    Model untrained(*others[0], maker.input_order(), maker.output_order(), options_);
    const std::vector<float> words = untrained.Vectors();
    first.resize(words.size());
    for (std::uint32_t word = 0; word < vocabulary_->size(); ++word) {
      for (std::size_t i = 0; i < options_.dim; ++i)
        first[maker.input_order().RowOf(word) * options_.dim + i] = words[word * options_.dim + i];
    }
  }
  const std::vector<float> plain = TrainPlainly(options_, *vocabulary_, corpora_, first);
  const std::vector<float> trained = TrainOn(*stores[0]).vectors;
  ASSERT_EQ(trained.size(), plain.size());
  // Sums of differences are rounded otherwise than the values themselves.
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(trained[i], plain[i], 2e-3) << "number " << i;
}

TEST_P(TrainingTest, SeveralWorkersReachTheSameLoss) {
  const double alone = TrainWith(1).last.held_out_loss;
  for (const int num_workers : {2, 4}) {
    const double loss = TrainWith(num_workers).last.held_out_loss;
    EXPECT_NEAR(loss / alone, 1, 0.02) << num_workers << " workers: " << loss << ", one: " << alone;
  }
}

TEST_P(TrainingTest, WordsOfOneSubjectBecomeNeighbours) {
  const Outcome outcome = TrainWith(2);
  for (const std::string subject : {"a", "b", "c", "d"}) {
    int num_right = 0;
    for (const Neighbour& neighbour :
         NearestTo(vocabulary_->Find(subject + "0").value(), outcome.vectors, vocabulary_->size(), 9))
      num_right += vocabulary_->word(neighbour.word)[0] == subject[0] ? 1 : 0;
    EXPECT_EQ(num_right, 9) << subject;
  }
}

TEST_P(TrainingTest, MoreWorkersThanBlocksLeaveSomeWithNothingToDo) {
  options_.block = 1000000;
  options_.epochs = 2;
  const double first = TrainWith(1).last.held_out_loss;
  EXPECT_NEAR(TrainWith(3).last.held_out_loss, first, 1e-4 * first);
}

TEST_P(TrainingTest, TheLossIsLoggedOverTime) {
  const ps::TemporaryFile file;
  LossLog log(file.path());
  const auto stores = ps::Store::Local();
  Training training(*stores[0], options_, *vocabulary_, corpora_);
  log.AddHeldOut(0, training.JudgeHeldOut());
  const EpochResult result = training.RunEpoch(1, {nullptr, &log});
  log.Finish();
  std::ifstream in(file.path());
  std::string line, last;
  std::getline(in, line);
  EXPECT_EQ(line, "epochs,train_loss,held_out_loss");
  int num_lines = 0;
  for (; std::getline(in, line); ++num_lines) last = line;
  EXPECT_GE(num_lines, 20);
  std::ostringstream wanted;
  wanted << "1,," << result.held_out_loss;
  EXPECT_EQ(last, wanted.str());
  EXPECT_THROW(LossLog(file.path() + "/no/folder"), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Both, TrainingTest, testing::Bool(), [](const auto& info) {
  return info.param ? "HierarchicalSoftmax" : "NegativeSampling";
});

// One window: two inputs, a right answer and a wrong one.
Block MakeWindow() {
  Block block;
  block.input_rows = {0, 1};
  block.output_rows = {0, 1};
  block.inputs = {0, 1};
  block.targets = {{0, 1}, {1, 0}};
  block.windows = {{2, 2}};
  return block;
}

TEST(SkipGramTest, AStepGoesAgainstTheDerivativeOfTheLoss) {
  Block block = MakeWindow();
  block.inputs = {0};  // one pair, so that the step is that of one gradient
  block.windows = {{1, 2}};
  constexpr std::size_t kDim = 9;  // not a whole number of registers
  constexpr float kRate = 1e-3F;
  BlockValues values = {std::vector<float>(2 * kDim), std::vector<float>(2 * kDim)};
  std::mt19937 random(5);
  for (std::vector<float>* part : {&values.input, &values.output}) {
    for (float& value : *part) value = static_cast<float>(random() % 2000) / 1000 - 1;
  }
  BlockValues stepped = values;
  const Loss loss = Train(block, kDim, kRate, &stepped);
  EXPECT_NEAR(loss.sum, Judge(block, kDim, values).sum, 1e-5);
  EXPECT_EQ(loss.num_pairs, 1);
  for (const auto part : {&BlockValues::input, &BlockValues::output}) {
    for (std::size_t i = 0; i < 2 * kDim; ++i) {
      BlockValues up = values, down = values;
      (up.*part)[i] += 1e-2F;
      (down.*part)[i] -= 1e-2F;
      const double derivative = (Judge(block, kDim, up).sum - Judge(block, kDim, down).sum) / 2e-2;
      EXPECT_NEAR(((values.*part)[i] - (stepped.*part)[i]) / kRate, derivative, 2e-3) << "number " << i;
    }
  }
}

TEST(SkipGramTest, ZeroVectorsKnowNothing) {
  const Loss loss = Judge(MakeWindow(), 2, {std::vector<float>(4), std::vector<float>(4)});
  EXPECT_EQ(loss.num_pairs, 2);
  EXPECT_NEAR(loss.mean(), 2 * std::log(2.0), 1e-6);
}

TEST(SkipGramTest, LossIsSafeFarOut) {
  const Loss loss = Judge(MakeWindow(), 1, {{1000, 1000}, {-1000, 1000}});
  EXPECT_NEAR(loss.mean(), 2e6, 1);
}

TEST(ModelTest, AReadLacksNoChangeOfItsWorker) {
  const ps::Watchdog watchdog;
  const auto stores = ps::Store::Local();
  Options options;
  options.dim = 2;
  const RowOrder order(2);
  Model model(*stores[0], order, order, options);
  ReadBlock early;
  early.block = MakeWindow();
  model.Read(&early);
  const BlockValues before = early.values;
  BlockValues after = before;
  after.input[1] += 3;
  after.output[2] -= 5;
  model.Add(early.block, before, after);

  ReadBlock late;
  late.block = early.block;
  model.Read(&late);
  model.CatchUp(&late);   // has it: nothing is put in twice
  model.CatchUp(&early);  // was read before it
  for (const ReadBlock* read : {&early, &late}) {
    EXPECT_FLOAT_EQ(read->values.input[1], before.input[1] + 3);
    EXPECT_FLOAT_EQ(read->values.input[0], before.input[0]);
    EXPECT_FLOAT_EQ(read->values.output[2], -5);
  }
}

TEST(NeighboursTest, AreThoseOfTheSmallestAngle) {
  const std::vector<float> vectors = {1, 0, 10, 1, 0, 2, -3, 0, 0, 0};
  const std::vector<Neighbour> nearest = NearestTo(0, vectors, 5, 3);
  ASSERT_EQ(nearest.size(), 3u);
  EXPECT_EQ(nearest[0].word, 1u);
  EXPECT_NEAR(nearest[0].cosine, 10 / std::sqrt(101.0), 1e-6);
  EXPECT_EQ(nearest[1].cosine, 0);  // a right angle, and no direction at all
  EXPECT_EQ(NearestTo(0, vectors, 5, 9).back().word, 3u);
  EXPECT_EQ(NearestTo(0, vectors, 5, 9).size(), 4u);
}

TEST(NeighboursTest, VectorsAreWrittenAsText) {
  const ps::TemporaryFile file;
  WriteVectors(file.path(), Vocabulary({{"b", "a", "b"}}, 1), {1, 2.5F, -3, 0});
  std::ifstream in(file.path());
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), "2 2\nb 1 2.5\na -3 0\n");
}

}  // namespace
}  // namespace embedding
