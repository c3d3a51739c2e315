#ifndef PS_EXAMPLES_SPAM_FILTER_CORPUS_H_
#define PS_EXAMPLES_SPAM_FILTER_CORPUS_H_

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "examples/spam_filter/near_duplicates.h"

namespace spam {

struct Example {
  bool is_spam;
  uint64_t order;              // examples are written by this number: a fixed shuffle
  std::set<uint32_t> buckets;  // binary features
};

struct Split {
  std::vector<Example> train;
  std::vector<Example> held_out;
  size_t num_groups = 0;  // of near-duplicates
};

// Turns raw mails into examples and divides them into a training and a held-out part (one fifth).
//
// The division is fixed: it follows from the contents of the mails, not from their names or order, and all
// near-duplicates of a mail are on its side.
class Corpus {
 public:
  void Add(std::string_view raw_mail, bool is_spam);

  Split MakeSplit() const;

  // The words of mail i in order of Add, for the vocabulary.
  const std::set<std::string>& features(size_t i) const { return features_[i]; }
  size_t size() const { return examples_.size(); }

 private:
  std::vector<Example> examples_;
  std::vector<std::set<std::string>> features_;
  NearDuplicates duplicates_;
};

// One line per example: "1 17:1 4711:1\n", label 1 = spam, buckets ascending.
void WriteLibsvm(const std::vector<Example>& examples, std::ostream& out);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_CORPUS_H_
