#include "examples/word_embedding/vocabulary.h"

#include <algorithm>
#include <map>
#include <utility>

namespace embedding {

Vocabulary::Vocabulary(const std::vector<Sentence>& sentences, std::uint64_t min_count) {
  std::map<std::string, std::uint64_t> counts;
  for (const Sentence& sentence : sentences) {
    for (const std::string& word : sentence) ++counts[word];
  }
  std::vector<std::pair<std::string, std::uint64_t>> kept;
  for (const auto& entry : counts) {
    if (entry.second >= min_count) kept.push_back(entry);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [word, count] : kept) {
    ids_.emplace(word, static_cast<std::uint32_t>(words_.size()));
    words_.push_back(word);
    counts_.push_back(count);
  }
}

std::optional<std::uint32_t> Vocabulary::Find(const std::string& word) const {
  const auto found = ids_.find(word);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

Corpus Encode(const std::vector<Sentence>& sentences, const Vocabulary& vocabulary) {
  Corpus corpus;
  for (const Sentence& sentence : sentences) {
    for (const std::string& word : sentence) {
      if (const auto id = vocabulary.Find(word)) corpus.words.push_back(*id);
    }
    corpus.offsets.push_back(corpus.words.size());
  }
  return corpus;
}

}  // namespace embedding
