// The smallest job: servers that add up what workers push.
//
//   tracker/local.sh 2 2 build/examples/hello_kv
//
// Every worker pushes the same keys, so that after all pushes each value is multiplied by their number.

#include <iostream>
#include <vector>

#include "ps/ps.h"

namespace {

constexpr int kApp = 0;
constexpr int kNumKeys = 5;

// Keys are found by their place in the 64-bit range; spread over it they use all servers.
std::vector<ps::Key> SpreadKeys() {
  std::vector<ps::Key> keys;
  for (int i = 0; i < kNumKeys; ++i) keys.push_back(ps::kMaxKey / kNumKeys * static_cast<ps::Key>(i));
  return keys;
}

bool RunWorker() {
  ps::KVWorker<float> worker(kApp, 0);
  const std::vector<ps::Key> keys = SpreadKeys();
  const std::vector<float> values = {1, 2, 3, 4, 5};
  worker.Wait(worker.Push(keys, values));               // Push returns at once, Wait when it was applied
  ps::Postoffice::Get()->Barrier(0, ps::kWorkerGroup);  // now the pushes of all workers were applied
  std::vector<float> sums;
  worker.Wait(worker.Pull(keys, &sums));

  std::cout << "worker " << ps::MyRank() << " pulls:";
  for (float sum : sums) std::cout << ' ' << sum;
  std::cout << std::endl;
  for (size_t i = 0; i < values.size(); ++i) {
    if (sums.size() != values.size() || sums[i] != values[i] * static_cast<float>(ps::NumWorkers()))
      return false;
  }
  return true;
}

}  // namespace

int main() {
  try {
    bool right = true;
    ps::Start(0);  // returns when all nodes are there
    if (ps::IsServer()) {
      ps::KVServer<float> server(kApp);
      server.set_request_handle(ps::KVServerDefaultHandle<float>());
      ps::Finalize(0);  // returns when all nodes are done
    } else {
      if (ps::IsWorker()) right = RunWorker();
      ps::Finalize(0);
    }
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "hello_kv: " << error.what() << std::endl;
    return 1;
  }
}
