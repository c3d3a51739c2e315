#ifndef PS_STORE_SAVE_JOB_H_
#define PS_STORE_SAVE_JOB_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "ps/status.h"
#include "store/checkpoint/manifest.h"
#include "store/checkpoint/record.h"
#include "store/shard.h"

namespace ps {

// A checkpoint of one server while it is written: lanes hand over copies of pieces, a thread of the job's own
// writes them. Tables are written in the order in which they are cut; each lane comes to them in that order,
// too. A lane waits while more than a few pieces of the table it is at have not been written.
class SaveJob {
 public:
  struct Place {
    std::string uri;
    std::uint64_t step = 0;
    int server = 0;
  };
  // `done` is called once, by the job's thread, with what the manifest needs.
  using Done = std::function<void(Result<ShardFile>&& file)>;

  SaveJob(Place place, std::size_t num_tables, Done done);
  ~SaveJob() = default;
  SaveJob(const SaveJob&) = delete;
  SaveJob& operator=(const SaveJob&) = delete;

  // A table is cut here: `num_shards` shards will hand over their pieces. Whatever thread; in one order.
  std::size_t Cut(const TableRecord& record, std::size_t num_shards);
  // Hands over one shard of it; by the shard's lane.
  void AddShard(std::size_t table, const Shard& shard);
  // The same of whatever makes pieces: it calls `take` with each, and ends at its first error.
  using Take = std::function<Status(const Shard::Piece& piece)>;
  void AddPieces(std::size_t table, const std::function<Status(const Take& take)>& for_each);
  // There will be no more tables; those that were not cut are missing, and the job fails.
  void Abandon(const Status& why);
  // The thread's: writes until all tables have come, then calls `done`.
  void Run();

 private:
  struct Piece {
    std::vector<std::uint64_t> keys;  // of a list
    RowSet rows;
    std::vector<char> arrays;
  };
  struct Table {
    TableRecord record;
    std::size_t open_shards = 0;
    std::deque<std::unique_ptr<Piece>> pieces;
  };

  Result<ShardFile> Write();
  Status WriteTable(class CheckpointWriter* writer, std::size_t index);
  // Null: the table is complete.
  Result<std::unique_ptr<Piece>> NextPiece(std::size_t index);
  Status Push(std::size_t table, const Shard::Piece& piece);

  const Place place_;
  const std::size_t num_tables_;
  const Done done_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<Table> tables_ PS_GUARDED_BY(mutex_);
  Status failed_ PS_GUARDED_BY(mutex_);  // lanes do not wait any more
};

}  // namespace ps
#endif  // PS_STORE_SAVE_JOB_H_
