// ps_node: a scheduler or a server of a job, so that programs that use the store have only workers to write.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "ps/config.h"
#include "ps/environment.h"
#include "ps/kvstore.h"
#include "ps/ps.h"

namespace {

constexpr int kUsage = 2;

// Serves until the last node of the job leaves.
int Serve() {
  try {
    if (ps::IsWorker()) {
      std::fprintf(
          stderr, "ps_node: DMLC_ROLE is worker; ps_node is a scheduler or a server, workers are programs\n");
      return kUsage;
    }
    ps::RunServer();
  } catch (const ps::Error& error) {
    std::fprintf(stderr, "ps_node: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Runs a scheduler or a server (DMLC_ROLE) of the job that the DMLC_* variables describe, until the job "
      "ends. "
      "Servers serve the tables of the store and of KVStore.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return Serve();
}
