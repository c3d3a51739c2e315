#include "examples/spam_filter/vocabulary.h"

#include "examples/spam_filter/bucket.h"

namespace spam {

void Vocabulary::Count(const std::set<std::string>& words) {
  for (const std::string& word : words) ++num_mails_[word];
}

std::map<uint32_t, Vocabulary::Entry> Vocabulary::Buckets() const {
  std::map<uint32_t, Entry> buckets;
  for (const auto& [word, num_mails] : num_mails_) {
    Entry& entry = buckets[BucketOf(word)];
    if (num_mails > entry.num_mails) entry = {word, num_mails};
  }
  return buckets;
}

void WriteBuckets(const std::map<uint32_t, Vocabulary::Entry>& buckets, std::ostream& out) {
  for (const auto& [bucket, entry] : buckets)
    out << bucket << '\t' << entry.word << '\t' << entry.num_mails << '\n';
}

std::map<uint32_t, Vocabulary::Entry> ReadBuckets(std::istream& in) {
  std::map<uint32_t, Vocabulary::Entry> buckets;
  uint32_t bucket = 0;
  Vocabulary::Entry entry;
  while (in >> bucket >> entry.word >> entry.num_mails) buckets[bucket] = entry;
  return buckets;
}

}  // namespace spam
