// The sum of arrays of several simulated devices, without a network.
#include <cstdint>
#include <memory>
#include <vector>

#include "group/reducer.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

Reducer::Options OnDevice() {
  Reducer::Options options;
  options.on_device = true;
  return options;
}

class DeviceReduce : public Work {
 public:
  explicit DeviceReduce(const Bench& bench)
      : count_(static_cast<int>(bench.Setting("count"))),
        terms_(RandomValues(static_cast<std::size_t>(bench.Setting("bytes")) / sizeof(float), 2)),
        reducer_(OnDevice()) {
    for (int i = 0; i < kDevices; ++i) {
      const Shape shape = {static_cast<std::int64_t>(terms_.size())};
      values_.push_back(Tensor::Empty(shape, DType::kF32, DeviceId::Cpu(i)));
      values_.back().CopyFrom(terms_.data());
    }
  }

  Figures Run() override {
    Tensor sum;
    const std::vector<double> us =
        TimeEach(count_, kSeriesLimitS, [&] { sum = reducer_.Sum(kKey, values_); });
    SArray<float> sums(terms_.size());
    sum.CopyTo(sums.data());
    CheckMultiple(sums, terms_, kDevices);
    return LatencyFigures(us);
  }

 private:
  static constexpr int kDevices = 4;
  static constexpr std::uint64_t kKey = 1;

  const int count_;
  const SArray<float> terms_;  // the same on each device
  std::vector<Tensor> values_;
  Reducer reducer_;
};

}  // namespace

std::unique_ptr<Work> MakeDeviceReduce(const Bench& bench) { return std::make_unique<DeviceReduce>(bench); }

}  // namespace ps::bench
