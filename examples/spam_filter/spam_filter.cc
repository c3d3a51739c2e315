// A spam filter trained by several workers on several servers: sparse logistic regression, FTRL-proximal on
// the servers, no waiting between workers. The three roles are one program; tracker/local.sh starts them:
//
//   tracker/local.sh 2 2 build/examples/spam_filter/spam_filter train=FILE held_out=FILE vocabulary=FILE

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/logistic/dataset.h"
#include "examples/spam_filter/counters.h"
#include "examples/spam_filter/model_server.h"
#include "examples/spam_filter/options.h"
#include "examples/spam_filter/progress.h"
#include "examples/spam_filter/report.h"
#include "examples/spam_filter/trainer.h"
#include "ps/ps.h"

namespace {

constexpr size_t kNumWordsShown = 10;

void PrintQuality(const spam::Quality& quality, const spam::TrainingState& trained, double seconds) {
  std::printf("trained on %.0f mails in %.1f s: %.0f examples/s\n", trained.num_done, seconds,
              trained.num_done / seconds);
  std::printf("held out, %zu mails: AUC %.4f  accuracy %.4f  log loss %.4f\n", quality.num_mails, quality.auc,
              quality.accuracy, quality.log_loss);
}

void PrintWords(const std::vector<spam::WordWeight>& words) {
  const size_t num_shown = std::min(kNumWordsShown, words.size() / 2);
  if (num_shown == 0) return;
  std::printf("%-32s%s\n", "most like spam", "most like ham");
  for (size_t i = 0; i < num_shown; ++i) {
    const spam::WordWeight& for_spam = words[i];
    const spam::WordWeight& for_ham = words[words.size() - 1 - i];
    std::printf("  %+.2f %-23s  %+.2f %s\n", static_cast<double>(for_spam.weight), for_spam.word.c_str(),
                static_cast<double>(for_ham.weight), for_ham.word.c_str());
  }
}

// Worker 0, when all have trained. Returns the exit code.
int Conclude(const spam::Options& options, ps::KVWorker<float>* model, const spam::TrainingState& trained,
             double seconds) {
  const spam::Quality quality = spam::Judge(options.held_out, model);
  PrintQuality(quality, trained, seconds);
  PrintWords(spam::RankWords(options.vocabulary, model));
  std::fflush(stdout);
  if (quality.auc >= options.min_auc && quality.accuracy >= options.min_accuracy) return 0;
  std::cerr << "spam_filter: worse than it should be: wanted AUC " << options.min_auc << " and accuracy "
            << options.min_accuracy << '\n';
  return 1;
}

int RunWorker(const spam::Options& options) {
  const auto rank = static_cast<unsigned>(ps::MyRank());
  ps::KVWorker<float> model(spam::kModelApp, 0);
  spam::Counters counters;
  spam::Progress progress(&std::cout, isatty(STDOUT_FILENO) != 0);
  spam::Trainer trainer(options, &model, &counters, rank == 0 ? &progress : nullptr);

  const logistic::Dataset data =
      spam::ReadMails(options.train, rank, static_cast<unsigned>(ps::NumWorkers()));
  counters.Add({0, static_cast<double>(data.size() * options.epochs), 0});
  counters.Flush();
  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);  // the clock starts when all have read their part

  trainer.Train(data, rank);
  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);

  int exit_code = 0;
  if (rank == 0) {
    const double seconds = trainer.Seconds();
    const spam::TrainingState trained = counters.Read();
    progress.Finish(trained, seconds);
    exit_code = Conclude(options, &model, trained, seconds);
  }
  ps::Finalize(0);
  return exit_code;
}

int Run(const spam::Options& options) {
  ps::Start(0, "spam_filter");
  if (ps::IsWorker()) return RunWorker(options);
  if (ps::IsServer()) {
    spam::RunServer(options.ftrl);
  } else {
    ps::Finalize(0);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(spam::ParseOptions(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const std::invalid_argument& error) {
    std::cerr << "spam_filter: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "spam_filter: " << error.what() << '\n';
    return 1;
  }
}
