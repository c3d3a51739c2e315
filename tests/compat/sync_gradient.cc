// A synchronous gradient server: requests are kept until every worker has pushed, then all are answered at
// once. Start values come from worker 0; the others wait for them in a barrier of the workers. Keys are
// decoded by the begin of the server's range.
#include "ps/ps.h"

using namespace ps;

namespace sync_gradient {

constexpr int kParameters = 8;
constexpr int kRounds = 30;

class Server {
 public:
  Server() : app_(new KVServer<float>(0)), weights_(kParameters) {
    app_->set_request_handle(std::bind(&Server::Handle, this, std::placeholders::_1, std::placeholders::_2,
                                       std::placeholders::_3));
  }
  ~Server() { delete app_; }

 private:
  void Handle(const KVMeta& meta, const KVPairs<float>& data, KVServer<float>* server) {
    const Key base = Postoffice::Get()->GetServerKeyRanges()[MyRank()].begin();
    for (size_t i = 0; i < data.keys.size(); ++i) CHECK_EQ(data.keys[i] - base, i);
    if (!meta.push) {
      KVPairs<float> answer;
      answer.keys = data.keys;
      answer.vals.CopyFrom(weights_.data(), weights_.size());
      server->Response(meta, answer);
      return;
    }
    if (!initialized_) {
      std::copy(data.vals.begin(), data.vals.end(), weights_.begin());
      initialized_ = true;
      server->Response(meta);
      return;
    }
    if (waiting_.empty()) merged_.assign(kParameters, 0);
    for (int i = 0; i < kParameters; ++i) merged_[i] += data.vals[i];
    waiting_.push_back(meta);
    if (static_cast<int>(waiting_.size()) < NumWorkers()) return;
    for (int i = 0; i < kParameters; ++i) weights_[i] -= merged_[i];
    for (const KVMeta& request : waiting_) server->Response(request);
    waiting_.clear();
  }

  KVServer<float>* const app_;
  bool initialized_ = false;
  std::vector<float> weights_;
  std::vector<float> merged_;
  std::vector<KVMeta> waiting_;
};

void RunWorker() {
  KVWorker<float> kv(0, 0);
  const std::vector<Range>& ranges = Postoffice::Get()->GetServerKeyRanges();
  std::vector<Key> keys;
  for (const Range& range : ranges) {
    for (int i = 0; i < kParameters; ++i) keys.push_back(range.begin() + i);
  }
  if (MyRank() == 0) kv.Wait(kv.Push(keys, std::vector<float>(keys.size(), 1000.0f)));
  Postoffice::Get()->Barrier(0, kWorkerGroup);
  const std::vector<float> gradient(keys.size(), static_cast<float>(MyRank() + 1));
  float sum_of_gradients = 0;
  for (int worker = 0; worker < NumWorkers(); ++worker) sum_of_gradients += static_cast<float>(worker + 1);
  for (int round = 1; round <= kRounds; ++round) {
    std::vector<float> weights;
    kv.Wait(kv.Pull(keys, &weights));
    kv.Wait(kv.Push(keys, gradient));
    kv.Wait(kv.Pull(keys, &weights));
    // Other workers may be a round ahead by now, never two.
    for (float weight : weights) {
      const float now = 1000.0f - static_cast<float>(round) * sum_of_gradients;
      CHECK(weight == now || weight == now - sum_of_gradients) << weight << " in round " << round;
    }
    Postoffice::Get()->Barrier(0, kWorkerGroup);
  }
}

}  // namespace sync_gradient

int main() {
  Start(0);
  if (IsServer()) {
    auto server = new sync_gradient::Server();
    RegisterExitCallback([server] { delete server; });
  }
  if (IsWorker()) sync_gradient::RunWorker();
  Finalize(0, true);
  return 0;
}
