#include "examples/mnist/options.h"

#include <CLI/CLI.hpp>

namespace mnist {
namespace {

constexpr int kUsage = 2;

// What compares runs needs.
void AddCurve(CLI::App* app, Options* options) {
  app->add_option("--seed", options->seed,
                  "of start weights and orders, the same in every language; 0: those of this C++ library")
      ->capture_default_str();
  app->add_option(
         "--blocks", options->blocks,
         "of a batch: gradients of each are rounded, so that training has the same bits however many "
         "devices share them; 0: not so")
      ->check(CLI::Range(0, 60000))
      ->capture_default_str();
  app->add_option("--csv", options->csv, "file for epoch, seconds of training, test error and loss");
}

}  // namespace

bool ParseOptions(int argc, const char* const* argv, Options* options, int* exit_code) {
  CLI::App app("Trains a network on MNIST, alone or as a node of a job (tracker/local.sh).", "mnist");
  app.add_option("--kvstore,--mode", options->kvstore,
                 "local, device, dist_sync, dist_async, dist_ssp:<bound> or another type of KVStore")
      ->capture_default_str();
  app.add_option("--data", options->data, "folder with the files of MNIST (examples/mnist/get_data.sh)")
      ->capture_default_str();
  CLI::Option* const devices =
      app.add_option("--devices", options->devices, "simulated devices of each worker")
          ->check(CLI::Range(1, 64))
          ->capture_default_str();
  app.add_option("--gpus", options->gpus,
                 "GPUs of each worker, for weights and gradients; the network is computed on the processor")
      ->check(CLI::Range(1, 64))
      ->excludes(devices);
  app.add_option("--epochs", options->epochs, "times over the data")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--batch", options->batch, "examples per step, of all workers together")
      ->check(CLI::Range(1, 60000))
      ->capture_default_str();
  app.add_option("--lr", options->lr, "learning rate")->check(CLI::Range(1e-9, 1e3))->capture_default_str();
  app.add_option("--lr_decay", options->lr_decay, "factor on the rate after every epoch")
      ->check(CLI::Range(1e-3, 1.0))
      ->capture_default_str();
  app.add_option("--optimizer", options->optimizer, "rule of ps/updater.h and its options, but for the rate")
      ->capture_default_str();
  app.add_option("--min_accuracy", options->min_accuracy, "percent; below it the run has failed")
      ->check(CLI::Range(0.0, 100.0));
  AddCurve(&app, options);
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? 0 : kUsage;
    return false;
  }
}

}  // namespace mnist
