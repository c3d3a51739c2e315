#ifndef PS_EXAMPLES_SPAM_FILTER_SYNTHETIC_H_
#define PS_EXAMPLES_SPAM_FILTER_SYNTHETIC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "examples/spam_filter/corpus.h"
#include "examples/spam_filter/vocabulary.h"

namespace spam {

struct SyntheticOptions {
  size_t num_train = 20000;
  size_t num_held_out = 4000;
  size_t num_words = 400;      // a word's frequency falls with its rank (Zipf)
  size_t words_per_mail = 30;  // drawn, so that fewer different ones remain
  uint64_t seed = 1;
};

// Made-up mails whose labels are drawn from a known logistic model, so that it is known how well the best
// of all filters would do. The same options give the same mails on every machine.
struct SyntheticCorpus {
  Split split;
  Vocabulary vocabulary;
  double best_auc = 0;  // on the held-out mails, by the true probabilities: the best possible, up to luck
};

SyntheticCorpus MakeSynthetic(const SyntheticOptions& options);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_SYNTHETIC_H_
