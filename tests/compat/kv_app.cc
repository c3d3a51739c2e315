// Push, pull and push-pull of 10,000 keys with the default handle; prints the error, which has to be 0.
#include <cmath>

#include "ps/ps.h"

using namespace ps;

namespace kv_app {

void StartServer() {
  if (!IsServer()) return;
  auto server = new KVServer<float>(0);
  server->set_request_handle(KVServerDefaultHandle<float>());
  RegisterExitCallback([server] { delete server; });
}

void RunWorker() {
  if (!IsWorker()) return;
  KVWorker<float> kv(0, 0);
  const int num = 10000;
  const int repeat = 50;
  std::vector<uint64_t> keys(num);
  std::vector<float> vals(num);
  const int rank = MyRank();
  srand(rank + 7);
  for (int i = 0; i < num; ++i) {
    keys[i] = kMaxKey / num * i + rank;
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
}

}  // namespace kv_app

int main() {
  Start(0);
  kv_app::StartServer();
  kv_app::RunWorker();
  Finalize(0, true);
  return 0;
}
