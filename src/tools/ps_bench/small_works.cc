// Round trips and rates of single keys.
#include <algorithm>
#include <deque>
#include <stdexcept>

#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

class Latency : public Work {
 public:
  explicit Latency(const Bench& bench)
      : bench_(bench),
        keys_(bench.Keys(0).segment(0, 1)),
        values_(RandomValues(16, 1)),
        pulled_(values_.size()) {
    bench_.worker->Wait(bench_.worker->ZPush(keys_, values_));
  }

  Figures Run() override {
    return LatencyFigures(TimeEach(static_cast<int>(bench_.Setting("count")), kSeriesLimitS, [this] {
      std::fill(pulled_.begin(), pulled_.end(), -1.0f);
      bench_.worker->Wait(bench_.worker->ZPull(keys_, &pulled_));
      CheckMultiple(pulled_, values_, 1);
    }));
  }

 private:
  const Bench bench_;
  const SArray<Key> keys_;
  const SArray<float> values_;
  SArray<float> pulled_;
};

class Rate : public Work {
 public:
  explicit Rate(const Bench& bench) : bench_(bench), keys_(bench.Keys(0).segment(0, 1)), value_(1, 1.0f) {}

  Figures Run() override {
    const int count = static_cast<int>(bench_.Setting("count"));
    const auto start = SteadyClock::now();
    std::deque<int> open;
    for (int i = 0; i < count; ++i) {
      if (open.size() == kWindow) {
        bench_.worker->Wait(open.front());
        open.pop_front();
      }
      open.push_back(bench_.worker->ZPush(keys_, value_));
    }
    for (const int timestamp : open) bench_.worker->Wait(timestamp);
    const double seconds = SecondsSince(start);
    pushed_ += count;
    SArray<float> sum;
    bench_.worker->Wait(bench_.worker->ZPull(keys_, &sum));
    CheckMultiple(sum, value_, pushed_);
    return {{"pushes_per_s", count / seconds}};
  }

 private:
  static constexpr size_t kWindow = 256;

  const Bench bench_;
  const SArray<Key> keys_;
  const SArray<float> value_;
  double pushed_ = 0;  // below 2^24, so that a float counts it
};

}  // namespace

std::unique_ptr<Work> MakeLatency(const Bench& bench) { return std::make_unique<Latency>(bench); }
std::unique_ptr<Work> MakeRate(const Bench& bench) { return std::make_unique<Rate>(bench); }

}  // namespace ps::bench
