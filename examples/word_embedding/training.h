#ifndef PS_EXAMPLES_WORD_EMBEDDING_TRAINING_H_
#define PS_EXAMPLES_WORD_EMBEDDING_TRAINING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/progress/epoch_progress.h"
#include "examples/table_job/worker_sums.h"
#include "examples/word_embedding/block.h"
#include "examples/word_embedding/block_reader.h"
#include "examples/word_embedding/loss_log.h"
#include "examples/word_embedding/model.h"
#include "examples/word_embedding/options.h"
#include "examples/word_embedding/skip_gram.h"
#include "examples/word_embedding/vocabulary.h"
#include "ps/store.h"

namespace embedding {

// What is learnt from, and judged by.
struct Corpora {
  Corpus train;
  Corpus held_out;
};

// How an epoch went, of all workers.
struct EpochResult {
  double train_loss = 0;     // mean over the pairs, each before it was learnt from
  double held_out_loss = 0;  // at its end
  double speed = 0;          // words of the text per second
};

// Who is shown how it goes; null: nobody.
struct Reports {
  progress::EpochProgress* progress = nullptr;
  LossLog* log = nullptr;
};

// One worker's share of the training.
class Training {
 public:
  // Borrows the store, the vocabulary and the corpora, which are the same at all workers. They make it
  // together.
  Training(ps::Store& store, const Options& options, const Vocabulary& vocabulary, const Corpora& corpora);

  // All workers call it together, epochs from 1 on, and all are told the same. The reports are of what this
  // worker does.
  EpochResult RunEpoch(unsigned epoch, const Reports& reports);
  // The loss on held-out text, of all workers together: mean per pair.
  double JudgeHeldOut();
  // The vectors of all words, word after word.
  std::vector<float> Vectors() { return model_.Vectors(); }

 private:
  // Of `pass` over the blocks of a plan.
  BlockSource SourceOf(const Corpus& corpus, const BlockPlan& plan, std::uint64_t pass) const;
  // Trains on the blocks of this worker; how many words they had.
  double TrainBlocks(unsigned epoch, const Reports& reports, Loss* loss);
  double Rate(double epochs_done) const;

  ps::Store& store_;
  const Options options_;
  const Corpora& corpora_;
  const BlockMaker maker_;
  BlockPlan train_plan_;
  const BlockPlan held_out_plan_;
  Model model_;
  table_job::WorkerSums sums_;
};

}  // namespace embedding

#endif  // PS_EXAMPLES_WORD_EMBEDDING_TRAINING_H_
