// A node of case-21 as a process: like a program with ps::Start, but what it receives goes wrong as asked.
//
//   lossy_node DROP% DUPLICATE% MAX_DELAY_MS INCREMENTS
//
// The workers share INCREMENTS pushes to all servers and check the sums. A failure is one line and exit
// code 1.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "ps/environment.h"
#include "tests/support/chaos.h"
#include "tests/support/increments.h"
#include "transport/factory.h"

namespace {

using ps::Result;

ps::VanFactory LossyVan(const ps::ChaosOptions& weather) {
  return [weather](const ps::Config& config) -> Result<std::unique_ptr<ps::Van>> {
    const Result<ps::TransportFactory> make = ps::MakeTransportFactory(config);
    PS_RETURN_IF_ERROR(make.status());
    const auto wrapped =
        [weather, make = make.value()](uint64_t incarnation) -> Result<std::unique_ptr<ps::Transport>> {
      Result<std::unique_ptr<ps::Transport>> inner = make(incarnation);
      PS_RETURN_IF_ERROR(inner.status());
      return ps::MakeChaosTransport(std::move(inner).value(), weather);
    };
    return std::make_unique<ps::Van>(config, wrapped);
  };
}

void Work(ps::Postoffice* node, int increments) {
  ps::KVWorker<double> worker(node, 0, 0);
  const std::vector<ps::Key> keys = {0, ps::kMaxKey};
  ps::PushOnes(&worker, keys, increments / node->num_workers(), 256);
  node->Barrier(0, ps::kWorkerGroup);
  for (const double sum : ps::PullAll(&worker, keys)) CHECK_EQ(sum, increments);
  std::printf("sums exact\n");
}

void Run(char** arguments) {
  ps::ChaosOptions weather;  // its seed is chosen at random and printed
  weather.drop_percent = std::atof(arguments[0]);
  weather.duplicate_percent = std::atof(arguments[1]);
  weather.max_delay_ms = std::atoi(arguments[2]);
  weather.delay_percent = 100;
  ps::Postoffice node(ps::Environment::Get(), LossyVan(weather));
  node.Start(0, nullptr, true);
  std::unique_ptr<ps::IncrementServer> server;
  if (node.is_server()) server = std::make_unique<ps::IncrementServer>(&node);
  if (node.is_worker()) Work(&node, std::atoi(arguments[3]));
  node.Finalize(0, true);
  if (server != nullptr) CHECK_EQ(server->num_repeated(), 0u);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::printf("lossy_node: four arguments, please\n");
    return 2;
  }
  try {
    Run(argv + 1);
  } catch (const std::exception& error) {
    std::printf("lossy_node: %s\n", error.what());
    return 1;
  }
  return 0;
}
