// Push-pull through KVStore: many small keys in one call, and one large one.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/counters.h"
#include "ps/kvstore.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"
#include "van/van_core.h"

namespace ps::bench {
namespace {

Tensor TensorOf(const SArray<float>& values) {
  Tensor tensor = Tensor::Empty({static_cast<std::int64_t>(values.size())});
  tensor.CopyFrom(values.data());
  return tensor;
}

double Count(Counter counter) {
  return static_cast<double>(Postoffice::Get()->van()->core().counters().Get(counter));
}

// Keys of the same values at each worker, which all workers contribute to.
class KVRounds : public Work {
 public:
  // `slice_bytes` set: instead of the default.
  KVRounds(const Bench& bench, std::size_t num_keys, std::size_t floats)
      : values_(RandomValues(floats, 2)), store_(KVStore::Create("dist_sync", OptionsOf(bench))) {
    for (std::size_t i = 0; i < num_keys; ++i) {
      keys_.emplace_back(i);
      pushed_.push_back(TensorOf(values_));
      pulled_.push_back(Tensor::Full({static_cast<std::int64_t>(floats)}, -1));
    }
    store_->Init(keys_, pushed_);
  }

 protected:
  // Seconds of a call for all keys.
  double Round() {
    const auto start = SteadyClock::now();
    store_->PushPull(keys_, pushed_, pulled_).Wait();
    return SecondsSince(start);
  }
  // Without an optimizer the sum of a round replaces the one before.
  void Check() {
    SArray<float> sum(values_.size());
    for (Tensor& tensor : pulled_) {
      tensor.CopyTo(sum.data());
      CheckMultiple(sum, values_, store_->num_workers());
      std::fill(sum.begin(), sum.end(), -1.0f);
      tensor.CopyFrom(sum.data());
    }
  }

 private:
  static KVStoreOptions OptionsOf(const Bench& bench) {
    KVStoreOptions options;
    const auto slices = bench.settings.find("slice_bytes");
    if (slices != bench.settings.end()) options.slice_bytes = static_cast<std::int64_t>(slices->second);
    return options;
  }

  const SArray<float> values_;
  const std::unique_ptr<KVStore> store_;
  std::vector<KVKey> keys_;
  std::vector<Tensor> pushed_;
  std::vector<Tensor> pulled_;
};

class KVKeysWork : public KVRounds {
 public:
  explicit KVKeysWork(const Bench& bench)
      : KVRounds(bench, static_cast<std::size_t>(bench.Setting("count")), 64) {}

  Figures Run() override {
    const double sent = Count(Counter::kSentMessages);
    const double received = Count(Counter::kReceivedMessages);
    const double seconds = Round();
    const Figures figures = {{"round_us", seconds * 1e6},
                             {"messages_sent", Count(Counter::kSentMessages) - sent},
                             {"messages_received", Count(Counter::kReceivedMessages) - received}};
    Check();
    return figures;
  }
};

class KVPushPull : public KVRounds {
 public:
  explicit KVPushPull(const Bench& bench)
      : KVRounds(bench, 1, static_cast<std::size_t>(bench.Setting("bytes")) / sizeof(float)),
        bytes_(bench.Setting("bytes")),
        count_(static_cast<int>(bench.Setting("total_bytes") / bytes_)) {}

  Figures Run() override {
    double seconds = 0;
    for (int i = 0; i < count_; ++i) seconds += Round();
    Check();
    return {{"bytes_per_s", count_ * bytes_ / seconds}};
  }

 private:
  const double bytes_;
  const int count_;
};

}  // namespace

std::unique_ptr<Work> MakeKVKeys(const Bench& bench) { return std::make_unique<KVKeysWork>(bench); }
std::unique_ptr<Work> MakeKVPushPull(const Bench& bench) { return std::make_unique<KVPushPull>(bench); }

}  // namespace ps::bench
