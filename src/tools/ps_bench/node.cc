#include "tools/ps_bench/node.h"

#include <cstdio>
#include <exception>
#include <memory>

#include "ps/ps.h"
#include "ps/store_server.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

void MeasureAsTold(const std::string& work, const Figures& settings) {
  KVWorker<float> worker(0, 0);
  Bench bench;
  bench.worker = &worker;
  bench.rank = MyRank();
  bench.servers = Postoffice::Get()->GetServerKeyRanges();
  bench.settings = settings;
  const std::unique_ptr<Work> measured = MakeWork(work, bench);
  TakeTurns([&measured] { return measured->Run(); });
}

int TraitsOf(const Figures& settings) {
  int traits = kOnAppThread;
  if (settings.count("inline") != 0) traits |= kInline;
  if (settings.count("borrow") != 0) traits |= kBorrow;
  return traits;
}

void Live(const std::string& work, const Figures& settings) {
  Start(0);
  std::unique_ptr<KVServer<float>> server;
  std::unique_ptr<StoreServer> store;
  if (work != "none" && IsServer() && NeedsStore(work)) {
    store = std::make_unique<StoreServer>();
  } else if (work != "none" && IsServer()) {
    server = std::make_unique<KVServer<float>>(0);
    server->set_request_handle(HandleOf(work), TraitsOf(settings));
  }
  if (work != "none" && IsWorker()) MeasureAsTold(work, settings);
  Finalize(0);
}

}  // namespace

int RunNode(const std::string& work, const std::string& settings) {
  try {
    Live(work, ParseFigures(settings));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ps_bench: a node that measures '%s': %s\n", work.c_str(), error.what());
    return 1;
  }
}

}  // namespace ps::bench
