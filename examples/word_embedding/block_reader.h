#ifndef PS_EXAMPLES_WORD_EMBEDDING_BLOCK_READER_H_
#define PS_EXAMPLES_WORD_EMBEDDING_BLOCK_READER_H_

#include <cstddef>
#include <cstdint>

#include "examples/word_embedding/block.h"
#include "examples/word_embedding/model.h"
#include "ps/table.h"

namespace embedding {

// Where blocks come from. Borrows all of it.
struct BlockSource {
  const BlockMaker& maker;
  const Corpus& corpus;
  const BlockPlan& plan;
  std::uint64_t seed;  // of what is drawn in this pass over the plan
  std::size_t first;   // block of this worker
  std::size_t step;    // to its next one
};

// Gives out a worker's blocks one after the other. While one is in use, a thread makes the next one and reads
// its rows.
class BlockReader {
 public:
  BlockReader(const BlockSource& source, Model* model)
      : source_(source), model_(*model), next_(source.first), buffer_([this](ReadBlock* to) { Fill(to); }) {}

  // The next block, with all changes of this worker; null after the last one. Valid until the next call.
  // Throws ps::Error.
  ReadBlock* Next();

 private:
  void Fill(ReadBlock* to);

  const BlockSource source_;
  Model& model_;
  std::size_t next_;                   // block to fill; of the buffer's thread
  ps::AsyncBuffer<ReadBlock> buffer_;  // last: its thread uses the others
};

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_BLOCK_READER_H_
