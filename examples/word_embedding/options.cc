#include "examples/word_embedding/options.h"

#include <CLI/CLI.hpp>

namespace embedding {
namespace {

constexpr int kUsage = 2;

void DescribeText(Options* options, CLI::App* app) {
  app->add_option("--text", options->text,
                  "text with a sentence to a line (examples/word_embedding/get_data.sh)")
      ->capture_default_str();
  app->add_option("--max-words", options->max_words, "only so many words of it; 0: all")
      ->capture_default_str();
  app->add_option("--held-out", options->held_out,
                  "every so manyth sentence is not learnt from, but judged by")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  app->add_option("--min-count", options->min_count, "rarer words are left out")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
}

void DescribeModel(Options* options, CLI::App* app) {
  app->add_flag("--hs", options->hierarchical, "hierarchical softmax instead of negative sampling");
  app->add_option("--dim", options->dim, "numbers of a vector")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app->add_option("--window", options->window, "words on each side that a word predicts, at most")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app->add_option("--negative", options->negative, "words drawn to be told from the right one, per window")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app->add_option("--subsample", options->subsample,
                  "share of the text above which occurrences of a word are left out; 0: none are")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void DescribeTraining(Options* options, CLI::App* app) {
  app->add_option("--epochs", options->epochs, "times over the text")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app->add_option("--lr", options->lr, "learning rate at first; it falls evenly to almost 0")
      ->check(CLI::Range(1e-6, 10.0))
      ->capture_default_str();
  app->add_option(
         "--block", options->block,
         "words between a read of the tables and an Add, of all workers together; too many overshoot")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  app->add_option("--seed", options->seed, "of all that is drawn")->capture_default_str();
}

void DescribeResults(Options* options, CLI::App* app) {
  app->add_option("--words", options->words,
                  "words whose nearest neighbours are printed, with commas between")
      ->delimiter(',')
      ->capture_default_str();
  app->add_option("--loss-csv", options->loss_csv, "file for the loss over time (plot_loss.py draws it)");
  app->add_option("--vectors", options->vectors, "file for the vectors, as text");
  app->add_option("--max-loss", options->max_loss,
                  "above this loss of held-out text the run has failed; 0: no bound")
      ->check(CLI::Range(0.0, 1000.0));
}

}  // namespace

bool ParseOptions(int argc, const char* const* argv, Options* options, int* exit_code) {
  CLI::App app("Learns vectors of words from a text, alone or as a node of a job (tracker/local.sh).",
               "word_embedding");
  DescribeText(options, &app);
  DescribeModel(options, &app);
  DescribeTraining(options, &app);
  DescribeResults(options, &app);
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? 0 : kUsage;
    return false;
  }
}

}  // namespace embedding
