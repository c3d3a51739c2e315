#include "examples/word_embedding/huffman.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace embedding {

HuffmanTree::HuffmanTree(const std::vector<std::uint64_t>& counts) : paths_(counts.size()) {
  // Nodes: first the words, then inner ones in the order in which they are made. Equal counts are taken in
  // that order too, so that every process makes the same tree.
  using Entry = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (std::size_t word = 0; word < counts.size(); ++word) open.emplace(counts[word], word);
  std::vector<std::size_t> parents(2 * counts.size() - 1);
  std::vector<bool> is_right(parents.size());
  for (std::size_t node = counts.size(); node < parents.size(); ++node) {
    std::uint64_t sum = 0;
    for (const bool right : {false, true}) {
      const auto [count, child] = open.top();
      open.pop();
      parents[child] = node;
      is_right[child] = right;
      sum += count;
    }
    open.emplace(sum, node);
  }
  const std::size_t root = parents.size() - 1;
  for (std::size_t word = 0; word < counts.size(); ++word) {
    for (std::size_t at = word; at != root; at = parents[at])
      paths_[word].push_back({static_cast<std::uint32_t>(parents[at] - counts.size()), is_right[at]});
    std::reverse(paths_[word].begin(), paths_[word].end());
  }
}

}  // namespace embedding
