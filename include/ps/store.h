// Store: tables of parameters on the servers of a job, or in this process.
#ifndef PS_STORE_H_
#define PS_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"
#include "ps/table_spec.h"
#include "ps/ticket.h"

namespace ps {

class Postoffice;
class ClientTable;
class StoreClient;
class ReadMemory;

// Which rows of a table a call is about. Borrows the ids until the call returns.
struct Rows {
  const std::uint64_t* ids = nullptr;
  std::size_t count = 0;
  bool is_all = true;  // whatever the ids

  static Rows All() { return {}; }
  // In any order; some may be equal; none is fine.
  static Rows Of(const std::uint64_t* ids, std::size_t count) { return {ids, count, false}; }
  static Rows Of(const std::vector<std::uint64_t>& ids) { return Of(ids.data(), ids.size()); }
  bool all() const { return is_all; }
};

// How values are handed in.
struct AddOptions {
  bool borrow = false;  // they stay unchanged until the ticket is done, and are not copied
  int priority = 0;     // higher first
  std::shared_ptr<const void> keep = nullptr;  // let go of when the ticket is done: what owns borrowed memory
};

// How values are read.
struct GetOptions {
  int priority = 0;
  // Only rows that have changed since the last read with this memory are sent; others stay as they are in the
  // caller's buffer. Outlives the ticket; for one read at a time.
  ReadMemory* memory = nullptr;
  std::vector<std::uint32_t>* changed = nullptr;  // where wanted: which of the rows asked for came
  std::shared_ptr<const void> keep = nullptr;     // let go of when the ticket is done: what owns the buffer
};

// What one buffer of a client has seen of one table.
class ReadMemory {
 public:
  ReadMemory();
  ~ReadMemory();
  // The next read brings everything.
  void Forget();

  class Impl;  // for the library
  Impl& impl() { return *impl_; }

 private:
  const std::unique_ptr<Impl> impl_;
};

// One table, as one worker sees it. Values are row after row, `width` elements of the table's dtype each.
// Calls with Async return at once, unless there is no room on the way; what they are given is copied unless
// they borrow it, buffers of reads stay alone until the ticket is done (then they hold the values, or, after
// an error, anything). All throw Error(kInvalidArgument) before anything is sent: rows that do not exist,
// no buffer. Thread-safe.
class StoreTable {
 public:
  ~StoreTable();
  StoreTable(const StoreTable&) = delete;
  StoreTable& operator=(const StoreTable&) = delete;

  const TableSpec& spec() const;
  // Contributes `values` to the next round; with TableSpec::auto_close that ends it. Done when it is ordered
  // at its servers: reads see what the table's consistency promises.
  Ticket AddAsync(const Rows& rows, const void* values, const AddOptions& options = {});
  // Reads, with all of this worker's rounds that have ended.
  Ticket GetAsync(const Rows& rows, void* values, const GetOptions& options = {});
  // Both in one message; needs auto_close. `to` may be `values`.
  Ticket AddGetAsync(const Rows& rows, const void* values, void* to, const AddOptions& options = {});
  // The same, waited for. The values are used where they are.
  void Add(const Rows& rows, const void* values);
  void Get(const Rows& rows, void* values);
  // Writes values as they are, at once, whatever the consistency.
  Ticket SetAsync(const Rows& rows, const void* values);
  // Rows are as never written.
  Ticket EraseAsync(const Rows& rows);
  // Without auto_close: ends the round.
  Ticket CloseRound();
  // This worker contributes to no further round: the others go on without it.
  Ticket Leave();
  // Options of the updater, as in `lr=0.1 wd=0`; kBsp: from round `from_round` on, else (and with 0) at once.
  Ticket SetOptions(const std::string& options, std::uint64_t from_round = 0);

 private:
  friend class Store;
  explicit StoreTable(std::shared_ptr<ClientTable> client);
  const std::shared_ptr<ClientTable> client_;
};

// A store inside the process, without a cluster.
struct LocalStoreOptions {
  int servers = 1;
  int workers = 1;
  int threads = 0;  // per server; 0: the caller does the work
};

// A worker's end of the store. Thread-safe.
class Store {
 public:
  // On a worker of a cluster, after Start; its servers run a StoreServer each. One per node. Throws Error.
  explicit Store(Postoffice* node);
  // One per worker, all on the same servers, which live as long as one of them does.
  static std::vector<std::unique_ptr<Store>> Local(const LocalStoreOptions& options = {});
  ~Store();  // = Close()
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  int rank() const;
  int num_workers() const;
  int num_servers() const;

  // Makes a table on the servers, or opens it: all who name it must mean the same, else kAlreadyExists with
  // the difference. Throws Error.
  std::unique_ptr<StoreTable> Create(const TableSpec& spec);
  // Forgets a table on all servers, whoever else uses it.
  Ticket EraseTable(const std::string& name);
  // Returns when all this worker has contributed is ordered at its servers.
  void Flush();
  // Flush, and meets the other workers. `timeout_ms` -1: PS_BARRIER_TIMEOUT.
  void Barrier(std::int64_t timeout_ms = -1);
  // Writes all tables that this worker has open below `uri` (a folder, file:// or what dmlc's Stream knows),
  // as of what it has contributed: with kBsp after the rounds it has ended, on every server. Returns the step
  // when the checkpoint is complete; the newest `keep` stay. For one worker at a time.
  std::uint64_t Save(const std::string& uri, int keep = 2);
  // Takes the newest complete checkpoint below `uri`: all its tables, on every server, whatever number of
  // servers wrote it. All workers call it together; tables that they have open go on from it. Nothing has
  // changed where it fails. Returns the step.
  std::uint64_t Load(const std::string& uri);
  // Fails what is under way with kCancelled. Idempotent.
  void Close();

 private:
  friend class StoreBatch;
  explicit Store(std::unique_ptr<StoreClient> client);
  const std::unique_ptr<StoreClient> client_;
};

// While it lives, small calls of the store, of all its threads, gather and travel together, a message per
// server for many of them; who waits for one of them sends all. Reads that may wait for other workers (of
// kBsp and kSsp, or before the first write) travel apart, and are answered when all of their message can be:
// who waits for one waits for those. Nests. The store outlives it.
class StoreBatch {
 public:
  explicit StoreBatch(Store& store);
  ~StoreBatch();  // sends what has gathered, if it is the last
  StoreBatch(const StoreBatch&) = delete;
  StoreBatch& operator=(const StoreBatch&) = delete;

 private:
  Store& store_;
};

}  // namespace ps

#endif  // PS_STORE_H_
