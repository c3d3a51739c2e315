// One push and one pull of many keys (argument, default ten million) against a handle that keeps nothing.
#include <chrono>

#include "ps/ps.h"

using namespace ps;

namespace kv_app_benchmark {

std::mutex mutex;
std::unordered_map<int, KVPairs<float>> answers;  // by node: several may live in this process

template <typename Val>
void EmptyHandler(const KVMeta& req_meta, const KVPairs<Val>& req_data, KVServer<Val>* server) {
  if (req_meta.push) {
    CHECK_EQ(req_data.keys.size(), req_data.vals.size());
    server->Response(req_meta);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  KVPairs<Val>& answer = answers[MyRank()];
  answer.keys = req_data.keys;
  answer.vals.resize(req_data.keys.size());
  server->Response(req_meta, answer);
}

void StartServer() {
  if (!IsServer()) return;
  auto server = new KVServer<float>(0);
  server->set_request_handle(EmptyHandler<float>);
  RegisterExitCallback([server] { delete server; });
}

int64_t MsSince(std::chrono::steady_clock::time_point start) {
  const auto passed = std::chrono::steady_clock::now() - start;
  return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

void RunWorker(int num) {
  if (!IsWorker()) return;
  KVWorker<float> kv(0, 0);
  std::vector<uint64_t> keys(num);
  std::vector<float> vals(num, 1.0f);
  for (int i = 0; i < num; ++i) keys[i] = kMaxKey / num * i;
  Postoffice::Get()->Barrier(0, kWorkerGroup);

  const auto push = std::chrono::steady_clock::now();
  kv.Wait(kv.Push(keys, vals));
  LL << "push of " << num << " keys: " << MsSince(push) << " ms";

  std::vector<float> rets;
  const auto pull = std::chrono::steady_clock::now();
  kv.Wait(kv.Pull(keys, &rets));
  LL << "pull of " << num << " keys: " << MsSince(pull) << " ms";
  CHECK_EQ(rets.size(), keys.size());
}

}  // namespace kv_app_benchmark

int main(int argc, char* argv[]) {
  const int num = argc > 1 ? atoi(argv[1]) : 10000000;
  Start(0);
  kv_app_benchmark::StartServer();
  kv_app_benchmark::RunWorker(num);
  Finalize(0, true);
  return 0;
}
