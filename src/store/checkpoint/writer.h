#ifndef PS_STORE_CHECKPOINT_WRITER_H_
#define PS_STORE_CHECKPOINT_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ps/status.h"
#include "store/checkpoint/block.h"
#include "store/checkpoint/files.h"
#include "store/checkpoint/manifest.h"
#include "store/checkpoint/record.h"
#include "store/shard.h"

namespace ps {

// Writes what one server has, table after table, piece after piece, into its file of a checkpoint. Keeps
// nothing: its memory is a small buffer, whatever the size of the tables. One thread; not that of the shards,
// so that only the copy of a piece costs them time.
//
// The first error stays: everything after it returns it, and the file never appears. Errors of the place name
// path and reason. kInternal: the pieces are not those of the table.
class CheckpointWriter {
 public:
  // `files` outlives it.
  static Result<std::unique_ptr<CheckpointWriter>> Create(CheckpointFiles* files, std::uint64_t step,
                                                          int server);

  Status BeginTable(const TableRecord& record);
  // Pieces of the table, in any order, from any of its shards; each row once.
  Status Add(const Shard::Piece& piece);
  // All rows of a dense table have come.
  Status EndTable();
  // The file is there, whole. What the manifest needs of it.
  Result<ShardFile> Finish();

 private:
  CheckpointWriter(std::unique_ptr<FileWriter> file, int server);

  Status Check(const Shard::Piece& piece) const;
  Status Append(Block block, std::initializer_list<std::string_view> body);

  const std::unique_ptr<FileWriter> file_;
  BlockWriter blocks_;
  ShardFile result_;
  Status status_;
  // Of the table that is being written.
  bool in_table_ = false;
  TableRecord record_;
  SavedPart part_;
  std::uint64_t sequence_ = 0;
};

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_WRITER_H_
