#include "examples/spam_filter/report.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>

#include "examples/spam_filter/dataset.h"
#include "examples/spam_filter/logistic.h"
#include "examples/spam_filter/metrics.h"
#include "examples/spam_filter/trainer.h"
#include "examples/spam_filter/vocabulary.h"

namespace spam {
namespace {

std::vector<float> PullWeights(const std::vector<uint32_t>& buckets, ps::KVWorker<float>* model) {
  std::vector<float> weights(buckets.size());
  model->Wait(model->Pull(KeysOf(buckets), &weights));
  return weights;
}

}  // namespace

Quality Judge(const std::string& held_out, ps::KVWorker<float>* model) {
  const Dataset data = ReadLibsvm(held_out, 0, 1);
  std::vector<size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  const Batch batch = MakeBatch(data, rows, 0, rows.size());
  const std::vector<double> predictions = Predict(batch, PullWeights(batch.buckets, model));
  return {batch.size(), Auc(batch.labels, predictions), Accuracy(batch.labels, predictions),
          LogLoss(batch.labels, predictions)};
}

std::vector<WordWeight> RankWords(const std::string& vocabulary, ps::KVWorker<float>* model) {
  std::ifstream in(vocabulary);
  std::vector<WordWeight> words;
  std::vector<uint32_t> buckets;
  for (const auto& [bucket, entry] : ReadBuckets(in)) {
    buckets.push_back(bucket);
    words.push_back({entry.word, 0.0f});
  }
  const std::vector<float> weights = PullWeights(buckets, model);
  for (size_t i = 0; i < words.size(); ++i) words[i].weight = weights[i];
  std::stable_sort(words.begin(), words.end(),
                   [](const WordWeight& a, const WordWeight& b) { return a.weight > b.weight; });
  return words;
}

}  // namespace spam
