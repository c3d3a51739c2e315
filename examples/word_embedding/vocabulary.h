#ifndef PS_EXAMPLES_WORD_EMBEDDING_VOCABULARY_H_
#define PS_EXAMPLES_WORD_EMBEDDING_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "examples/word_embedding/text.h"

namespace embedding {

// The words that are frequent enough to be learnt, numbered by how often they are there: the same numbers in
// every process that has read the same text.
class Vocabulary {
 public:
  Vocabulary(const std::vector<Sentence>& sentences, std::uint64_t min_count);

  std::size_t size() const { return words_.size(); }
  const std::string& word(std::uint32_t id) const { return words_[id]; }
  // How often each word is in the text, in descending order.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  std::optional<std::uint32_t> Find(const std::string& word) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::uint64_t> counts_;
  std::unordered_map<std::string, std::uint32_t> ids_;
};

// Sentences as numbers of words, one after the other; words that the vocabulary does not have are left out.
struct Corpus {
  std::vector<std::uint32_t> words;
  std::vector<std::size_t> offsets{0};  // sentence i is [offsets[i], offsets[i + 1])

  std::size_t num_sentences() const { return offsets.size() - 1; }
};

Corpus Encode(const std::vector<Sentence>& sentences, const Vocabulary& vocabulary);

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_VOCABULARY_H_
