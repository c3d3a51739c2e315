// Millions of sorted keys with a float each, through the API of vectors.
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

class Keys : public Work {
 public:
  explicit Keys(const Bench& bench) : bench_(bench) {
    const size_t count = static_cast<size_t>(bench.Setting("count"));
    const Key step = kMaxKey / count;
    std::mt19937_64 random(5);
    keys_.resize(count);
    values_.resize(count);
    pulled_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      keys_[i] = i * step + random() % step;
      values_[i] = static_cast<float>(random() % 1000);
    }
  }

  Figures Run() override {
    for (float& value : values_) value += 1;
    const double count = static_cast<double>(keys_.size());
    auto start = SteadyClock::now();
    bench_.worker->Wait(bench_.worker->Push(keys_, values_));
    const double push_seconds = SecondsSince(start);
    start = SteadyClock::now();
    bench_.worker->Wait(bench_.worker->Pull(keys_, &pulled_));
    const double pull_seconds = SecondsSince(start);
    if (pulled_ != values_) throw std::runtime_error("other values came back");
    return {{"push_keys_per_s", count / push_seconds}, {"pull_keys_per_s", count / pull_seconds}};
  }

 private:
  const Bench bench_;
  std::vector<Key> keys_;
  std::vector<float> values_;
  std::vector<float> pulled_;
};

}  // namespace

std::unique_ptr<Work> MakeKeys(const Bench& bench) { return std::make_unique<Keys>(bench); }

Handle MakeKeepingHandle() {
  // Shared, because a handle is copied; it is called by one thread.
  const auto kept = std::make_shared<std::map<int, SArray<float>>>();
  return [kept](const KVMeta& meta, const KVPairs<float>& data, KVServer<float>* server) {
    if (meta.push) (*kept)[meta.sender] = data.vals;
    KVPairs<float> answer;
    if (meta.pull) {
      answer.keys = data.keys;
      answer.vals = (*kept)[meta.sender];
    }
    server->Response(meta, answer);
  };
}

}  // namespace ps::bench
