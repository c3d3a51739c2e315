#include "examples/word_embedding/block_reader.h"

namespace embedding {

ReadBlock* BlockReader::Next() {
  ReadBlock* const read = buffer_.Get();
  if (read->index >= source_.plan.num_blocks()) return nullptr;
  model_.CatchUp(read);
  return read;
}

void BlockReader::Fill(ReadBlock* to) {
  to->index = next_;
  if (to->index >= source_.plan.num_blocks()) return;
  to->block = source_.maker.Make(source_.corpus, source_.plan.begin(to->index), source_.plan.end(to->index),
                                 source_.seed);
  model_.Read(to);
  next_ += source_.step;
}

}  // namespace embedding
