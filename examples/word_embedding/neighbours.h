#ifndef PS_EXAMPLES_WORD_EMBEDDING_NEIGHBOURS_H_
#define PS_EXAMPLES_WORD_EMBEDDING_NEIGHBOURS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "examples/word_embedding/vocabulary.h"

namespace embedding {

struct Neighbour {
  std::uint32_t word;
  double cosine;  // of the angle between the two vectors
};

// The `count` words whose vectors point most nearly where this one's does, nearest first; not itself.
// `vectors`: word after word, of equal length.
std::vector<Neighbour> NearestTo(std::uint32_t word, const std::vector<float>& vectors, std::size_t num_words,
                                 std::size_t count);

// Writes the vectors as word2vec does: a line with their number and length, then one for each word. Throws
// std::runtime_error that names the file.
void WriteVectors(const std::string& path, const Vocabulary& vocabulary, const std::vector<float>& vectors);

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_NEIGHBOURS_H_
