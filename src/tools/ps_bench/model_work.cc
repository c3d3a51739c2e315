// A round of a SharedModel: several devices of this process push an array, and pull the sum, without a
// network.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "ps/shared_model.h"
#include "tools/ps_bench/turns.h"
#include "tools/ps_bench/work.h"

namespace ps::bench {
namespace {

class ModelRound : public Work {
 public:
  explicit ModelRound(const Bench& bench)
      : count_(static_cast<int>(bench.Setting("count"))),
        num_devices_(static_cast<int>(bench.Setting("devices"))),
        terms_(RandomValues(static_cast<std::size_t>(bench.Setting("bytes")) / sizeof(float), 2)),
        model_(SharedModel::Create("local")) {
    std::vector<int> devices;
    for (int i = 0; i < num_devices_; ++i) {
      devices.push_back(i);
      pushed_.push_back(SArray<float>(terms_.size()));
      pulled_.push_back(SArray<float>(terms_.size()));
      pushed_.back().CopyFrom(terms_);
    }
    model_->Init(devices);
    model_->InitKey({static_cast<std::int64_t>(terms_.size())}, kKey, 0);
  }

  Figures Run() override {
    const std::vector<double> us = TimeEach(count_, kSeriesLimitS, [this] { Round(); });
    for (const SArray<float>& sums : pulled_) CheckMultiple(sums, terms_, num_devices_);
    return LatencyFigures(us);
  }

 private:
  static constexpr int kKey = 0;

  static TensorView ViewOf(SArray<float>* values) {
    TensorView view;
    view.data = values->data();
    view.shape = {static_cast<std::int64_t>(values->size())};
    return view;
  }
  void Round() {
    for (int i = 0; i < num_devices_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      model_->Push(ViewOf(&pushed_[at]), kKey, i);
      model_->PullReq(ViewOf(&pulled_[at]), kKey, i);
    }
    for (int i = 0; i < num_devices_; ++i) model_->PullWait(kKey, i);
  }

  const int count_;
  const int num_devices_;
  const SArray<float> terms_;  // the same on each device
  std::vector<SArray<float>> pushed_;
  std::vector<SArray<float>> pulled_;
  const std::unique_ptr<SharedModel> model_;
};

}  // namespace

std::unique_ptr<Work> MakeModelRound(const Bench& bench) { return std::make_unique<ModelRound>(bench); }

}  // namespace ps::bench
