#ifndef PS_EXAMPLES_SPAM_FILTER_VOCABULARY_H_
#define PS_EXAMPLES_SPAM_FILTER_VOCABULARY_H_

#include <cstdint>
#include <istream>
#include <map>
#include <ostream>
#include <set>
#include <string>

namespace spam {

// What the buckets mean to a reader: the most frequent word of each. The model does not need it.
class Vocabulary {
 public:
  // Counts the words of one mail.
  void Count(const std::set<std::string>& words);

  struct Entry {
    std::string word;
    uint32_t num_mails = 0;  // that have the word
  };

  // Bucket -> its most frequent word (of equals, the first in the alphabet).
  std::map<uint32_t, Entry> Buckets() const;

 private:
  std::map<std::string, uint32_t> num_mails_;
};

// A line per bucket: bucket, tab, word, tab, number of mails. Read gives what could be read.
void WriteBuckets(const std::map<uint32_t, Vocabulary::Entry>& buckets, std::ostream& out);
std::map<uint32_t, Vocabulary::Entry> ReadBuckets(std::istream& in);

}  // namespace spam

#endif  // PS_EXAMPLES_SPAM_FILTER_VOCABULARY_H_
