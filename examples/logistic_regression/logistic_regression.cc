// Sparse logistic regression with FTRL-proximal on a hash table, from files in libsvm format. This program is
// the scheduler, the servers and the workers of a job, or all of it in one process:
//
//   build/examples/logistic_regression/logistic_regression examples/logistic_regression/spam.conf
//   tracker/local.sh 2 2 build/examples/logistic_regression/logistic_regression FILE [name=value ...]

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/logistic_regression/options.h"
#include "examples/logistic_regression/trainer.h"
#include "examples/progress/epoch_progress.h"
#include "examples/table_job/roles.h"

namespace {

std::string TextOf(const lr::EpochResult& result) {
  char text[96];
  std::snprintf(text, sizeof(text), "loss %.4f  %.0f examples/s", result.loss, result.speed);
  return text;
}

// Worker 0, when all have trained. Returns the exit code.
int Conclude(const lr::Options& options, ps::Store& store, lr::Trainer* trainer) {
  const lr::Quality quality = trainer->Judge();
  std::printf("test, %zu examples: AUC %.4f  accuracy %.4f  log loss %.4f\n", quality.num_examples,
              quality.auc, quality.accuracy, quality.log_loss);
  std::fflush(stdout);
  if (!options.checkpoint.empty()) {
    ps::SaveOptions save;
    save.prefix = "weights";
    store.Save(options.checkpoint, save);
  }
  if (quality.auc >= options.min_auc && quality.accuracy >= options.min_accuracy) return 0;
  std::fprintf(stderr, "logistic_regression: worse than it should be: wanted AUC %g and accuracy %g\n",
               options.min_auc, options.min_accuracy);
  return 1;
}

// One worker. Returns the exit code.
int Work(const lr::Options& options, ps::Store& store) {
  lr::Trainer trainer(store, options);
  progress::EpochProgress progress(&std::cout, isatty(STDOUT_FILENO) != 0, options.epochs);
  const bool tells = store.rank() == 0;
  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) {
    const lr::EpochResult result = trainer.RunEpoch(epoch, tells ? &progress : nullptr);
    if (tells) progress.Finish(epoch, TextOf(result));
  }
  return tells ? Conclude(options, store, &trainer) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (std::find(words.begin(), words.end(), "--help") != words.end()) {
      std::fputs(lr::Usage().c_str(), stdout);
      return 0;
    }
    const lr::Options options = lr::ParseOptions(words);
    return table_job::Run([&options](ps::Store& store) { return Work(options, store); });
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "logistic_regression: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "logistic_regression: %s\n", error.what());
    return 1;
  }
}
