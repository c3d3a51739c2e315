#ifndef PS_EXAMPLES_WORD_EMBEDDING_BLOCK_H_
#define PS_EXAMPLES_WORD_EMBEDDING_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "examples/word_embedding/huffman.h"
#include "examples/word_embedding/options.h"
#include "examples/word_embedding/sampling.h"
#include "examples/word_embedding/vocabulary.h"

namespace embedding {

// Words (or nodes of the Huffman tree) come by frequency, and a dense table gives each server a range of
// rows: in that order one server would have all frequent ones. So they are dealt out over the whole table.
class RowOrder {
 public:
  explicit RowOrder(std::size_t num_rows);

  std::uint64_t RowOf(std::uint32_t id) const { return id * stride_ % num_rows_; }
  std::size_t num_rows() const { return num_rows_; }

 private:
  std::uint64_t num_rows_;
  std::uint64_t stride_;  // has no divisor in common with num_rows_
};

// A row of the output table that is to say yes (1) or no (0) to the inputs of its window.
struct Target {
  std::uint32_t place;  // in output_rows
  float label;
};

// A stretch of the text, ready to be trained on: what to compute, and the rows of the tables that it takes.
// A window is a word of the text and the words around it; each of these is to predict it.
struct Block {
  struct Window {
    std::size_t inputs_end, targets_end;  // where the next window's begin
  };
  std::vector<std::uint64_t> input_rows;   // ascending, each once
  std::vector<std::uint64_t> output_rows;  // the same
  std::vector<std::uint32_t> inputs;       // places in input_rows: the words around
  std::vector<Target> targets;             // the word itself, and what tells it from others
  std::vector<Window> windows;
  std::size_t num_words = 0;  // of the text, those left out by subsampling included
};

// Makes blocks of sentences.
class BlockMaker {
 public:
  BlockMaker(const Options& options, const Vocabulary& vocabulary);

  // Of the sentences [begin, end). What is drawn for a sentence follows from it and `seed` alone: in which
  // block it is, and which process makes that, makes no difference.
  Block Make(const Corpus& corpus, const std::size_t* begin, const std::size_t* end,
             std::uint64_t seed) const;

  const RowOrder& input_order() const { return input_order_; }
  const RowOrder& output_order() const { return output_order_; }

 private:
  void AddSentence(const std::vector<std::uint32_t>& words, Random* random, Block* block) const;
  void AddTargets(std::uint32_t word, Random* random, std::vector<Target>* targets) const;

  const std::size_t window_;
  const std::size_t negative_;
  const Subsampler subsampler_;
  const NegativeSampler sampler_;
  const std::unique_ptr<const HuffmanTree> tree_;  // null: negative sampling
  const RowOrder input_order_;
  const RowOrder output_order_;
};

// The text cut into blocks, in an order of each epoch's own: the same blocks and the same order for all
// workers, of which each takes the n-th, the one as many places on as there are workers, ...
class BlockPlan {
 public:
  // `block`: words of a block, about.
  BlockPlan(const Corpus& corpus, std::size_t block);

  void Shuffle(std::uint64_t seed);
  std::size_t num_blocks() const { return ends_.size(); }
  // Sentences of a block.
  const std::size_t* begin(std::size_t i) const { return order_.data() + (i == 0 ? 0 : ends_[i - 1]); }
  const std::size_t* end(std::size_t i) const { return order_.data() + ends_[i]; }

 private:
  void Cut();

  const Corpus& corpus_;
  const std::size_t block_;
  std::vector<std::size_t> order_;  // of the sentences
  std::vector<std::size_t> ends_;   // of the blocks, in order_
};

// The seed of a part of what is drawn from `seed`, so that parts are independent.
std::uint64_t MixSeeds(std::uint64_t seed, std::uint64_t part);

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_BLOCK_H_
