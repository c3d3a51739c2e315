// The calls on SArray: the same arrays in many requests, lengths per key, one key per server, empty keys.
#include "ps/ps.h"

using namespace ps;

namespace zero_copy_arrays {

void StartServer() {
  auto server = new KVServer<float>(0);
  server->set_request_handle(KVServerDefaultHandle<float>());
  RegisterExitCallback([server] { delete server; });
}

// The same key list and values in many requests at once.
void ReuseArrays(KVWorker<float>* kv, int rank) {
  const int num = 1000;
  SArray<Key> keys(num);
  SArray<float> vals(num);
  for (int i = 0; i < num; ++i) {
    keys[i] = kMaxKey / num * i + rank;
    vals[i] = static_cast<float>(i);
  }
  std::vector<int> ts;
  for (int i = 0; i < 20; ++i) ts.push_back(kv->ZPush(keys, vals));
  for (int t : ts) kv->Wait(t);
  SArray<float> pulled;
  kv->Wait(kv->ZPull(keys, &pulled));
  CHECK_EQ(pulled.size(), vals.size());
  for (int i = 0; i < num; ++i) CHECK_EQ(pulled[i], 20 * vals[i]);
}

// One key per server with its own length, as stores of tensors do it; then in place.
void OneKeyPerServer(KVWorker<float>* kv, int rank) {
  const std::vector<Range>& ranges = Postoffice::Get()->GetServerKeyRanges();
  for (size_t i = 0; i < ranges.size(); ++i) {
    SArray<Key> keys = {ranges[i].begin() + 100 + rank};
    SArray<int> lens = {7 + static_cast<int>(i)};
    SArray<float> vals(lens[0], 2.0f);
    kv->Wait(kv->ZPush(keys, vals, lens));
    SArray<float> pulled;
    SArray<int> pulled_lens;
    kv->Wait(kv->ZPull(keys, &pulled, &pulled_lens));
    CHECK_EQ(pulled.size(), vals.size());
    CHECK_EQ(pulled_lens.size(), 1u);
    CHECK_EQ(pulled_lens[0], lens[0]);
    kv->Wait(kv->ZPushPull(keys, vals, &vals, &lens));
    for (float value : vals) CHECK_EQ(value, 4.0f);
  }
}

}  // namespace zero_copy_arrays

int main() {
  Start(0);
  if (!IsWorker() && !IsScheduler()) zero_copy_arrays::StartServer();
  if (!IsServer() && !IsScheduler()) {
    KVWorker<float> kv(0, 0);
    zero_copy_arrays::ReuseArrays(&kv, MyRank());
    zero_copy_arrays::OneKeyPerServer(&kv, MyRank());
  }
  Finalize(0, true);
  return 0;
}
