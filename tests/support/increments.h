// Work whose result shows every push that was lost or applied twice: servers that count, workers that add
// ones.
#ifndef PS_TESTS_SUPPORT_INCREMENTS_H_
#define PS_TESTS_SUPPORT_INCREMENTS_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "ps/kv_app.h"
#include "ps/postoffice.h"
#include "van/van_core.h"

namespace ps {

// A server that adds what is pushed, and remembers the last timestamp of every sender: each push of the tests
// below has a higher one than the push before, so what is not new has been delivered twice or out of order.
class IncrementServer {
 public:
  explicit IncrementServer(Postoffice* node) : server_(node, 0) {
    server_.set_request_handle(
        [this](const KVMeta& meta, const KVPairs<double>& data, KVServer<double>* server) {
          if (meta.push) Note(meta);
          add_(meta, data, server);
        });
  }

  uint64_t num_pushes() {
    std::lock_guard<std::mutex> lock(mutex_);
    return num_pushes_;
  }
  uint64_t num_repeated() {
    std::lock_guard<std::mutex> lock(mutex_);
    return num_repeated_;
  }

 private:
  void Note(const KVMeta& meta) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++num_pushes_;
    const auto [last, is_first] = last_.try_emplace({meta.sender, meta.customer_id}, meta.timestamp);
    if (is_first) return;
    if (meta.timestamp <= last->second) ++num_repeated_;
    last->second = meta.timestamp;
  }

  KVServerDefaultHandle<double> add_;
  std::mutex mutex_;
  uint64_t num_pushes_ = 0;                  // under mutex_
  uint64_t num_repeated_ = 0;                // the same
  std::map<std::pair<int, int>, int> last_;  // the same; by (sender, customer)
  KVServer<double> server_;                  // last: its handle uses the others
};

// Pushes {1} to each of `keys`, `count` times, with at most `window` pushes open. Returns seconds.
inline double PushOnes(KVWorker<double>* worker, const std::vector<Key>& keys, int count, size_t window) {
  const auto began = std::chrono::steady_clock::now();
  const std::vector<double> ones(keys.size(), 1);
  std::deque<int> open;
  for (int i = 0; i < count; ++i) {
    if (open.size() == window) {
      worker->Wait(open.front());
      open.pop_front();
    }
    open.push_back(worker->Push(keys, ones));
  }
  for (const int timestamp : open) worker->Wait(timestamp);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

inline std::vector<double> PullAll(KVWorker<double>* worker, const std::vector<Key>& keys) {
  std::vector<double> vals;
  worker->Wait(worker->Pull(keys, &vals));
  return vals;
}

inline uint64_t CountOf(Postoffice& node, Counter counter) {
  return node.van()->core().counters().Get(counter);
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_INCREMENTS_H_
