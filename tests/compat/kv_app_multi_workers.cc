// Two workers, customer ids 0 and 1, as threads of one process: DMLC_NUM_WORKER counts both.
#include <cmath>

#include "ps/ps.h"

using namespace ps;

namespace kv_app_multi_workers {

void RunServer() {
  Start(0);
  auto server = new KVServer<float>(0);
  server->set_request_handle(KVServerDefaultHandle<float>());
  RegisterExitCallback([server] { delete server; });
  Finalize(0, true);
}

void RunWorker(int customer_id) {
  Start(customer_id);
  KVWorker<float> kv(0, customer_id);
  const int num = 10000;
  const int repeat = 50;
  std::vector<uint64_t> keys(num);
  std::vector<float> vals(num);
  srand(MyRank() + 7);
  for (int i = 0; i < num; ++i) {
    keys[i] = kMaxKey / num * i + customer_id;
    vals[i] = static_cast<float>(rand() % 1000);
  }
  std::vector<int> ts;
  for (int i = 0; i < repeat; ++i) {
    ts.push_back(kv.Push(keys, vals));
    if (i > 10) kv.Wait(ts[ts.size() - 10]);
  }
  for (int t : ts) kv.Wait(t);
  std::vector<float> rets;
  kv.Wait(kv.Pull(keys, &rets));
  std::vector<float> outs;
  for (int i = 0; i < repeat; ++i) kv.Wait(kv.PushPull(keys, vals, &outs));
  float res = 0;
  float res2 = 0;
  for (int i = 0; i < num; ++i) {
    res += std::fabs(rets[i] - vals[i] * repeat);
    res2 += std::fabs(outs[i] - vals[i] * 2 * repeat);
  }
  CHECK_LT(res / repeat, 1e-5);
  CHECK_LT(res2 / (2 * repeat), 1e-5);
  LL << "error: " << res / repeat << ", " << res2 / (2 * repeat);
  Finalize(customer_id, true);
}

}  // namespace kv_app_multi_workers

int main() {
  if (IsScheduler()) {
    Start(0);
    Finalize(0, true);
  } else if (IsServer()) {
    kv_app_multi_workers::RunServer();
  } else {
    std::thread first(kv_app_multi_workers::RunWorker, 0);
    std::thread second(kv_app_multi_workers::RunWorker, 1);
    first.join();
    second.join();
  }
  return 0;
}
