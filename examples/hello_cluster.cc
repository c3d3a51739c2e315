// A whole cluster in one process: the way to try, test and debug a program before there is a cluster.
//
//   build/examples/hello_cluster
//
// The function runs once per node, each on its own thread; inside it the functions of ps.h mean that node.

#include <atomic>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/ps.h"

namespace {

constexpr int kApp = 0;

// Returns the sum of the ranks of all workers plus their number, by way of the servers.
float SumOfRanks(ps::Postoffice& node) {
  ps::KVWorker<float> worker(&node, kApp, 0);
  const std::vector<ps::Key> keys = {1};
  worker.Wait(worker.Push(keys, {static_cast<float>(ps::MyRank() + 1)}));
  node.Barrier(0, ps::kWorkerGroup);
  std::vector<float> sum;
  worker.Wait(worker.Pull(keys, &sum));
  return sum.at(0);
}

}  // namespace

int main() {
  std::atomic<int> num_right{0};
  try {
    ps::LocalCluster cluster(2, 3);  // servers, workers; and a scheduler
    // A server serves until its body returns, so the object lives here, outside.
    std::vector<std::unique_ptr<ps::KVServer<float>>> servers(2);
    cluster.Run([&](ps::Postoffice& node) {
      if (node.is_server()) {
        auto& server = servers.at(static_cast<size_t>(node.my_rank()));
        server = std::make_unique<ps::KVServer<float>>(&node, kApp);
        server->set_request_handle(ps::KVServerDefaultHandle<float>());
      }
      if (!node.is_worker()) return;
      const float sum = SumOfRanks(node);
      std::ostringstream line;  // one write, so that lines of different threads stay whole
      line << "worker " << node.my_rank() << " sees " << sum << '\n';
      std::cout << line.str() << std::flush;
      if (sum == 1 + 2 + 3) ++num_right;
    });
    servers.clear();
  } catch (const std::exception& error) {
    std::cerr << "hello_cluster: " << error.what() << std::endl;
    return 1;
  }
  return num_right == 3 ? 0 : 1;
}
