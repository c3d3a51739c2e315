#include "examples/spam_filter/report.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "examples/logistic/dataset.h"
#include "examples/logistic/metrics.h"
#include "examples/logistic/model.h"
#include "examples/spam_filter/trainer.h"
#include "examples/spam_filter/vocabulary.h"

namespace spam {
namespace {

std::vector<float> PullWeights(const std::vector<uint64_t>& buckets, ps::KVWorker<float>* model) {
  std::vector<float> weights(buckets.size());
  model->Wait(model->Pull(KeysOf(buckets), &weights));
  return weights;
}

}  // namespace

Quality Judge(const std::string& held_out, ps::KVWorker<float>* model) {
  const logistic::Batch batch = logistic::MakeBatch(ReadMails(held_out, 0, 1));
  const std::vector<double> predictions = logistic::Predict(batch, PullWeights(batch.keys, model));
  return {batch.size(), logistic::Auc(batch.labels, predictions),
          logistic::Accuracy(batch.labels, predictions), logistic::LogLoss(batch.labels, predictions)};
}

std::vector<WordWeight> RankWords(const std::string& vocabulary, ps::KVWorker<float>* model) {
  std::ifstream in(vocabulary);
  std::vector<WordWeight> words;
  std::vector<uint64_t> buckets;
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
