#ifndef PS_EXAMPLES_WORD_EMBEDDING_MODEL_H_
#define PS_EXAMPLES_WORD_EMBEDDING_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "examples/word_embedding/block.h"
#include "examples/word_embedding/skip_gram.h"
#include "ps/store.h"
#include "ps/table.h"
#include "ps/ticket.h"

namespace embedding {

// A block with the values of its rows, and which of this worker's own changes these have.
struct ReadBlock {
  std::size_t index = 0;  // of the block, in its plan
  Block block;
  BlockValues values;
  std::uint64_t num_added = 0;  // changes of this worker that had been added when the values were read
};

// The vectors of all words, in two tables on the servers: those that a word predicts with (which are wanted
// in the end), and those that it is predicted by.
//
// A worker adds to the servers what training on a block has changed. What several workers add is summed, not
// averaged, whoever comes first; nobody waits. So a worker's values lack what others have done since it
// read them, and as it reads ahead, also its own last changes: those are known here and put in (CatchUp).
// Thus one worker alone computes what a program without servers would.
//
// One thread may Read while another uses the rest.
class Model {
 public:
  // All workers make it together. The tables begin with inputs drawn from `seed`, and outputs of 0.
  Model(ps::Store& store, const RowOrder& inputs, const RowOrder& outputs, const Options& options);

  // The values of the rows of read->block. Waits for them.
  void Read(ReadBlock* read);
  // Puts in this worker's own change that came after the block was read: at most the last one.
  void CatchUp(ReadBlock* read) const;
  // Adds to the servers what has changed since; `before` are the values as they were after CatchUp. Waits
  // only where too many are under way. Throws ps::Error, also for earlier ones.
  void Add(const Block& block, const BlockValues& before, const BlockValues& after);
  // Returns when all of this worker's changes are there.
  void WaitForAdds();
  // The inputs of all words: word after word.
  std::vector<float> Vectors();

 private:
  // What a block has changed.
  struct Change {
    std::vector<std::uint64_t> input_rows, output_rows;
    BlockValues values;
  };
  struct Pending {
    ps::Ticket inputs, outputs;
  };

  const RowOrder order_;
  const std::size_t dim_;
  ps::MatrixTable<float> inputs_;
  ps::MatrixTable<float> outputs_;
  std::mutex mutex_;                       // of the next: a read and an Add are issued one after the other
  std::uint64_t num_added_ = 0;            // read under the mutex, changed by Add alone
  std::shared_ptr<const Change> changed_;  // last
  std::deque<Pending> pending_;            // oldest first
};

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_MODEL_H_
