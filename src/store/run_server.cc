#include "ps/run_server.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/postoffice.h"
#include "ps/store_server.h"
#include "store/command_server.h"

namespace ps {

void RunServer(KVController controller, Postoffice* node) {
  RunServer(0, nullptr, std::move(controller), node);
}

void RunServer(int argc, char** argv, KVController controller, Postoffice* node) {
  if (node == nullptr) node = Postoffice::Get();
  if (node->is_worker())
    ThrowIfError(
        Status::FailedPrecondition("RunServer is for servers and the scheduler; DMLC_ROLE is worker"));
  node->Start(0, nullptr, true);
  std::unique_ptr<StoreServer> server;
  std::unique_ptr<CommandServer> commands;
  try {
    if (node->is_server()) {
      server = std::make_unique<StoreServer>(node, std::vector<std::string>(argv, argv + argc));
      commands = std::make_unique<CommandServer>(node, std::move(controller));
    }
  } catch (...) {
    server.reset();
    // Or the others would wait for a server that serves nothing. What was thrown says more than its outcome.
    static_cast<void>(node->TryFinalize(0, false));
    throw;
  }
  node->Finalize(0, true);
}

}  // namespace ps
