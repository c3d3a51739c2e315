#include "examples/spam_filter/counters.h"

#include "examples/spam_filter/model_server.h"

namespace spam {
namespace {

const std::vector<ps::Key>& Keys() {
  static const std::vector<ps::Key> kKeys = {0, 1, 2};
  return kKeys;
}

}  // namespace

Counters::Counters() : worker_(kCountersApp, 0) {}

void Counters::Add(const TrainingState& part) {
  pending_.push_back(worker_.Push(Keys(), {part.num_done, part.num_planned, part.loss_sum}));
}

void Counters::Flush() {
  for (int timestamp : pending_) worker_.Wait(timestamp);
  pending_.clear();
}

TrainingState Counters::Read() {
  std::vector<double> sums;
  worker_.Wait(worker_.Pull(Keys(), &sums));
  return {sums[0], sums[1], sums[2]};
}

}  // namespace spam
