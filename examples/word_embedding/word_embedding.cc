// Vectors of words, learnt from a text by one process or by many that share tables. This program is the
// scheduler, the servers and the workers of a job, or all of it in one process:
//
//   build/examples/word_embedding/word_embedding
//   tracker/local.sh 2 4 build/examples/word_embedding/word_embedding

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>

#include "examples/progress/epoch_progress.h"
#include "examples/table_job/roles.h"
#include "examples/word_embedding/loss_log.h"
#include "examples/word_embedding/neighbours.h"
#include "examples/word_embedding/options.h"
#include "examples/word_embedding/text.h"
#include "examples/word_embedding/training.h"
#include "examples/word_embedding/vocabulary.h"

namespace {

using embedding::EpochResult;
using embedding::Options;
using embedding::Training;
using embedding::Vocabulary;

constexpr std::size_t kNumNeighbours = 8;

void PrintNeighbours(const Options& options, const Vocabulary& vocabulary,
                     const std::vector<float>& vectors) {
  for (const std::string& word : options.words) {
    std::printf("%-10s", word.c_str());
    const auto id = vocabulary.Find(word);
    if (!id) std::printf(" is not among the words that were learnt");
    if (id) {
      for (const auto& [other, cosine] :
           embedding::NearestTo(*id, vectors, vocabulary.size(), kNumNeighbours))
        std::printf("  %s %.2f", vocabulary.word(other).c_str(), cosine);
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

std::string TextOf(const EpochResult& result) {
  char text[128];
  std::snprintf(text, sizeof(text), "loss %.4f  held-out loss %.4f  %.0f words/s", result.train_loss,
                result.held_out_loss, result.speed);
  return text;
}

// The epochs as the one worker that speaks for all runs them.
EpochResult RunAndTell(const Options& options, Training* training) {
  embedding::LossLog log(options.loss_csv);
  progress::EpochProgress progress(&std::cout, isatty(STDOUT_FILENO) != 0, options.epochs);
  log.AddHeldOut(0, training->JudgeHeldOut());
  EpochResult result;
  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) {
    result = training->RunEpoch(epoch, {&progress, &log});
    progress.Finish(epoch, TextOf(result));
  }
  log.Finish();
  return result;
}

void RunSilently(const Options& options, Training* training) {
  training->JudgeHeldOut();
  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) training->RunEpoch(epoch, {});
}

// One worker. Returns the exit code.
int Work(const Options& options, ps::Store& store) {
  const embedding::SplitText text =
      embedding::HoldOut(embedding::ReadText(options.text, options.max_words), options.held_out);
  const Vocabulary vocabulary(text.train, options.min_count);
  const embedding::Corpora corpora = {Encode(text.train, vocabulary), Encode(text.held_out, vocabulary)};
  if (vocabulary.size() < 2)
    throw std::invalid_argument(options.text + ": there are not two words that occur " +
                                std::to_string(options.min_count) + " times (--min-count)");
  Training training(store, options, vocabulary, corpora);
  if (store.rank() != 0) {
    RunSilently(options, &training);
    return 0;
  }
  std::printf("%zu words to learn from, %zu different ones; %zu held out\n", corpora.train.words.size(),
              vocabulary.size(), corpora.held_out.words.size());
  std::fflush(stdout);
  const EpochResult result = RunAndTell(options, &training);
  const std::vector<float> vectors = training.Vectors();
  PrintNeighbours(options, vocabulary, vectors);
  if (!options.vectors.empty()) embedding::WriteVectors(options.vectors, vocabulary, vectors);
  if (options.max_loss == 0 || result.held_out_loss <= options.max_loss) return 0;
  std::fprintf(stderr, "word_embedding: worse than it should be: wanted a held-out loss of at most %.4f\n",
               options.max_loss);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int exit_code = 0;
  if (!embedding::ParseOptions(argc, argv, &options, &exit_code)) return exit_code;
  try {
    return table_job::Run([&](ps::Store& store) { return Work(options, store); });
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "word_embedding: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "word_embedding: %s\n", error.what());
    return 1;
  }
}
