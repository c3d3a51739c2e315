// Large arrays: streams of them, and what is urgent among them.
#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"
#include "van/van_core.h"

namespace ps::bench {
namespace {

// Operations with a few open at a time; each has an array of its own to pull into.
class Dense : public Work {
 public:
  // `values` are what is pushed; a float at each server per float of the setting.
  Dense(const Bench& bench, bool push, bool pull, const SArray<float>& values)
      : bench_(bench),
        push_(push),
        pull_(pull),
        floats_(static_cast<size_t>(bench.Setting("bytes")) / sizeof(float)),
        count_(static_cast<int>(bench.Setting("total_bytes") / bench.Setting("bytes"))),
        keys_(bench.Keys(0)),
        values_(values) {
    constexpr size_t kOpenFloats = 1 << 20;
    const size_t open = std::clamp<size_t>(kOpenFloats / floats_, 2, 32);
    for (size_t i = 0; i < open; ++i) pulled_.emplace_back(pull ? values_.size() : 0);
    Wait(bench_.worker->ZPush(keys_, values_));
    pushed_ = 1;
  }

  Figures Run() override {
    for (SArray<float>& array : pulled_) std::fill(array.begin(), array.end(), -1.0f);
    const auto start = SteadyClock::now();
    std::deque<int> open;
    for (int i = 0; i < count_; ++i) {
      if (open.size() == pulled_.size()) {
        Wait(open.front());
        open.pop_front();
      }
      open.push_back(Issue(&pulled_[static_cast<size_t>(i) % pulled_.size()]));
    }
    for (const int timestamp : open) Wait(timestamp);
    const double seconds = SecondsSince(start);
    Check();
    return {{"bytes_per_s", count_ * static_cast<double>(values_.size() * sizeof(float)) / seconds}};
  }

 private:
  void Wait(int timestamp) { bench_.worker->Wait(timestamp); }

  int Issue(SArray<float>* target) {
    if (push_) ++pushed_;
    if (!pull_) return bench_.worker->ZPush(keys_, values_);
    if (!push_) return bench_.worker->ZPull(keys_, target);
    return bench_.worker->ZPushPull(keys_, values_, target);
  }

  // Answers come in order, so that the last arrays pulled have the last sums.
  void Check() {
    if (!pull_) {
      SArray<float> sums;
      Wait(bench_.worker->ZPull(keys_, &sums));
      CheckMultiple(sums, values_, pushed_);
      return;
    }
    const int arrays = std::min(count_, static_cast<int>(pulled_.size()));
    for (int i = 0; i < arrays; ++i) {
      const int turn = count_ - 1 - i;
      CheckMultiple(pulled_[static_cast<size_t>(turn) % pulled_.size()], values_,
                    push_ ? pushed_ - i : pushed_);
    }
  }

  const Bench bench_;
  const bool push_;
  const bool pull_;
  const size_t floats_;
  const int count_;
  const SArray<Key> keys_;
  const SArray<float> values_;
  std::vector<SArray<float>> pulled_;  // empty ones where nothing is pulled
  double pushed_ = 0;
};

SArray<float> ValuesFor(const Bench& bench) {
  const size_t floats = static_cast<size_t>(bench.Setting("bytes")) / sizeof(float);
  return RandomValues(floats * bench.servers.size(), 2);
}

// The same in shared memory.
SArray<float> SharedValuesFor(const Bench& bench) {
  const SArray<float> values = ValuesFor(bench);
  SArray<float> shared = Alloc<float>(values.size());
  std::copy(values.begin(), values.end(), shared.begin());
  return shared;
}

constexpr int kTellCopied = 1;  // the command of a pull

class LentPush : public Work {
 public:
  explicit LentPush(const Bench& bench)
      : bench_(bench),
        pushes_(bench, true, false, SharedValuesFor(bench)),
        keys_(bench.Keys(1).segment(0, 1)) {}

  Figures Run() override {
    const double before = Copied();
    Figures figures = pushes_.Run();
    figures["copied_per_byte"] = (Copied() - before) / bench_.Setting("total_bytes");
    return figures;
  }

 private:
  double Copied() {
    SArray<float> megabytes;
    bench_.worker->Wait(bench_.worker->ZPull(keys_, &megabytes, nullptr, kTellCopied));
    return static_cast<double>(megabytes[0]) * 1e6;
  }

  const Bench bench_;
  Dense pushes_;
  const SArray<Key> keys_;
};

class Urgent : public Work {
 public:
  explicit Urgent(const Bench& bench)
      : bench_(bench),
        urgent_keys_(bench.Keys(0).segment(0, 1)),
        urgent_(RandomValues(1024, 3)),
        bulk_(
            RandomValues(static_cast<size_t>(bench.Setting("bulk_bytes")) / sizeof(float) / kBulkPushes, 4)),
        pulled_(urgent_.size()) {
    bench_.worker->Wait(bench_.worker->ZPush(urgent_keys_, urgent_));
  }

  Figures Run() override {
    std::fill(pulled_.begin(), pulled_.end(), -1.0f);
    std::vector<int> open;
    for (int i = 1; i <= kBulkPushes; ++i) {
      open.push_back(bench_.worker->ZPush(bench_.Keys(i).segment(0, 1), bulk_));
    }
    const auto start = SteadyClock::now();
    bench_.worker->Wait(bench_.worker->ZPull(urgent_keys_, &pulled_, nullptr, 0, nullptr, kHigh));
    const double seconds = SecondsSince(start);
    for (const int timestamp : open) bench_.worker->Wait(timestamp);
    CheckMultiple(pulled_, urgent_, 1);
    return {{"pull_us", seconds * 1e6}};
  }

 private:
  static constexpr int kBulkPushes = 4;
  static constexpr int kHigh = 10;

  const Bench bench_;
  const SArray<Key> urgent_keys_;
  const SArray<float> urgent_;
  const SArray<float> bulk_;
  SArray<float> pulled_;
};

}  // namespace

std::unique_ptr<Work> MakePush(const Bench& bench) {
  return std::make_unique<Dense>(bench, true, false, ValuesFor(bench));
}
std::unique_ptr<Work> MakePull(const Bench& bench) {
  return std::make_unique<Dense>(bench, false, true, ValuesFor(bench));
}
std::unique_ptr<Work> MakePushPull(const Bench& bench) {
  return std::make_unique<Dense>(bench, true, true, ValuesFor(bench));
}
std::unique_ptr<Work> MakeLentPush(const Bench& bench) { return std::make_unique<LentPush>(bench); }
std::unique_ptr<Work> MakeUrgent(const Bench& bench) { return std::make_unique<Urgent>(bench); }

Handle MakeTellingHandle() {
  const auto adds = std::make_shared<KVServerDefaultHandle<float>>();
  return [adds](const KVMeta& meta, const KVPairs<float>& data, KVServer<float>* server) {
    if (meta.cmd != kTellCopied) return (*adds)(meta, data, server);
    const Counters& counters = Postoffice::Get()->van()->core().counters();
    const double megabytes = static_cast<double>(counters.Get(Counter::kCopiedBytes)) / 1e6;
    server->Response(meta, {data.keys, SArray<float>(1, static_cast<float>(megabytes)), {}});
  };
}

}  // namespace ps::bench
