// The calls a distributed tensor store makes: settings by map, both ends built before the start, StartAsync
// and an own barrier, commands, raw bytes with lengths, priorities, answers from live memory, a second store
// in the same process.
#include "ps/ps.h"

using namespace ps;

namespace tensor_store {

constexpr size_t kBytes = 4096;

class Server {
 public:
  Server() : app_(new KVServer<char>(0)) {
    static_cast<SimpleApp*>(app_)->set_request_handle([](const SimpleData& request, SimpleApp* self) {
      CHECK_EQ(request.body, "sync");
      self->Response(request);
    });
    app_->set_request_handle([this](const KVMeta& meta, const KVPairs<char>& data, KVServer<char>* server) {
      Handle(meta, data, server);
    });
  }
  ~Server() { delete app_; }

 private:
  void Handle(const KVMeta& meta, const KVPairs<char>& data, KVServer<char>* server) {
    CHECK_EQ(data.keys.size(), 1u);
    std::vector<float>& stored = store_[data.keys[0]];
    if (meta.push) {
      CHECK_EQ(data.lens.size(), 1u);
      CHECK_EQ(data.vals.size(), static_cast<size_t>(data.lens[0]));
      SArray<float> values(data.vals);
      if (stored.empty()) stored.resize(values.size());
      for (size_t i = 0; i < values.size(); ++i) stored[i] += values[i];
    }
    KVPairs<char> answer;
    if (meta.pull) {
      answer.keys = data.keys;
      answer.lens = {static_cast<int>(stored.size() * sizeof(float))};
      // Live memory, not a copy.
      answer.vals =
          SArray<char>(reinterpret_cast<char*>(stored.data()), stored.size() * sizeof(float), false);
    }
    server->Response(meta, answer);
  }

  KVServer<char>* const app_;
  std::unordered_map<Key, std::vector<float>> store_;
};

void RunWorker(KVWorker<char>* kv) {
  Postoffice* const postoffice = Postoffice::Get();
  if (MyRank() == 0) kv->Wait(kv->Request(1, "sync", kServerGroup));
  postoffice->Barrier(kv->get_customer()->customer_id(), kWorkerGroup);
  const std::vector<Range>& ranges = postoffice->GetServerKeyRanges();
  std::vector<std::vector<float>> gradients;
  std::vector<int> pushes;
  std::atomic<int> done{0};
  for (size_t tensor = 0; tensor < 12; ++tensor) {
    gradients.emplace_back(kBytes / sizeof(float), static_cast<float>(tensor + 1));
    SArray<Key> keys = {ranges[tensor % ranges.size()].begin() + tensor};
    SArray<char> vals(reinterpret_cast<char*>(gradients.back().data()), kBytes, false);
    SArray<int> lens = {static_cast<int>(kBytes)};
    pushes.push_back(kv->ZPush(
        keys, vals, lens, 0, [&done] { ++done; }, -static_cast<int>(tensor)));
  }
  for (int ts : pushes) kv->Wait(ts);
  CHECK_EQ(done.load(), 12);
  postoffice->Barrier(kv->get_customer()->customer_id(), kWorkerGroup);
  for (size_t tensor = 0; tensor < 12; ++tensor) {
    std::vector<float> weights(kBytes / sizeof(float));
    SArray<Key> keys = {ranges[tensor % ranges.size()].begin() + tensor};
    auto vals = new SArray<char>(reinterpret_cast<char*>(weights.data()), kBytes, false);
    auto lens = new SArray<int>();
    lens->push_back(static_cast<int>(kBytes));
    kv->Wait(kv->ZPull(keys, vals, lens, 0, [vals, lens] {
      delete vals;
      delete lens;
    }));
    for (float weight : weights) CHECK_EQ(weight, static_cast<float>((tensor + 1) * NumWorkers()));
  }
}

}  // namespace tensor_store

int main() {
  if (IsServer()) {
    auto server = new tensor_store::Server();
    StartAsync(0, "tensor_store");
    if (!Postoffice::Get()->is_recovery())
      Postoffice::Get()->Barrier(0, kWorkerGroup + kServerGroup + kScheduler);
    RegisterExitCallback([server] { delete server; });
    Finalize(0, true);
    return 0;
  }
  if (IsScheduler()) {
    StartAsync(0, "tensor_store");
    if (!Postoffice::Get()->is_recovery())
      Postoffice::Get()->Barrier(0, kWorkerGroup + kServerGroup + kScheduler);
    Finalize(0, true);
    return 0;
  }
  auto worker = new KVWorker<char>(0, 0);
  StartAsync(0, "tensor_store");
  if (!Postoffice::Get()->is_recovery())
    Postoffice::Get()->Barrier(0, kWorkerGroup + kServerGroup + kScheduler);
  tensor_store::RunWorker(worker);
  Finalize(worker->get_customer()->customer_id(), true);
  delete worker;
  return 0;
}
