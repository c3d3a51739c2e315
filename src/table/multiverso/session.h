#ifndef PS_TABLE_MULTIVERSO_SESSION_H_
#define PS_TABLE_MULTIVERSO_SESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "cluster/process_nodes.h"
#include "cluster/roll.h"
#include "ps/multiverso/built_in_table.h"
#include "ps/multiverso/user_table_context.h"
#include "ps/store.h"
#include "ps/store_server.h"
#include "ps/table_spec.h"
#include "ps/tensor.h"
#include "table/multiverso/process_plan.h"

namespace multiverso {

// What tables are made with.
struct TableDefaults {
  bool is_sync = false;
  bool has_tables = true;      // else model averaging
  std::string rule = "add";    // of the store (ps/updater.h)
  std::string rule_name = "";  // as the program said it
};

// Who is in the job, as a process sees it after MV_Init.
struct Membership {
  int rank = -1;  // of this process
  std::vector<ps::ProcessMembers> processes;
  int num_workers = 0;
  int num_servers = 0;

  // Of this process; -1: it has none.
  int worker_id() const { return rank < 0 ? -1 : processes[static_cast<std::size_t>(rank)].worker; }
  int server_id() const { return rank < 0 ? -1 : processes[static_cast<std::size_t>(rank)].server; }
};

// What is between MV_Init and MV_ShutDown: nodes, store, tables. The process has one (tests several: the one
// that is bound to the thread). Started, ended and given tables by one thread; the rest any.
class Session {
 public:
  explicit Session(ps::VanFactory van_factory = ps::DefaultVan);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The one bound to this thread, else that of the process, which is closed when the process ends.
  static Session& Current();

  // Joins the cluster, and returns when all processes have. False: this process is the scheduler alone, and
  // the job has ended. Throws ps::Error.
  bool Start(const ProcessPlan& plan, const TableDefaults& defaults, const char* argv0);
  // Leaves all tables and the cluster, together with the other processes; throws the first error when all is
  // done. Tables that a program still has fail from then on.
  void End();
  // Ends at once.
  void Close();
  bool is_started() const { return is_started_; }

  // Below: after Start; throw ps::Error before.
  // Waits for what this process has added, then meets all other processes.
  void Barrier();
  // Sums over all processes, in place, together with them.
  void Aggregate(const ps::TensorView& values);
  const Membership& membership() const;
  // Of the worker of this process.
  ps::Store& store();
  // Name, consistency and rule of the next table.
  void FillIn(ps::TableSpec* spec);
  // The same for a table that this process has no half of, and for a program's own table.
  UserTableContext NextTable();
  void KeepUntilEnd(std::shared_ptr<BuiltInTable> table);

 private:
  void RequireStarted() const;
  bool StartNodes(const ProcessPlan& plan, const char* argv0);
  void Meet();
  ps::Status LeaveTables();
  ps::Status Flush();

  const ps::VanFactory van_factory_;
  bool is_started_ = false;
  TableDefaults defaults_;
  Membership membership_;
  int num_tables_ = 0;
  // They stay after End, closed, because tables that a program still has refer to them.
  std::unique_ptr<ps::ProcessNodes> nodes_;  // null: alone, or no node
  std::unique_ptr<ps::StoreServer> server_;
  std::unique_ptr<ps::Store> store_;
  std::vector<std::shared_ptr<BuiltInTable>> tables_;
};

// Binds a session to the thread. For tests.
class ScopedSession {
 public:
  explicit ScopedSession(Session* session);
  ~ScopedSession();
  ScopedSession(const ScopedSession&) = delete;
  ScopedSession& operator=(const ScopedSession&) = delete;

 private:
  Session* const previous_;
};

}  // namespace multiverso

#endif  // PS_TABLE_MULTIVERSO_SESSION_H_
