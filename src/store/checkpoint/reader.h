#ifndef PS_STORE_CHECKPOINT_READER_H_
#define PS_STORE_CHECKPOINT_READER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ps/range.h"
#include "ps/status.h"
#include "store/checkpoint/block.h"
#include "store/checkpoint/files.h"
#include "store/checkpoint/manifest.h"
#include "store/checkpoint/piece_cutter.h"
#include "store/checkpoint/record.h"
#include "store/shard.h"

namespace ps {

// Reads tables of a checkpoint, whole or by range, from the files of however many servers wrote it. Needs the
// memory of one piece. One thread.
//
// What is wrong is told apart, with path and place: kNotFound for a file that is not there, kInvalidArgument
// for one that is foreign, newer, damaged, or of another save, kFailedPrecondition for one that is cut off,
// kUnavailable where the device fails. To leave a table as it is when something is wrong: Verify before the
// first piece is put back, or put pieces into a new shard.
class CheckpointReader {
 public:
  // Of one step; Verify the rest. `files` outlives it.
  static Result<std::unique_ptr<CheckpointReader>> Open(CheckpointFiles* files, std::uint64_t step);

  const Manifest& manifest() const { return manifest_; }
  // In order.
  std::vector<std::string> Tables() const;

  // What the servers knew that had parts of `range` (of rows or slots): the highest version and count of
  // updates, the lowest clocks, so that nobody is believed to have been heard who was not. kNotFound: no such
  // table. kInvalidArgument: the range is not in it.
  Result<TableRecord> Find(const std::string& table, const Range& range);
  // Of the whole table.
  Result<TableRecord> Find(const std::string& table);

  // Reads everything that ForEachPiece would hand out.
  Status Verify(const std::string& table, const Range& range);
  // Calls `take` with pieces that are together all saved rows of `range`, each once; ends at its first error.
  // Each piece was checked; that none is missing is known at the end.
  using Take = std::function<Status(const Shard::Piece&)>;
  Status ForEachPiece(const std::string& table, const Range& range, const Take& take);

 private:
  struct Place {
    const ShardFile* file;
    const SavedPart* part;
  };

  CheckpointReader(CheckpointFiles* files, Manifest manifest);
  Result<std::vector<Place>> PlacesOf(const std::string& table, const Range& range) const;
  Result<TableRecord> BeginPart(const Place& place);
  Status ReadPart(const Place& place, const Range& range, const Take& take);
  Status ReadPiece(const TableRecord& record, const Block& block, const Range& range, const Take& take);
  Status CheckEnd(const Place& place, const Block& end, std::uint64_t num_rows, bool is_counted);
  Result<BlockReader*> FileOf(const ShardFile& file);

  CheckpointFiles* const files_;
  const Manifest manifest_;
  std::map<std::string, std::vector<Place>> places_;
  // The file that was read last.
  std::unique_ptr<BlockReader> file_;
  int server_ = -1;
  std::vector<char> body_;
  std::vector<std::uint64_t> keys_;
  PieceCutter cutter_;
};

}  // namespace ps
#endif  // PS_STORE_CHECKPOINT_READER_H_
