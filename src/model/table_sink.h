#ifndef PS_MODEL_TABLE_SINK_H_
#define PS_MODEL_TABLE_SINK_H_

#include <cstdint>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "group/result_sink.h"
#include "group/scratch.h"
#include "ps/store.h"
#include "ps/table_spec.h"
#include "store/shared_store.h"

namespace ps {

// Merged values go to a table of the store per key, whose values are the results. Any thread.
//
// Where all workers' rounds are summed, a round that was not taken (its merge has failed) ends the key here:
// what came next would be added to others' round before. They are told that this worker is missing.
class TableSink final : public ResultSink {
 public:
  // In this process.
  TableSink();
  // At the servers of a job.
  explicit TableSink(std::shared_ptr<SharedStore> shared);
  ~TableSink() override;

  // Makes, or opens, the table of a key, whose shape is (rows, columns). Waits; with `reads` for its first
  // value, too, so that a rule which can not make it is found out. Throws Error.
  void Add(int key, const TableSpec& spec, const Shape& shape, bool reads);
  // In the processor's memory, of the key's dtype and size; waits. Throws Error.
  Tensor Get(int key);
  void Set(int key, const void* values);

  bool keeps_value() const override { return true; }
  void Take(Merged&& merged, Done done) override;
  void Read(int key, int priority, Done done) override;
  void Close() override;

 private:
  struct KeyTable {
    std::shared_ptr<StoreTable> table;  // also of who leaves it at the end
    Shape shape;
    std::uint64_t taken = 0;  // the last round that was sent
  };

  KeyTable& Find(int key) PS_EXCLUDES(mutex_);
  static void CheckRound(const KeyTable& at, const Merged& merged);
  Tensor NewResult(const KeyTable& at);
  Tensor Get(const KeyTable& at);
  // Counts an operation that reads memory of a device, until it is done.
  void TrackLoan(const Ticket& ticket);

  const std::shared_ptr<SharedStore> shared_;  // null: local
  std::unique_ptr<Store> local_;
  const std::shared_ptr<Scratch> scratch_ = std::make_shared<Scratch>();
  // What tickets still find when the sink is gone.
  struct Loans {
    Mutex mutex;
    CondVar none;
    int count PS_GUARDED_BY(mutex) = 0;
  };
  const std::shared_ptr<Loans> loans_ = std::make_shared<Loans>();
  Mutex mutex_;
  std::map<int, KeyTable> tables_ PS_GUARDED_BY(mutex_);  // they stay
};

}  // namespace ps

#endif  // PS_MODEL_TABLE_SINK_H_
