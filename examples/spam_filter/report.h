#ifndef PS_EXAMPLES_SPAM_FILTER_REPORT_H_
#define PS_EXAMPLES_SPAM_FILTER_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ps/ps.h"

namespace spam {

struct Quality {
  size_t num_mails = 0;
  double auc = 0;
  double accuracy = 0;
  double log_loss = 0;  // nats per mail
};

// Judges the model on a libsvm file.
Quality Judge(const std::string& held_out, ps::KVWorker<float>* model);

struct WordWeight {
  std::string word;
  float weight;
};

// All words of the vocabulary with their weights, most spam-like first. Empty when there is no vocabulary.
std::vector<WordWeight> RankWords(const std::string& vocabulary, ps::KVWorker<float>* model);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_REPORT_H_
