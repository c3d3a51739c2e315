#include "examples/logistic_regression/trainer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "examples/logistic/metrics.h"
#include "examples/logistic/model.h"

namespace lr {
namespace {

logistic::Dataset ReadPart(const ps::Store& store, const Options& options) {
  logistic::LibsvmOptions part;
  part.part = static_cast<unsigned>(store.rank());
  part.num_parts = static_cast<unsigned>(store.num_workers());
  return logistic::ReadLibsvm(options.train, part);
}

ps::KVOptions WeightsAs(const Options& options) {
  std::ostringstream rule;
  rule << "ftrl lr=" << options.alpha << " beta=" << options.beta << " lambda1=" << options.lambda1
       << " wd=" << options.lambda2;
  return ps::KVOptions().Name("weights").Updater(rule.str());
}

}  // namespace

Trainer::Trainer(ps::Store& store, const Options& options)
    : store_(store),
      options_(options),
      data_(ReadPart(store, options)),
      weights_(store, WeightsAs(options)),
      sums_(store, "sums", 2),
      rows_(data_.size()),
      random_(options.seed + static_cast<std::uint64_t>(store.rank())) {
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
}

EpochResult Trainer::RunEpoch(unsigned epoch, progress::EpochProgress* progress) {
  using Seconds = std::chrono::duration<double>;
  std::shuffle(rows_.begin(), rows_.end(), random_);
  store_.Barrier();  // the clock starts for all at once
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&begin] { return Seconds(std::chrono::steady_clock::now() - begin).count(); };
  double loss = 0;
  for (std::size_t first = 0; first < rows_.size(); first += options_.batch) {
    const std::size_t last = std::min(first + options_.batch, rows_.size());
    loss += Step(logistic::MakeBatch(data_, rows_, first, last));
    if (progress == nullptr || !progress->Due(seconds())) continue;
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "loss %.4f", loss / static_cast<double>(last));
    progress->Show(epoch, static_cast<double>(last) / static_cast<double>(rows_.size()), text.data(),
                   seconds());
  }
  WaitForSteps(0);
  store_.Barrier();  // the steps of all are done
  const double taken = seconds();
  const std::vector<double> sums = sums_.Sum({loss, static_cast<double>(rows_.size())});
  if (sums[1] == 0) throw std::runtime_error(options_.train + ": holds no examples");
  return {sums[0] / sums[1], sums[1] / taken};
}

double Trainer::Step(const logistic::Batch& batch) {
  const std::vector<double> predictions = logistic::Predict(batch, WeightsOf(batch));
  pending_.push_back(weights_.AddAsync(batch.keys, logistic::Gradient(batch, predictions)));
  WaitForSteps(options_.max_pending);
  return logistic::LogLoss(batch.labels, predictions) * static_cast<double>(batch.size());
}

void Trainer::WaitForSteps(std::size_t max_pending) {
  for (; pending_.size() > max_pending; pending_.pop_front()) pending_.front().Wait();
}

std::vector<float> Trainer::WeightsOf(const logistic::Batch& batch) {
  std::vector<float> weights;
  weights_.Get(batch.keys, &weights);
  return weights;
}

Quality Trainer::Judge() {
  const logistic::Batch batch = logistic::MakeBatch(logistic::ReadLibsvm(options_.test, {}));
  const std::vector<double> predictions = logistic::Predict(batch, WeightsOf(batch));
  return {batch.size(), logistic::Auc(batch.labels, predictions),
          logistic::Accuracy(batch.labels, predictions), logistic::LogLoss(batch.labels, predictions)};
}

}  // namespace lr
