#include "store/save_job.h"

#include <cstring>
#include <exception>
#include <utility>

#include "store/checkpoint/files.h"
#include "store/checkpoint/writer.h"

namespace ps {
namespace {

constexpr std::size_t kMaxWaitingPieces = 8;  // of about a megabyte each

}  // namespace

SaveJob::SaveJob(Place place, std::size_t num_tables, Done done)
    : place_(std::move(place)), num_tables_(num_tables), done_(std::move(done)) {}

std::size_t SaveJob::Cut(const TableRecord& record, std::size_t num_shards) {
  MutexLock lock(mutex_);
  tables_.push_back({record, num_shards, {}});
  changed_.NotifyAll();
  return tables_.size() - 1;
}

void SaveJob::AddShard(std::size_t table, const Shard& shard) {
  AddPieces(table, [&shard](const Take& take) { return shard.ForEachPiece(take); });
}

void SaveJob::AddPieces(std::size_t table, const std::function<Status(const Take& take)>& for_each) {
  Status added;
  try {
    added = for_each([this, table](const Shard::Piece& piece) { return Push(table, piece); });
  } catch (const std::exception&) {
    added = Status::ResourceExhausted("the server has no memory left for a checkpoint");
  }
  MutexLock lock(mutex_);
  if (failed_.ok()) failed_ = added;
  --tables_[table].open_shards;
  changed_.NotifyAll();
}

Status SaveJob::Push(std::size_t table, const Shard::Piece& piece) {
  auto copy = std::make_unique<Piece>();
  const char* const arrays = static_cast<const char*>(piece.arrays);
  copy->arrays.assign(arrays, arrays + piece.bytes);
  copy->rows = piece.rows;
  if (!piece.rows.is_range()) {
    copy->keys.assign(piece.rows.keys, piece.rows.keys + piece.rows.count);
    copy->rows = RowSet::List(copy->keys.data(), copy->keys.size());
  }
  MutexLock lock(mutex_);
  while (failed_.ok() && tables_[table].pieces.size() >= kMaxWaitingPieces) changed_.Wait(mutex_);
  if (!failed_.ok()) return failed_;
  tables_[table].pieces.push_back(std::move(copy));
  changed_.NotifyAll();
  return Status::Ok();
}

void SaveJob::Abandon(const Status& why) {
  MutexLock lock(mutex_);
  if (failed_.ok()) failed_ = why;
  changed_.NotifyAll();
}

void SaveJob::Run() {
  Result<ShardFile> written = Status::Ok();
  try {
    written = Write();
  } catch (const std::exception& error) {
    written = Status::ResourceExhausted(std::string("writing a checkpoint: ") + error.what());
  }
  if (!written.ok()) Abandon(written.status());
  done_(std::move(written));
}

Result<ShardFile> SaveJob::Write() {
  auto files = OpenCheckpointFiles(place_.uri);
  PS_RETURN_IF_ERROR(files.status());
  auto writer = CheckpointWriter::Create(files.value().get(), place_.step, place_.server);
  PS_RETURN_IF_ERROR(writer.status());
  for (std::size_t i = 0; i < num_tables_; ++i) PS_RETURN_IF_ERROR(WriteTable(writer.value().get(), i));
  return writer.value()->Finish();
}

Status SaveJob::WriteTable(CheckpointWriter* writer, std::size_t index) {
  TableRecord record;
  {
    MutexLock lock(mutex_);
    while (failed_.ok() && tables_.size() <= index) changed_.Wait(mutex_);
    if (!failed_.ok()) return failed_;
    record = tables_[index].record;
  }
  PS_RETURN_IF_ERROR(writer->BeginTable(record));
  while (true) {
    Result<std::unique_ptr<Piece>> next = NextPiece(index);
    PS_RETURN_IF_ERROR(next.status());
    if (next.value() == nullptr) return writer->EndTable();
    const Piece& piece = *next.value();
    PS_RETURN_IF_ERROR(writer->Add({piece.rows, piece.arrays.data(), piece.arrays.size()}));
  }
}

Result<std::unique_ptr<SaveJob::Piece>> SaveJob::NextPiece(std::size_t index) {
  MutexLock lock(mutex_);
  Table& table = tables_[index];
  while (failed_.ok() && table.pieces.empty() && table.open_shards > 0) changed_.Wait(mutex_);
  if (!failed_.ok()) return failed_;
  if (table.pieces.empty()) return std::unique_ptr<Piece>();
  std::unique_ptr<Piece> piece = std::move(table.pieces.front());
  table.pieces.pop_front();
  changed_.NotifyAll();
  return piece;
}

}  // namespace ps
