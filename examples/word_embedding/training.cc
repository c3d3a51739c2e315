#include "examples/word_embedding/training.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace embedding {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSmallestRate = 1e-4;  // of the first one
constexpr double kLinesPerEpoch = 20;   // of the log
constexpr std::size_t kHeldOutBlock = 1000;
constexpr std::uint64_t kHeldOutPass = 0;  // epochs are passes from 1 on

// A worker's share of the words that all have under way.
std::size_t ShareOf(std::size_t words, int num_workers) {
  return std::max<std::size_t>(1, words / static_cast<std::size_t>(num_workers));
}

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Tells how an epoch goes.
class Reporter {
 public:
  Reporter(unsigned epoch, const Reports& reports, double words_of_all)
      : epoch_(epoch), reports_(reports), words_of_all_(words_of_all) {}

  // `share` of the epoch is done. Workers have equal shares: as this one, so the others.
  void Trained(double share, const Loss& block) {
    unshown_ += block;
    unlogged_ += block;
    const double seconds = SecondsSince(begin_);
    if (reports_.progress != nullptr && reports_.progress->Due(seconds)) {
      std::array<char, 64> text{};
      std::snprintf(text.data(), text.size(), "loss %.4f  %.0f words/s", unshown_.mean(),
                    share * words_of_all_ / seconds);
      reports_.progress->Show(epoch_, share, text.data(), seconds);
      unshown_ = {};
    }
    if (reports_.log == nullptr || share < next_line_) return;
    reports_.log->AddTrained(epoch_ - 1 + share, unlogged_.mean());
    unlogged_ = {};
    next_line_ += 1 / kLinesPerEpoch;
  }
  double Seconds() const { return SecondsSince(begin_); }

 private:
  const unsigned epoch_;
  const Reports reports_;
  const double words_of_all_;
  const Clock::time_point begin_ = Clock::now();
  double next_line_ = 1 / kLinesPerEpoch;  // share of the epoch at which it is due
  Loss unshown_, unlogged_;
};

}  // namespace

Training::Training(ps::Store& store, const Options& options, const Vocabulary& vocabulary,
                   const Corpora& corpora)
    : store_(store),
      options_(options),
      corpora_(corpora),
      maker_(options, vocabulary),
      train_plan_(corpora.train, ShareOf(options.block, store.num_workers())),
      held_out_plan_(corpora.held_out, kHeldOutBlock),
      model_(store, maker_.input_order(), maker_.output_order(), options),
      sums_(store, "sums", 3) {}

EpochResult Training::RunEpoch(unsigned epoch, const Reports& reports) {
  train_plan_.Shuffle(MixSeeds(options_.seed, epoch));
  store_.Barrier();  // the clock starts for all at once
  const auto begin = Clock::now();
  Loss loss;
  const double num_words = TrainBlocks(epoch, reports, &loss);
  store_.Barrier();  // what all have added is there
  const double seconds = SecondsSince(begin);
  const std::vector<double> sums = sums_.Sum({loss.sum, loss.num_pairs, num_words});
  EpochResult result;
  result.train_loss = Loss{sums[0], sums[1]}.mean();
  result.speed = sums[2] / seconds;
  result.held_out_loss = JudgeHeldOut();
  if (reports.log != nullptr) reports.log->AddHeldOut(epoch, result.held_out_loss);
  return result;
}

double Training::TrainBlocks(unsigned epoch, const Reports& reports, Loss* loss) {
  Reporter reporter(epoch, reports, static_cast<double>(corpora_.train.words.size()));
  BlockReader reader(SourceOf(corpora_.train, train_plan_, epoch), &model_);
  double num_words = 0;
  while (ReadBlock* const read = reader.Next()) {
    const BlockValues before = read->values;
    const double share = static_cast<double>(read->index) / static_cast<double>(train_plan_.num_blocks());
    const auto rate = static_cast<float>(Rate(epoch - 1 + share));
    const Loss of_block = Train(read->block, options_.dim, rate, &read->values);
    model_.Add(read->block, before, read->values);
    *loss += of_block;
    num_words += static_cast<double>(read->block.num_words);
    reporter.Trained(share, of_block);
  }
  model_.WaitForAdds();
  return num_words;
}

double Training::JudgeHeldOut() {
  BlockReader reader(SourceOf(corpora_.held_out, held_out_plan_, kHeldOutPass), &model_);
  Loss loss;
  while (const ReadBlock* const read = reader.Next()) loss += Judge(read->block, options_.dim, read->values);
  // Returns when all have judged, so that nobody trains on while others judge.
  const std::vector<double> sums = sums_.Sum({loss.sum, loss.num_pairs});
  return Loss{sums[0], sums[1]}.mean();
}

BlockSource Training::SourceOf(const Corpus& corpus, const BlockPlan& plan, std::uint64_t pass) const {
  return {maker_,
          corpus,
          plan,
          MixSeeds(options_.seed, pass),
          static_cast<std::size_t>(store_.rank()),
          static_cast<std::size_t>(store_.num_workers())};
}

double Training::Rate(double epochs_done) const {
  return options_.lr * std::max(kSmallestRate, 1 - epochs_done / options_.epochs);
}

}  // namespace embedding
