#include "examples/spam_filter/synthetic.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "examples/logistic/metrics.h"
#include "examples/logistic/model.h"
#include "examples/spam_filter/bucket.h"

namespace spam {
namespace {

// The distributions of the standard library differ between implementations; its engines do not.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  double Uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // Nearly normal, mean 0, deviation 1: the sum of twelve uniform numbers.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

// The true model: a word is spam's or ham's with a certain strength, and its name says so.
struct Word {
  std::string name;
  double weight;
  double cumulative;  // share of the draws that give this word or one before it
};

std::vector<Word> MakeWords(size_t num_words, Random* random) {
  std::vector<Word> words(num_words);
  double total = 0;
  for (size_t i = 0; i < num_words; ++i) {
    const double weight = random->Normal();
    words[i].name = (weight > 0 ? "offer" : "reply") + std::to_string(i);
    words[i].weight = weight;
    words[i].cumulative = total += 1.0 / (static_cast<double>(i) + 20);
  }
  for (Word& word : words) word.cumulative /= total;
  return words;
}

class Author {
 public:
  explicit Author(const SyntheticOptions& options)
      : options_(options), random_(options.seed), words_(MakeWords(options.num_words, &random_)) {}

  // Writes one mail; `probability` is the true one of being spam.
  Example Write(Vocabulary* vocabulary, double* probability) {
    Example example{false, 0, {}};
    std::set<std::string> names;
    double margin = -0.5;
    for (size_t i = 0; i < options_.words_per_mail; ++i) {
      const Word& word = Draw();
      if (!names.insert(word.name).second) continue;
      example.buckets.insert(BucketOf(word.name));
      margin += word.weight;
    }
    vocabulary->Count(names);
    *probability = logistic::Sigmoid(margin);
    example.is_spam = random_.Uniform() < *probability;
    return example;
  }

 private:
  const Word& Draw() {
    const double at = random_.Uniform();
    const auto it = std::lower_bound(words_.begin(), words_.end(), at,
                                     [](const Word& word, double share) { return word.cumulative < share; });
    return it == words_.end() ? words_.back() : *it;
  }

  const SyntheticOptions options_;
  Random random_;
  std::vector<Word> words_;
};

}  // namespace

SyntheticCorpus MakeSynthetic(const SyntheticOptions& options) {
  SyntheticCorpus corpus;
  Author author(options);
  double probability = 0;
  for (size_t i = 0; i < options.num_train; ++i) {
    corpus.split.train.push_back(author.Write(&corpus.vocabulary, &probability));
  }
  std::vector<float> labels;
  std::vector<double> probabilities;
  for (size_t i = 0; i < options.num_held_out; ++i) {
    corpus.split.held_out.push_back(author.Write(&corpus.vocabulary, &probability));
    labels.push_back(corpus.split.held_out.back().is_spam ? 1.0f : 0.0f);
    probabilities.push_back(probability);
  }
  corpus.best_auc = logistic::Auc(labels, probabilities);
  return corpus;
}

}  // namespace spam
