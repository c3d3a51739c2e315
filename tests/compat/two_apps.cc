// Two apps on every node, many threads on one KVWorker, commands beside the data, a server that speaks to the
// scheduler, and answers from another thread long after the request.
#include "ps/ps.h"

using namespace ps;

namespace two_apps {

constexpr int kThreads = 4;
constexpr int kPushes = 100;
constexpr int kStop = 7;

// Answers in another thread, in reverse order.
class LateServer {
 public:
  explicit LateServer(int app) : app_(app) {
    app_.set_request_handle([this](const KVMeta& meta, const KVPairs<int>& data, KVServer<int>*) {
      std::lock_guard<std::mutex> lock(mutex_);
      kept_.emplace_back(meta, data);
      changed_.notify_one();
    });
    static_cast<SimpleApp&>(app_).set_request_handle([this](const SimpleData& request, SimpleApp* self) {
      stopped_by_command_ = request.head == kStop;
      self->Response(request, "stopped");
    });
    thread_ = std::thread([this] { Answer(); });
  }

  ~LateServer() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
      changed_.notify_one();
    }
    thread_.join();
    CHECK(stopped_by_command_.load());
  }

 private:
  static KVPairs<int> Apply(const KVMeta& meta, const KVPairs<int>& data,
                            std::unordered_map<Key, int>* sums) {
    KVPairs<int> answer;
    if (meta.pull) answer.keys = data.keys;
    for (size_t i = 0; i < data.keys.size(); ++i) {
      int& sum = (*sums)[data.keys[i]];
      if (meta.push) sum += data.vals[i];
      if (meta.pull) answer.vals.push_back(sum);
    }
    return answer;
  }

  void Answer() {
    std::unordered_map<Key, int> sums;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ended_ || !kept_.empty(); });
      if (ended_) return;
      std::vector<std::pair<KVMeta, KVPairs<int>>> requests;
      requests.swap(kept_);
      lock.unlock();
      for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
        app_.Response(request->first, Apply(request->first, request->second, &sums));
      }
      lock.lock();
    }
  }

  KVServer<int> app_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<KVMeta, KVPairs<int>>> kept_;
  bool ended_ = false;
  std::atomic<bool> stopped_by_command_{false};
  std::thread thread_;
};

void RunWorker() {
  KVWorker<int> weights(0, 0);
  KVWorker<int> factors(1, 1);
  const std::vector<Key> keys = {static_cast<Key>(MyRank()), kMaxKey / 2 + MyRank(), kMaxKey - 10 + MyRank()};
  std::vector<std::thread> threads;
  std::atomic<int> callbacks{0};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int push = 0; push < kPushes; ++push) {
        const int ts = weights.Push(keys, {1, 2, 3}, {}, 0, [&] { ++callbacks; });
        factors.Wait(factors.Push(keys, {10, 20, 30}));
        weights.Wait(ts);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(callbacks.load(), kThreads * kPushes);
  std::vector<int> sums;
  weights.Wait(weights.Pull(keys, &sums));
  for (int i = 0; i < 3; ++i) CHECK_EQ(sums[i], kThreads * kPushes * (i + 1));
  std::vector<int> tens;
  factors.Wait(factors.Pull(keys, &tens));
  for (int i = 0; i < 3; ++i) CHECK_EQ(tens[i], kThreads * kPushes * (i + 1) * 10);
  Postoffice::Get()->Barrier(0, kWorkerGroup);
  if (MyRank() == 0) {
    weights.Wait(weights.Request(kStop, "", kServerGroup));
    factors.Wait(factors.Request(kStop, "", kServerGroup));
  }
}

}  // namespace two_apps

int main() {
  Start(0);
  if (IsServer()) {
    auto weights = new two_apps::LateServer(0);
    auto factors = new two_apps::LateServer(1);
    RegisterExitCallback([weights, factors] {
      delete weights;
      delete factors;
    });
  }
  if (IsWorker()) two_apps::RunWorker();
  Finalize(0, true);
  return 0;
}
