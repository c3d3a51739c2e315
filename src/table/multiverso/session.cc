#include "table/multiverso/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/guarded.h"
#include "base/never_destroyed.h"
#include "cluster/roll_call.h"
#include "collective/host_array.h"
#include "collective/reduce.h"
#include "postoffice/close_at_exit.h"
#include "ps/collective.h"
#include "ps/multiverso/create_table.h"
#include "ps/status.h"

namespace multiverso {
namespace {

using ps::Role;
using ps::Status;

thread_local Session* bound = nullptr;

// A restarted process can not be told which tables the others have made.
Status CheckIsNew(const ps::ProcessNodes& nodes) {
  for (const Role role : {Role::kServer, Role::kWorker}) {
    const ps::Postoffice* const node = nodes.Find(role);
    if (node == nullptr || !node->is_recovery()) continue;
    return Status::FailedPrecondition(
        "MV_Init: this process takes the place of a lost one, which a program with Multiverso's tables can "
        "not (PS_ON_NODE_LOST): start the job again, with a checkpoint");
  }
  return Status::Ok();
}

void Keep(Status* first, const Status& status) {
  if (first->ok()) *first = status;
}

}  // namespace

Session::Session(ps::VanFactory van_factory) : van_factory_(std::move(van_factory)) {}
Session::~Session() { Close(); }

Session& Session::Current() {
  static ps::NeverDestroyed<Session> process;
  static const ps::CloseAtExit closer([] { process.value.Close(); });
  return bound != nullptr ? *bound : process.value;
}

void Session::RequireStarted() const {
  if (!is_started_)
    ps::ThrowIfError(Status::FailedPrecondition("MV_Init has not been called, or MV_ShutDown has"));
}

// --- start ---

bool Session::Start(const ProcessPlan& plan, const TableDefaults& defaults, const char* argv0) {
  if (is_started_) ps::ThrowIfError(Status::FailedPrecondition("MV_Init has been called already"));
  Close();
  tables_.clear();
  store_.reset();
  server_.reset();
  nodes_.reset();
  defaults_ = defaults;
  membership_ = Membership();
  num_tables_ = 0;
  if (plan.kind == ProcessPlan::kAlone) {
    store_ = std::move(ps::Store::Local().front());
    membership_ = {0, {{0, 0}}, 1, 1};
  } else if (plan.kind == ProcessPlan::kCluster && !StartNodes(plan, argv0)) {
    return false;
  }
  is_started_ = true;
  return true;
}

bool Session::StartNodes(const ProcessPlan& plan, const char* argv0) {
  nodes_ = std::make_unique<ps::ProcessNodes>(plan.nodes, van_factory_);
  ps::ThrowIfError(nodes_->Start(argv0));
  if (!plan.Has(Role::kServer) && !plan.Has(Role::kWorker)) {
    ps::ThrowIfError(nodes_->Finalize());
    return false;
  }
  try {
    Meet();
  } catch (...) {
    nodes_->Close();  // who waits for this process is told
    throw;
  }
  return true;
}

void Session::Meet() {
  ps::ThrowIfError(CheckIsNew(*nodes_));
  ps::Postoffice* const worker = nodes_->Find(Role::kWorker);
  ps::Postoffice* const server = nodes_->Find(Role::kServer);
  if (server != nullptr) server_ = std::make_unique<ps::StoreServer>(server);
  if (worker != nullptr) store_ = std::make_unique<ps::Store>(worker);
  const ps::Postoffice& node = worker != nullptr ? *worker : *server;
  const std::int64_t start_timeout_ms = node.config().start_timeout_ms;
  const std::int64_t timeout_ms = start_timeout_ms > 0
                                      ? start_timeout_ms
                                      : std::chrono::milliseconds(std::chrono::hours(24 * 365)).count();
  ps::RollCall call(worker, server);
  const auto heard = call.Take(std::chrono::milliseconds(timeout_ms));
  if (!heard.ok()) {
    ps::ThrowIfError(
        Status(heard.status().code(), "MV_Init: " + heard.status().message() +
                                          "; all servers and workers of the job have to be this program"));
  }
  membership_.processes = heard.value();
  const ps::ProcessMembers own{worker == nullptr ? -1 : worker->my_rank(),
                               server == nullptr ? -1 : server->my_rank()};
  const auto place = std::find(membership_.processes.begin(), membership_.processes.end(), own);
  if (place == membership_.processes.end())
    ps::ThrowIfError(Status::Internal("MV_Init: this process is not among those of the job"));
  membership_.rank = static_cast<int>(place - membership_.processes.begin());
  membership_.num_workers = node.num_workers();
  membership_.num_servers = node.num_servers();
  ps::ThrowIfError(nodes_->Barrier(timeout_ms));
}

// --- end ---

Status Session::LeaveTables() {
  Status first;
  for (const auto& table : tables_) {
    const Status left = ps::Guarded([&table = table] { return table->Leave(); });
    if (left.code() != ps::StatusCode::kNotFound) Keep(&first, left);  // not found: it was erased
  }
  return first;
}

Status Session::Flush() {
  if (store_ == nullptr) return Status::Ok();
  return ps::Guarded([this] {
    store_->Flush();
    return Status::Ok();
  });
}

void Session::End() {
  RequireStarted();
  is_started_ = false;
  Status first = LeaveTables();
  Keep(&first, Flush());
  if (store_ != nullptr) store_->Close();
  if (nodes_ != nullptr) Keep(&first, nodes_->Finalize());
  if (server_ != nullptr) server_->Close();
  tables_.clear();
  ps::ThrowIfError(first);
}

void Session::Close() {
  is_started_ = false;
  if (store_ != nullptr) store_->Close();
  if (nodes_ != nullptr) nodes_->Close();
  if (server_ != nullptr) server_->Close();
}

// --- between ---

// The others are met also where something was lost here: they have no part in it, and would wait.
void Session::Barrier() {
  RequireStarted();
  constexpr std::int64_t kConfigured = -1;  // PS_BARRIER_TIMEOUT
  Status first = Flush();
  if (nodes_ != nullptr) Keep(&first, nodes_->Barrier(kConfigured));
  ps::ThrowIfError(first);
}

void Session::Aggregate(const ps::TensorView& values) {
  RequireStarted();
  const int num_processes = static_cast<int>(membership_.processes.size());
  if (num_processes <= 1) {
    // What several would refuse.
    ps::ThrowIfError(ps::CheckReduce(ps::ReduceOp::kSum, values.dtype));
    return ps::ThrowIfError(ps::HostArray::Check(values));
  }
  // Collectives are the workers'.
  if (membership_.num_workers != num_processes)
    ps::ThrowIfError(Status::FailedPrecondition(
        "MV_Aggregate sums over all processes, which all have to have a worker: of the " +
        std::to_string(num_processes) + " of this job " + std::to_string(membership_.num_workers) +
        " have one"));
  ps::Collective::Of(nodes_->Find(Role::kWorker))->Allreduce(values);
}

const Membership& Session::membership() const {
  RequireStarted();
  return membership_;
}

ps::Store& Session::store() {
  RequireStarted();
  if (store_ == nullptr)
    ps::ThrowIfError(Status::FailedPrecondition(
        "this process has no worker (-ps_role, DMLC_ROLE), so it has no worker's half of a table"));
  return *store_;
}

UserTableContext Session::NextTable() {
  RequireStarted();
  if (!defaults_.has_tables)
    ps::ThrowIfError(Status::FailedPrecondition("there are no tables with -ma=true (model averaging)"));
  UserTableContext context;
  context.store = store_.get();
  if (server_ != nullptr) {
    context.servers = &server_->user_shards();
  } else if (nodes_ == nullptr && store_ != nullptr) {
    context.servers = &store_->user_shards();
  }
  context.is_sync = defaults_.is_sync;
  context.table_id = num_tables_++;
  return context;
}

void Session::FillIn(ps::TableSpec* spec) {
  spec->name = TableName(NextTable().table_id);
  spec->updater = defaults_.rule;
  if (defaults_.is_sync) spec->consistency = ps::Consistency::Bsp();
}

void Session::KeepUntilEnd(std::shared_ptr<BuiltInTable> table) { tables_.push_back(std::move(table)); }

UserTableContext internal::NextTable() { return Session::Current().NextTable(); }
// What the barrier says is not why the table could not be made.
void internal::MeetAfterFailure() {
  static_cast<void>(ps::Guarded([] {
    Session::Current().Barrier();
    return Status::Ok();
  }));
}
bool internal::HasWorker() { return Session::Current().membership().worker_id() >= 0; }

// --- threads of tests ---

ScopedSession::ScopedSession(Session* session) : previous_(bound) { bound = session; }
ScopedSession::~ScopedSession() { bound = previous_; }

}  // namespace multiverso
