// A network that learns to read the digits of MNIST on any number of devices, which add up their gradients
// through a SharedModel: layer by layer, so that what is known travels while the rest is computed.
//
//   build/examples/mlp_shared/mlp_shared --devices 2
//   tracker/local.sh 2 2 build/examples/mlp_shared/mlp_shared --type dist --devices 2
//   build/examples/mlp_shared/mlp_shared --devices 2 --layers 4      # how long steps take

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "examples/mlp_shared/options.h"
#include "examples/mlp_shared/shared_exchange.h"
#include "examples/mlp_shared/step_times.h"
#include "examples/mlp_shared/training.h"
#include "examples/mnist/digits.h"
#include "ps/ps.h"
#include "ps/run_server.h"

namespace {

void Print(unsigned round, const mlp::RoundResult& result) {
  const auto steps = static_cast<double>(result.sync.steps);
  std::printf(
      "round %u: test error %.2f %%  step %.2f ms  synchronisation %.2f ms, waited for %.2f ms, overlap %.0f "
      "%%\n",
      round, result.test_error * 100, result.step_seconds * 1e3, result.sync.synchronised / steps * 1e3,
      result.sync.waited / steps * 1e3, result.sync.overlap() * 100);
  std::fflush(stdout);
}

int Train(const mlp::Options& options) {
  const mnist::Digits train = mnist::ReadDigits(options.data, "train");
  const mnist::Digits test = mnist::ReadDigits(options.data, "t10k");
  mlp::SharedExchange exchange(options.type, options.training.devices);
  mlp::TrainingOptions training_options = options.training;
  if (options.type != "local") {
    training_options.part = ps::MyRank();
    training_options.num_parts = ps::NumWorkers();
  }
  mlp::Training training(training_options, train, test, &exchange);
  double error = 1;
  for (unsigned round = 1; round <= options.rounds; ++round) {
    const mlp::RoundResult result = training.RunRound(round);
    if (training_options.part == 0) Print(round, result);
    error = result.test_error;
  }
  if (error * 100 <= options.max_error) return 0;
  std::fprintf(stderr, "mlp_shared: worse than it should be: wanted a test error of at most %.2f %%\n",
               options.max_error);
  return 1;
}

int Measure(const mlp::Options& options) {
  int number = 0;
  const mlp::StepTimes times = mlp::MeasureSteps(options.layers, [&](int devices) {
    return std::make_unique<mlp::SharedExchange>(options.type, devices, "steps" + std::to_string(number++));
  });
  mlp::Print(options.layers, times, &std::cout);
  if (options.max_ratio <= 0 || times.ratio <= options.max_ratio) return 0;
  std::fprintf(stderr, "mlp_shared: a step with overlap took %.2f x the longer of its parts, wanted %.2f\n",
               times.ratio, options.max_ratio);
  return 1;
}

int Run(const mlp::Options& options) {
  if (options.type == "local" && std::getenv("DMLC_ROLE") != nullptr)
    throw std::invalid_argument("--type local is one process, which is started without tracker/local.sh");
  if (options.type != "local" && !ps::IsWorker()) {
    ps::RunServer();
    return 0;
  }
  const bool starts = options.type == "allreduce";  // dist does it by itself
  if (starts) ps::Start(0);
  const int exit_code = options.measures_steps ? Measure(options) : Train(options);
  if (starts) ps::Finalize(0);
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  mlp::Options options;
  int exit_code = 0;
  if (!mlp::ParseOptions(argc, argv, &options, &exit_code)) return exit_code;
  try {
    return Run(options);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "mlp_shared: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mlp_shared: %s\n", error.what());
    return 1;
  }
}
