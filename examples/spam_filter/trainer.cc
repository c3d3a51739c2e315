#include "examples/spam_filter/trainer.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "examples/logistic/metrics.h"
#include "examples/logistic/model.h"
#include "examples/spam_filter/bucket.h"

namespace spam {
namespace {

constexpr double kMailsPerReport = 256;

}  // namespace

logistic::Dataset ReadMails(const std::string& path, unsigned part, unsigned num_parts) {
  return logistic::ReadLibsvm(path, {part, num_parts, kBiasBucket, kNumBuckets});
}

std::vector<ps::Key> KeysOf(const std::vector<uint64_t>& buckets) {
  std::vector<ps::Key> keys(buckets.size());
  std::transform(buckets.begin(), buckets.end(), keys.begin(),
                 [](uint64_t bucket) { return KeyOfBucket(static_cast<uint32_t>(bucket)); });
  return keys;
}

void Trainer::Train(const logistic::Dataset& data, unsigned seed) {
  begin_ = std::chrono::steady_clock::now();
  std::vector<size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::mt19937 random(seed);
  for (size_t epoch = 0; epoch < options_.epochs; ++epoch) {
    std::shuffle(rows.begin(), rows.end(), random);
    for (size_t begin = 0; begin < rows.size(); begin += options_.batch) {
      Step(logistic::MakeBatch(data, rows, begin, std::min(begin + options_.batch, rows.size())));
      if (unreported_.num_done >= kMailsPerReport) Report();
    }
  }
  WaitForPushes(0);
  Report();
  counters_.Flush();
}

void Trainer::Step(const logistic::Batch& batch) {
  const std::vector<ps::Key> keys = KeysOf(batch.keys);
  weights_.resize(keys.size());
  model_.Wait(model_.Pull(keys, &weights_));
  const std::vector<double> predictions = logistic::Predict(batch, weights_);
  pending_.push_back(model_.Push(keys, logistic::Gradient(batch, predictions)));
  WaitForPushes(options_.max_pending);
  const auto num_mails = static_cast<double>(batch.size());
  unreported_.num_done += num_mails;
  unreported_.loss_sum += logistic::LogLoss(batch.labels, predictions) * num_mails;
}

void Trainer::WaitForPushes(size_t max_pending) {
  for (; pending_.size() > max_pending; pending_.pop_front()) model_.Wait(pending_.front());
}

void Trainer::Report() {
  counters_.Add(unreported_);
  unreported_ = {};
  if (progress_ != nullptr) progress_->Show(counters_.Read(), Seconds());
}

double Trainer::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace spam
