// Store: tables of parameters on the servers of a job, or in this process.
#ifndef PS_STORE_H_
#define PS_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"
#include "ps/store_table.h"
#include "ps/table_spec.h"
#include "ps/ticket.h"

namespace ps {

class ClientTable;
class Postoffice;
class StoreClient;
class UserShardHost;

// What is saved.
struct SaveOptions {
  int keep = 2;        // the newest checkpoints that stay
  std::string prefix;  // only tables whose names begin so
};

// What is taken of a checkpoint.
struct LoadOptions {
  enum What : std::uint8_t {
    kAll = 0,            // tables as they were saved, with rounds; those that are not there are made
    kStatesAndRule = 1,  // of tables that are there: the updater's states and count, and the rule with its
                         // options. Values and rounds stay
    kStates = 2,         // the same without the rule, which must be the one that was saved
  };
  What what = kAll;
  std::string prefix;  // only tables whose names begin so
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
  // How a table was made, whoever has made it: what Create takes. kNotFound. Waits.
  Result<TableSpec> Find(const std::string& name);
  // Forgets a table on all servers, whoever else uses it.
  Ticket EraseTable(const std::string& name);
  // Returns when all this worker has contributed is ordered at its servers.
  void Flush();
  // Flush, and meets the other workers. `timeout_ms` -1: PS_BARRIER_TIMEOUT. With `no_flush` nobody waits for
  // what was contributed: it is on its way when they meet, and may not be ordered yet.
  void Barrier(std::int64_t timeout_ms = -1, bool no_flush = false);
  // Writes tables that this worker has open below `uri` (a folder, file:// or what dmlc's Stream knows), as
  // of what it has contributed: with kBsp after the rounds it has ended, on every server. With rules and
  // options in force, and those that wait. Returns the step once it is complete. For one worker at a time.
  std::uint64_t Save(const std::string& uri, const SaveOptions& options = {});
  // Takes the newest complete checkpoint below `uri`, whatever number of servers wrote it. All workers call
  // it together; their open tables go on from it. Nothing has changed where it fails. Returns the step.
  std::uint64_t Load(const std::string& uri, const LoadOptions& options = {});
  // The servers of a store of Store::Local, for tables of the program's own code (ps/user_table.h). Lives as
  // long as one of its stores. Throws Error(kFailedPrecondition) in a cluster: its servers are StoreServers.
  UserShardHost& user_shards();
  // Fails what is under way (kCancelled). Idempotent. A continuation runs those that wait first; rules throw.
  void Close();

 private:
  friend class StoreBatch;
  friend class UserTable;
  std::shared_ptr<ClientTable> Open(const TableSpec& spec, std::int64_t timeout_ms);
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
