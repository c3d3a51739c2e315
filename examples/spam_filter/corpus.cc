#include "examples/spam_filter/corpus.h"

#include <algorithm>

#include "examples/spam_filter/bucket.h"
#include "examples/spam_filter/mail.h"
#include "examples/spam_filter/words.h"

namespace spam {
namespace {

constexpr uint64_t kHeldOutOneIn = 5;

void Shuffle(std::vector<Example>* examples) {
  std::sort(examples->begin(), examples->end(),
            [](const Example& a, const Example& b) { return a.order < b.order; });
}

}  // namespace

void Corpus::Add(std::string_view raw_mail, bool is_spam) {
  const Mail mail = ParseMail(raw_mail);
  duplicates_.Add(WordsOf(mail.text));
  features_.push_back(FeaturesOf(mail));
  Example example{is_spam, HashText(raw_mail), {}};
  for (const std::string& feature : features_.back()) example.buckets.insert(BucketOf(feature));
  examples_.push_back(std::move(example));
}

Split Corpus::MakeSplit() const {
  Split split;
  const std::vector<uint64_t> groups = duplicates_.Groups();
  for (size_t i = 0; i < examples_.size(); ++i) {
    const bool held_out = groups[i] % kHeldOutOneIn == 0;
    (held_out ? split.held_out : split.train).push_back(examples_[i]);
  }
  split.num_groups = std::set<uint64_t>(groups.begin(), groups.end()).size();
  Shuffle(&split.train);
  Shuffle(&split.held_out);
  return split;
}

void WriteLibsvm(const std::vector<Example>& examples, std::ostream& out) {
  for (const Example& example : examples) {
    out << (example.is_spam ? '1' : '0');
    for (uint32_t bucket : example.buckets) out << ' ' << bucket << ":1";
    out << '\n';
  }
}

}  // namespace spam
