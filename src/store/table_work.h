#ifndef PS_STORE_TABLE_WORK_H_
#define PS_STORE_TABLE_WORK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ps/sarray.h"
#include "ps/table_spec.h"
#include "store/codec/codec.h"
#include "store/contribution.h"
#include "store/reply.h"
#include "store/save_job.h"
#include "store/table_lanes.h"
#include "store/table_slots.h"

namespace ps {

// A read that may be answered now.
struct TableRead {
  std::shared_ptr<Reply> reply;
  std::size_t op = 0;
  SArray<Key> keys;  // what `rows` points into
  RowSet rows;
  bool is_delta = false;
  std::uint64_t since = 0;
  bool lists_all = false;  // asked as a delta read, but the asker has seen nothing of this epoch
};

// Posts what was decided about one table to the lanes of its slots. Calls come from one thread at a time;
// each slot carries them out in their order, so a read sees all that was posted before it, and nothing else.
class TableWork {
 public:
  // All outlive it.
  TableWork(const TableSpec* spec, TableSlots* slots, TableLanes* lanes, const Codec* pull_codec);

  using Shared = std::shared_ptr<Contribution>;
  // Applies the updater to a contribution. The first change of a table with Init::FirstWrite sets the values.
  void Update(const Shared& contribution);
  // Adds it to the sum of its round; applies the sum, which is that of all of the round. `num_workers`: for
  // whom it stands.
  void Fold(const Shared& contribution);
  void UpdateBySum(int num_workers);
  // It waits for something else: keeps what it needs of the sender's memory.
  void Keep(const Shared& contribution);
  // It is never applied.
  void Drop(const Shared& contribution);
  void Set(const Shared& contribution);
  void Erase(std::shared_ptr<Reply> reply, std::size_t op, SArray<Key> keys, const RowSet& rows);
  void Read(TableRead&& read);
  // Cuts the table: hands its shards, as they are now, to a checkpoint, which may wait for the disk.
  void Save(std::shared_ptr<SaveJob> job, const TableRecord& record);
  // Of a table that was restored.
  void GoOnFrom(std::uint64_t version, std::int64_t num_updates);
  // The next update is the one after so many.
  void CountFrom(std::int64_t num_updates) { state_.num_updates = num_updates; }

  // What the table has come to, with all that was posted.
  struct State {
    std::uint64_t version = 1;  // of the last change; 0 is what nobody has seen
    std::uint64_t epoch = 0;    // of versions
    std::int64_t num_updates = 0;
    bool is_written = false;
  };
  const State& state() const { return state_; }

 private:
  struct ReadTask;

  template <typename Code>
  void ForEachShare(const Shared& contribution, Code code);
  template <typename Code>
  void OnEverySlot(Code code);
  UpdateContext NextUpdate(int worker);
  double Scale(int num_workers) const;
  static void ReadSlot(ReadTask* task, std::size_t slot);
  static void ListAll(ReadTask* task);
  static void GatherChanged(ReadTask* task);
  static void FinishRead(ReadTask* task);
  Status Encode(SArray<char>* values) const;

  const TableSpec& spec_;
  TableSlots& slots_;
  TableLanes& lanes_;
  const Codec* const pull_codec_;
  const std::size_t row_bytes_;
  State state_;
};

}  // namespace ps
#endif  // PS_STORE_TABLE_WORK_H_
