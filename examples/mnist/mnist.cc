// A network that learns to read the digits of MNIST, trained by one process or by many. The type of the store
// says how: `local` and `device` are this process alone, with the other ones this program is the scheduler,
// the servers and the workers of a job:
//
//   build/examples/mnist/mnist --kvstore device --devices 2
//   tracker/local.sh 2 2 build/examples/mnist/mnist --kvstore dist_sync

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "examples/mnist/digits.h"
#include "examples/mnist/epoch_table.h"
#include "examples/mnist/options.h"
#include "examples/mnist/progress.h"
#include "examples/mnist/totals.h"
#include "examples/mnist/training.h"
#include "ps/kvstore.h"
#include "ps/ps.h"

namespace {

int Train(const mnist::Options& options) {
  const mnist::Digits train = mnist::ReadDigits(options.data, "train");
  const mnist::Digits test = mnist::ReadDigits(options.data, "t10k");
  mnist::Training training(options, train, test);
  mnist::Progress progress(&std::cout, isatty(STDOUT_FILENO) != 0, options.epochs);
  std::optional<mnist::EpochTable> table;
  if (training.rank() == 0 && !options.csv.empty()) table.emplace(options.csv);
  mnist::EpochResult result;
  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) {
    result = training.RunEpoch(epoch, training.rank() == 0 ? &progress : nullptr);
    if (training.rank() == 0) progress.Finish(epoch, result);
    if (table) table->Add(epoch, result);
  }
  // All workers know the same result; one says what is wrong with it.
  if (result.accuracy >= options.min_accuracy || training.rank() != 0) return 0;
  std::fprintf(stderr, "mnist: worse than it should be: wanted an accuracy of %.2f %%\n",
               options.min_accuracy);
  return 1;
}

int Run(const mnist::Options& options) {
  if (!ps::IsDistributedType(options.kvstore)) {
    if (std::getenv("DMLC_ROLE") != nullptr)
      throw std::invalid_argument("--kvstore " + options.kvstore +
                                  " is one process, which is started without tracker/local.sh");
    return Train(options);
  }
  if (ps::IsWorker()) return Train(options);
  ps::RunServer();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  mnist::Options options;
  int exit_code = 0;
  if (!mnist::ParseOptions(argc, argv, &options, &exit_code)) return exit_code;
  try {
    return Run(options);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "mnist: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mnist: %s\n", error.what());
    return 1;
  }
}
