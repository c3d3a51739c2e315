#ifndef PS_STORE_STORE_SERVER_CORE_H_
#define PS_STORE_STORE_SERVER_CORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "ps/status.h"
#include "store/executors.h"
#include "store/load_order.h"
#include "store/memory_budget.h"
#include "store/op.h"
#include "store/prepared_load.h"
#include "store/reply.h"
#include "store/server_link.h"
#include "store/server_table.h"
#include "store/server_user_table.h"
#include "store/waiting_calls.h"

namespace ps {

// The server half of the store without a network: messages of operations in, answers out. Thread-safe; what
// comes from one worker is handled in the order of the calls.
class StoreServerCore {
 public:
  struct Options {
    int server = 0;  // the rank
    int num_servers = 1;
    int num_workers = 1;
    int num_threads = 0;                         // lanes with a thread each; 0: built-in rules run in Handle
    std::uint64_t memory_limit = 0;              // bytes; 0: none
    std::uint64_t epoch = 1;                     // of versions: a server that starts again has another one
    MessageLimit message_limit;                  // of answers
    std::vector<std::string> command_line = {};  // of the program, for rules of its own
    Postoffice* node = nullptr;                  // that the threads are of; null: none
  };
  // Who asks: a worker, and which life of it.
  struct Asker {
    int worker = 0;
    std::uint64_t incarnation = 0;
  };

  explicit StoreServerCore(const Options& options);
  ~StoreServerCore();  // = Close()
  StoreServerCore(const StoreServerCore&) = delete;
  StoreServerCore& operator=(const StoreServerCore&) = delete;

  // The operations describe the arrays (OpCodec checks that). `is_borrowed`: the values are the sender's
  // memory until the answer. `send` is called once, from any thread that finishes the last operation, this
  // one included; it must not call back.
  void Handle(const Asker& asker, StoreRequest&& message, bool is_borrowed, Reply::Send send);
  // See ServerTable::OnWorkerGone.
  void OnWorkerGone(int worker, bool goes_on, const Status& why);
  // It ends by its own will: rounds go on without it. Returns when nothing of what it has lent is used any
  // more. Not by a lane.
  void OnWorkerLeft(int worker);
  // It is gone, and may come again: what it was about to load is let go.
  void ForgetLoadOf(int worker);
  // Whether the caller is a thread of a lane: there is what only returns when that does.
  bool IsLane() const { return executors_.IsThread(); }
  // Serves a program's own code (UserShardHost::Register).
  Status Register(const std::string& name, const std::string& code, const MakeUserShard& make);
  // Ends what was registered.
  void Forget(const std::string& name);
  // It can not be made at another server: who waits for it is told so.
  void Refuse(const std::string& name, const Status& why);
  // Takes tables from a checkpoint: all or none. Those that are there are replaced.
  Status Load(const std::string& uri, std::uint64_t step);
  // Ends the threads; what waits fails with kCancelled. Idempotent.
  void Close();

 private:
  using Request = ServedTable::Request;

  Status HandleOne(const Asker& asker, Request&& request) PS_REQUIRES(mutex_);
  Result<std::shared_ptr<ServedTable>> FindOrMake(const TableSpec& spec, bool needs_whole)
      PS_REQUIRES(mutex_);
  // Nothing that is thrown, above all for want of memory, leaves it.
  Status HandleGuarded(const Asker& asker, Request&& request) PS_REQUIRES(mutex_);
  // Until its table is registered.
  Status Park(const Asker& asker, Request&& request) PS_REQUIRES(mutex_);
  void AnswerWaiting(std::uint64_t table) PS_REQUIRES(mutex_);
  Result<std::shared_ptr<ServerUserTable>> Restored(const std::shared_ptr<ServerUserTable>& table,
                                                    const std::optional<LoadOrder>& from);
  Result<std::shared_ptr<SaveJob>> BeginSave(const Request& request, std::size_t num_tables)
      PS_REQUIRES(mutex_);
  void StartJob(const std::string& name, std::function<void()> code, std::shared_ptr<SaveJob> save)
      PS_REQUIRES(mutex_);
  Status BeginLoad(const Request& request) PS_REQUIRES(mutex_);
  Status PrepareLoad(const LoadOrder& order, std::uint64_t load) PS_EXCLUDES(mutex_);
  LoadedTables TablesThere() PS_REQUIRES(mutex_);
  Status CommitLoad(std::uint64_t step) PS_REQUIRES(mutex_);
  // Tells a table that has just come of the workers that have gone.
  void TellGone(ServedTable* table) PS_REQUIRES(mutex_);
  void Retire(std::shared_ptr<ServedTable> table, const std::string& was) PS_REQUIRES(mutex_);
  std::uint64_t& LifeOf(std::uint64_t table, int worker) PS_REQUIRES(mutex_);
  Status Admit(const Asker& asker, const Request& request, ServedTable* table) PS_REQUIRES(mutex_);
  Status Create(const Asker& asker, Request&& request) PS_REQUIRES(mutex_);
  Status EraseTable(const Request& request) PS_REQUIRES(mutex_);
  Status TellSpec(const Request& request) PS_REQUIRES(mutex_);
  Result<std::shared_ptr<ServedTable>> Find(std::uint64_t id) PS_REQUIRES(mutex_);

  const Options options_;
  const std::shared_ptr<const UpdaterHost> host_;
  MemoryBudget budget_;
  Executors executors_;
  Mutex mutex_;  // held while decisions are made and posted; lanes do not take it
  std::unordered_map<std::uint64_t, std::shared_ptr<ServedTable>> tables_ PS_GUARDED_BY(mutex_);
  // Tables that this server has no part of: who means another one by the name is refused by all servers.
  std::unordered_map<std::uint64_t, TableSpec> elsewhere_ PS_GUARDED_BY(mutex_);
  // By table and worker: the life that opened it.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> lives_ PS_GUARDED_BY(mutex_);
  struct Job {
    std::shared_ptr<std::atomic<bool>> is_done;
    std::shared_ptr<SaveJob> save;  // null: another one
    std::unique_ptr<Thread> thread;
  };
  std::vector<Job> jobs_ PS_GUARDED_BY(mutex_);  // that write or read checkpoints
  WaitingCalls waiting_ PS_GUARDED_BY(mutex_);   // for tables that are not registered yet
  std::set<std::uint64_t> erased_
      PS_GUARDED_BY(mutex_);  // of a program's own code: calls do not wait for them
  // Where it was started again: what is registered now is loaded from there, too.
  std::optional<LoadOrder> restored_from_ PS_GUARDED_BY(mutex_);
  std::uint64_t loaded_step_ PS_GUARDED_BY(mutex_) = 0;
  int num_loads_ PS_GUARDED_BY(mutex_) = 0;
  PreparedLoad prepared_ PS_GUARDED_BY(mutex_);
  struct Gone {
    bool goes_on;
    Status why;
  };
  std::map<int, Gone> gone_ PS_GUARDED_BY(mutex_);  // workers, until they come again
  std::uint64_t epoch_ PS_GUARDED_BY(mutex_);
  bool closed_ PS_GUARDED_BY(mutex_) = false;
};

}  // namespace ps
#endif  // PS_STORE_STORE_SERVER_CORE_H_
