#ifndef PS_EXAMPLES_WORD_EMBEDDING_SKIP_GRAM_H_
#define PS_EXAMPLES_WORD_EMBEDDING_SKIP_GRAM_H_

#include <cstddef>
#include <vector>

#include "examples/word_embedding/block.h"

namespace embedding {

// The values of the rows of a block, row after row, in the order of input_rows and output_rows.
struct BlockValues {
  std::vector<float> input;
  std::vector<float> output;
};

// How well words predict their neighbours, summed.
struct Loss {
  double sum = 0;        // -log of the probability of the right answers, nats
  double num_pairs = 0;  // of a word and one near it

  Loss& operator+=(const Loss& other) {
    sum += other.sum;
    num_pairs += other.num_pairs;
    return *this;
  }
  double mean() const { return num_pairs > 0 ? sum / num_pairs : 0; }
};

// The skip-gram model: an input x says yes to a target y with the probability sigmoid(x . y). Plain
// stochastic gradient descent, pair after pair; nothing here knows of tables or of other workers. The loss of
// each pair is that before it was learnt from.
Loss Train(const Block& block, std::size_t dim, float rate, BlockValues* values);

// The loss alone.
Loss Judge(const Block& block, std::size_t dim, const BlockValues& values);

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_SKIP_GRAM_H_
