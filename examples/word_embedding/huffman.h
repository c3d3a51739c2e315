#ifndef PS_EXAMPLES_WORD_EMBEDDING_HUFFMAN_H_
#define PS_EXAMPLES_WORD_EMBEDDING_HUFFMAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace embedding {

// A binary tree with the words as its leaves, frequent ones near the root. Hierarchical softmax predicts a
// word by the turns from the root to it.
class HuffmanTree {
 public:
  struct Turn {
    std::uint32_t node;  // inner node, in [0, num_nodes())
    bool right;
  };

  // At least one word.
  explicit HuffmanTree(const std::vector<std::uint64_t>& counts);

  // From the root on.
  const std::vector<Turn>& path(std::uint32_t word) const { return paths_[word]; }
  std::size_t num_nodes() const { return paths_.size() - 1; }

 private:
  std::vector<std::vector<Turn>> paths_;
};

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_HUFFMAN_H_
