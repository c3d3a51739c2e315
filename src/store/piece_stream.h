#ifndef PS_STORE_PIECE_STREAM_H_
#define PS_STORE_PIECE_STREAM_H_

#include <dmlc/io.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ps/status.h"
#include "store/save_job.h"

namespace ps {

// What is written becomes pieces of a checkpoint, of about a megabyte each, whose rows are bytes. One thread.
class PieceStream : public dmlc::Stream {
 public:
  // `take` is called within Write and Finish.
  explicit PieceStream(SaveJob::Take take) : take_(std::move(take)) {}

  // Throws Error where a piece was not taken; then nothing more is.
  void Write(const void* data, std::size_t size) override;
  // Throws Error: it is for writing.
  std::size_t Read(void* data, std::size_t size) override;
  // What is left. The first error, whoever has caught what Write has thrown.
  Status Finish();

 private:
  Status Flush();

  const SaveJob::Take take_;
  std::vector<char> bytes_;     // that are no piece yet
  std::uint64_t position_ = 0;  // of the first of them
  Status status_;
};

}  // namespace ps
#endif  // PS_STORE_PIECE_STREAM_H_
