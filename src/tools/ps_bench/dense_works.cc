// Large arrays: streams of them, and what is urgent among them.
#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

// Operations with a few open at a time; each has an array of its own to pull into.
class Dense : public Work {
 public:
  Dense(const Bench& bench, bool push, bool pull)
      : bench_(bench),
        push_(push),
        pull_(pull),
        floats_(static_cast<size_t>(bench.Setting("bytes")) / sizeof(float)),
        count_(static_cast<int>(bench.Setting("total_bytes") / bench.Setting("bytes"))),
        keys_(bench.Keys(0)),
        values_(RandomValues(floats_ * keys_.size(), 2)) {
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

std::unique_ptr<Work> MakePush(const Bench& bench) { return std::make_unique<Dense>(bench, true, false); }
std::unique_ptr<Work> MakePull(const Bench& bench) { return std::make_unique<Dense>(bench, false, true); }
std::unique_ptr<Work> MakePushPull(const Bench& bench) { return std::make_unique<Dense>(bench, true, true); }
std::unique_ptr<Work> MakeUrgent(const Bench& bench) { return std::make_unique<Urgent>(bench); }

}  // namespace ps::bench
