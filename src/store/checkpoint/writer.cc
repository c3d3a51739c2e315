#include "store/checkpoint/writer.h"

#include <utility>

#include "store/digest.h"
#include "store/partition.h"
#include "store/spec_bytes.h"

namespace ps {

CheckpointWriter::CheckpointWriter(std::unique_ptr<FileWriter> file, int server)
    : file_(std::move(file)), blocks_(file_.get()) {
  result_.server = server;
}

Result<std::unique_ptr<CheckpointWriter>> CheckpointWriter::Create(CheckpointFiles* files, std::uint64_t step,
                                                                   int server) {
  Result<std::unique_ptr<FileWriter>> file = files->Create(ShardName(step, server));
  if (!file.ok()) return file.status();
  std::unique_ptr<CheckpointWriter> writer(new CheckpointWriter(std::move(file.value()), server));
  Block head;
  head.kind = Block::kFile;
  head.begin = static_cast<std::uint64_t>(server);
  head.count = step;
  PS_RETURN_IF_ERROR(writer->Append(head, {}));
  return writer;
}

Status CheckpointWriter::Append(Block block, std::initializer_list<std::string_view> body) {
  if (status_.ok()) status_ = blocks_.Append(block, body);
  return status_;
}

Status CheckpointWriter::BeginTable(const TableRecord& record) {
  const TableSpec& spec = record.spec;
  if (status_.ok() && (in_table_ || record.range.size() == 0)) {
    status_ = Status::Internal(
        "table `" + spec.name + "` cannot be saved " +
        (in_table_ ? "amid table `" + part_.name + "`" : "by a server that has nothing of it"));
  }
  PS_RETURN_IF_ERROR(status_);
  in_table_ = true;
  record_ = record;
  part_ = SavedPart();
  part_.name = spec.name;
  part_.spec_digest = HashOf(spec);
  part_.is_hash = spec.kind == TableSpec::kHash;
  part_.num_units = part_.is_hash ? Partition::kNumSlots : static_cast<std::uint64_t>(spec.rows);
  part_.range = record.range;
  part_.has_rounds = spec.consistency.mode == Consistency::kBsp;
  part_.rounds_closed = record.gate.version;
  part_.position = blocks_.position();
  blocks_.TakeDigest();
  sequence_ = 0;
  Block block;
  block.kind = Block::kTable;
  return Append(block, {EncodeTableRecord(record)});
}

Status CheckpointWriter::Check(const Shard::Piece& piece) const {
  const RowSet& rows = piece.rows;
  bool fits = in_table_ && piece.bytes == rows.count * record_.RowBytes() && rows.is_range() != part_.is_hash;
  if (fits && rows.is_range() && !record_.IsOfBytes()) {
    fits = rows.begin >= part_.range.begin() && rows.count <= part_.range.end() - rows.begin;
  }
  if (fits) return Status::Ok();
  return Status::Internal("a piece of " + std::to_string(rows.count) + " rows and " +
                          std::to_string(piece.bytes) + " bytes does not belong to table `" + part_.name +
                          "`");
}

Status CheckpointWriter::Add(const Shard::Piece& piece) {
  if (status_.ok()) status_ = Check(piece);
  PS_RETURN_IF_ERROR(status_);
  Block block;
  block.kind = piece.rows.is_range() ? Block::kRows : Block::kKeys;
  block.sequence = ++sequence_;
  block.begin = piece.rows.begin;
  block.count = piece.rows.count;
  part_.num_rows += piece.rows.count;
  const std::string_view arrays(static_cast<const char*>(piece.arrays), piece.bytes);
  if (piece.rows.is_range()) return Append(block, {arrays});
  const std::string_view keys(reinterpret_cast<const char*>(piece.rows.keys),
                              piece.rows.count * sizeof(std::uint64_t));
  return Append(block, {keys, arrays});
}

Status CheckpointWriter::EndTable() {
  if (status_.ok() &&
      (!in_table_ || (!part_.is_hash && !record_.IsOfBytes() && part_.num_rows != part_.range.size()))) {
    status_ = Status::Internal("table `" + part_.name + "` was saved with " + std::to_string(part_.num_rows) +
                               " of " + std::to_string(part_.range.size()) + " rows");
  }
  PS_RETURN_IF_ERROR(status_);
  Block block;
  block.kind = Block::kTableEnd;
  block.begin = sequence_;
  block.count = part_.num_rows;
  block.sequence = ++sequence_;
  PS_RETURN_IF_ERROR(Append(block, {}));
  part_.bytes = blocks_.position() - part_.position;
  part_.digest = blocks_.TakeDigest();
  result_.parts.push_back(std::move(part_));
  in_table_ = false;
  return Status::Ok();
}

Result<ShardFile> CheckpointWriter::Finish() {
  if (status_.ok() && in_table_)
    status_ = Status::Internal("table `" + part_.name + "` was not saved to its end");
  if (status_.ok()) status_ = file_->Commit();
  if (!status_.ok()) return status_;
  result_.bytes = blocks_.position();
  return std::move(result_);
}

}  // namespace ps
