#include "ps/store.h"

#include <atomic>
#include <chrono>
#include <future>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "ps/postoffice.h"
#include "store/client_checkpoint.h"
#include "store/client_rule.h"
#include "store/client_table.h"
#include "store/fusing_link.h"
#include "store/load_order.h"
#include "store/loopback.h"
#include "store/network_link.h"
#include "store/opened.h"
#include "store/periodic_checkpoint.h"
#include "store/spec_bytes.h"
#include "store/unacknowledged.h"

namespace ps {
namespace {

constexpr std::chrono::hours kVeryLong{24};
constexpr int kKept = 2;  // checkpoints that are made by themselves
constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

}  // namespace

class StoreClient {
 public:
  explicit StoreClient(std::unique_ptr<ServerLink> link)
      : link_(std::make_shared<FusingLink>(std::move(link))),
        unacknowledged_(std::make_shared<Unacknowledged>()) {}
  ~StoreClient() { Close(); }

  // A table may outlive it.
  void Close() {
    if (periodic_ != nullptr) periodic_->Stop();
    link_->Close();
  }

  // PS_CHECKPOINT_DIR and PS_CHECKPOINT_INTERVAL.
  void SaveEvery(const std::string& uri, std::int64_t interval_ms) {
    periodic_ = std::make_shared<PeriodicCheckpoint>(interval_ms, Clock::Real().NowMs(),
                                                     [this, uri] { BeginPeriodic(uri); });
  }

  FusingLink& link() { return *link_; }
  // In this process; null: elsewhere.
  void set_local_servers(std::shared_ptr<LoopbackServers> servers) { local_servers_ = std::move(servers); }
  LoopbackServers* local_servers() { return local_servers_.get(); }
  void set_request_timeout_ms(std::int64_t timeout_ms) { request_timeout_ms_ = timeout_ms; }

  // `timeout_ms`: of a table of the program's own code; -1: as it was set.
  std::shared_ptr<ClientTable> Open(const TableSpec& spec, std::int64_t timeout_ms) {
    ThrowIfError(spec.Validate());
    const std::shared_ptr<ClientTable> mine = TableOf(spec.name);
    if (mine != nullptr) ThrowIfError(SettleUnacknowledged());
    const std::shared_ptr<Opened> opened = AskToOpen(spec, timeout_ms < 0 ? request_timeout_ms_ : timeout_ms);
    // Of one worker there is one who counts its rounds. Not where the table was erased, and made again.
    if (mine != nullptr && mine->spec() == spec && mine->IsAt(opened->rounds)) return mine;
    std::shared_ptr<ClientTable> table = std::move(
        ClientTable::Make({link_, unacknowledged_, periodic_}, spec, opened->needs_whole, opened->rounds)
            .value());
    MutexLock lock(mutex_);
    open_.emplace(spec.name, table);
    return table;
  }

  std::uint64_t Save(const std::string& uri, const SaveOptions& options) {
    ThrowIfError(link_->CheckMayWait());
    const auto tables = Tables(options.prefix);
    if (tables.empty() && !options.prefix.empty())
      ThrowIfError(Status::NotFound("no table is open whose name begins with '" + options.prefix + "'"));
    std::promise<Result<std::uint64_t>> promise;
    std::future<Result<std::uint64_t>> saved = promise.get_future();
    ThrowIfError(ClientCheckpoint(link_).Begin(
        uri, tables, options.keep,
        [&promise](const Result<std::uint64_t>& step) { promise.set_value(step); }));
    link_->SendGathered();
    return saved.get().value();
  }

  // The workers that only wait learn from the servers whether it was done.
  std::uint64_t Load(const std::string& uri, const LoadOptions& options) {
    ThrowIfError(link_->CheckMayWait());
    // Rounds go on from what the servers have: nothing may be under way.
    WaitForUnacknowledged();
    const Result<std::uint64_t> step = ClientCheckpoint::Newest(uri);
    Status outcome = step.status();
    if (link_->worker() == 0)
      outcome = LoadOnServers(outcome, {uri, step.ok() ? step.value() : 0, options.prefix, options.what});
    ThrowIfError(link_->Barrier(-1));
    if (outcome.ok()) outcome = Guarded([&] { return GoOnFrom(step.value(), uri); });
    // Also where it has failed here: the others may not know, and would wait.
    const Status met = link_->Barrier(-1);
    ThrowIfError(outcome);
    ThrowIfError(met);
    return step.value();
  }

  Result<TableSpec> Find(const std::string& name) {
    PS_RETURN_IF_ERROR(link_->CheckMayWait());
    Op op;
    op.code = OpCode::kFind;
    op.table = TableId(name);
    const auto texts =
        std::make_shared<std::vector<std::string>>(static_cast<std::size_t>(link_->num_servers()));
    const Status asked = Ask(op, [texts](int server, const std::vector<OpReply>& replies) {
                           (*texts)[static_cast<std::size_t>(server)] = replies.front().text;
                         }).WaitFor(kVeryLong);
    PS_RETURN_IF_ERROR(asked);
    for (const std::string& text : *texts) {
      if (!text.empty()) return DecodeSpec(text);
    }
    return Status::NotFound("there is no table '" + name + "' on any server");
  }

  // One operation for all servers.
  Ticket Ask(const Op& op, ClientOp::OnReplies on_replies) {
    std::vector<ServerLink::Addressed> requests(static_cast<std::size_t>(link_->num_servers()));
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].server = static_cast<int>(i);
      requests[i].request.ops = {op};
    }
    auto state = std::make_shared<TicketState>(link_);
    auto sink = std::make_shared<ClientOp>(state, ClientOp::Destination(), std::vector<ClientOp::Part>(),
                                           std::move(on_replies));
    state->SetRequest(link_->Send(std::move(requests), std::move(sink)));
    return Ticket(std::move(state));
  }

  Status Flush() {
    PS_RETURN_IF_ERROR(SettleUnacknowledged());
    return unacknowledged_->TakeError();
  }

 private:
  Status SettleUnacknowledged() {
    PS_RETURN_IF_ERROR(link_->CheckMayWait());
    WaitForUnacknowledged();
    return Status::Ok();
  }
  // How they end is kept.
  void WaitForUnacknowledged() {
    for (const SentRequest& request : unacknowledged_->Open()) (void)link_->WaitUntil(request, kForEver);
  }
  std::shared_ptr<Opened> AskToOpen(const TableSpec& spec, std::int64_t timeout_ms) {
    Op op;
    op.code = OpCode::kCreate;
    op.table = TableId(spec.name);
    op.text = EncodeSpec(spec);
    if (spec.kind == TableSpec::kUser) op.flags = Op::kUser;
    const auto opened = std::make_shared<Opened>(link_->num_servers());
    const Ticket asked = Ask(op, [opened](int server, const std::vector<OpReply>& replies) {
      opened->rounds[static_cast<std::size_t>(server)] = replies.front().round;
      if (replies.front().text == kNeedsWhole) opened->needs_whole = true;
      opened->has_answered[static_cast<std::size_t>(server)] = true;
    });
    const bool may_be_late = spec.kind == TableSpec::kUser && timeout_ms > 0;
    const Status outcome = asked.WaitFor(may_be_late ? std::chrono::milliseconds(timeout_ms) : kVeryLong);
    if (may_be_late && outcome.code() == StatusCode::kDeadlineExceeded && !asked.Done())
      ThrowIfError(opened->ExplainDelay(spec.name, spec.updater, timeout_ms));
    ThrowIfError(outcome);
    return opened;
  }
  // `found`: whether there is a checkpoint to load.
  Status LoadOnServers(const Status& found, const LoadOrder& order) {
    Op op = order.ToOp();
    Status done = found;
    for (const int flags : {0, static_cast<int>(Op::kCommit)}) {
      op.flags = static_cast<std::uint8_t>(flags);
      if (done.ok()) done = Ask(op, nullptr).WaitFor(kVeryLong);
    }
    if (done.ok()) return done;
    // Some servers may have read it, and need the memory; and none may say that it was loaded, as an earlier
    // one of this number was. Whether they still hear of it changes nothing.
    op.flags = Op::kForget;
    (void)Ask(op, nullptr).WaitFor(kVeryLong);
    return done;
  }
  Status GoOnFrom(std::uint64_t step, const std::string& uri) {
    if (!IsLoaded(step))
      return Status::FailedPrecondition("worker 0 could not load checkpoint " + std::to_string(step) +
                                        " at " + uri + "; its error says why");
    for (const auto& table : Tables(""))
      table->GoOnFrom(AskToOpen(table->spec(), request_timeout_ms_)->rounds);
    return Status::Ok();
  }
  bool IsLoaded(std::uint64_t step) {
    const auto is_loaded = std::make_shared<std::atomic<bool>>(true);
    Op op;
    op.code = OpCode::kLoad;
    op.flags = Op::kAsk;
    Ask(op, [is_loaded, step](int, const std::vector<OpReply>& replies) {
      if (replies.front().round != step) is_loaded->store(false);
    }).Wait();
    return *is_loaded;
  }
  // Training goes on whatever becomes of it.
  void BeginPeriodic(const std::string& uri) {
    const auto end = [uri, periodic = periodic_](const Status& outcome) {
      if (!outcome.ok()) PS_LOG(kError, "", "no checkpoint was written at " << uri << ": " << outcome);
      periodic->Ended(Clock::Real().NowMs());
    };
    const Status begun = ClientCheckpoint(link_).Begin(
        uri, Tables(""), kKept, [end](const Result<std::uint64_t>& step) { end(step.status()); });
    if (!begun.ok()) end(begun);
  }
  // The newest one of this name that is open; null: none.
  std::shared_ptr<ClientTable> TableOf(const std::string& name) {
    const auto tables = Tables(name, true);
    return tables.empty() ? nullptr : tables.back();
  }
  // Those that are still open, and whose names are this, or begin so.
  std::vector<std::shared_ptr<ClientTable>> Tables(const std::string& prefix, bool is_name = false) {
    std::vector<std::shared_ptr<ClientTable>> tables;
    MutexLock lock(mutex_);
    for (auto at = open_.lower_bound(prefix); at != open_.end();) {
      if (is_name ? at->first != prefix : at->first.compare(0, prefix.size(), prefix) != 0) break;
      auto table = at->second.lock();
      at = table == nullptr ? open_.erase(at) : std::next(at);
      if (table != nullptr) tables.push_back(std::move(table));
    }
    return tables;
  }

  const std::shared_ptr<FusingLink> link_;
  const std::shared_ptr<Unacknowledged> unacknowledged_;
  std::shared_ptr<PeriodicCheckpoint> periodic_;  // null: none
  std::shared_ptr<LoopbackServers> local_servers_;
  std::int64_t request_timeout_ms_ = Config().request_timeout_ms;
  Mutex mutex_;
  std::multimap<std::string, std::weak_ptr<ClientTable>> open_ PS_GUARDED_BY(mutex_);  // by name
};

// --- StoreTable ---

StoreTable::StoreTable(std::shared_ptr<ClientTable> client) : client_(std::move(client)) {}
StoreTable::~StoreTable() = default;
const TableSpec& StoreTable::spec() const { return client_->spec(); }

Ticket StoreTable::AddAsync(const Rows& rows, const void* values, const AddOptions& options) {
  ClientTable::Call call{OpCode::kAdd, rows, values, options.borrow, nullptr, options.priority};
  call.keep = options.keep;
  return client_->Issue(call);
}

Ticket StoreTable::GetAsync(const Rows& rows, void* values, const GetOptions& options) {
  return client_->Issue({OpCode::kGet, rows, nullptr, false, values, options.priority, options.memory,
                         options.changed, options.keep});
}

Ticket StoreTable::AddGetAsync(const Rows& rows, const void* values, void* to, const AddOptions& options) {
  ClientTable::Call call{OpCode::kAddGet, rows, values, options.borrow, to, options.priority};
  call.keep = options.keep;
  return client_->Issue(call);
}

// Where the wait would be refused, nothing may begin that uses the caller's memory.
void StoreTable::Add(const Rows& rows, const void* values, const AddOptions& options) {
  ThrowIfError(client_->CheckMayWait());
  AddOptions lent = options;
  lent.borrow = true;
  AddAsync(rows, values, lent).Wait();
}

void StoreTable::Get(const Rows& rows, void* values, const GetOptions& options) {
  ThrowIfError(client_->CheckMayWait());
  GetAsync(rows, values, options).Wait();
}

Ticket StoreTable::SetAsync(const Rows& rows, const void* values) {
  return client_->Issue({OpCode::kSet, rows, values});
}

Ticket StoreTable::EraseAsync(const Rows& rows) { return client_->Issue({OpCode::kErase, rows}); }
Ticket StoreTable::CloseRound() { return client_->CloseRound(); }
Ticket StoreTable::Leave() { return client_->Leave(); }

Ticket StoreTable::SetOptions(const std::string& options, std::uint64_t from_round) {
  return SetUpdaterOptions(*client_, options, from_round);
}

Ticket StoreTable::SetUpdater(const UpdaterChoice& choice, bool multi_precision) {
  return ps::SetUpdater(*client_, choice, multi_precision);
}

// --- Store ---

Store::Store(Postoffice* node) : Store(std::make_unique<StoreClient>(std::make_unique<NetworkLink>(node))) {
  const Config config = node->config();
  client_->set_request_timeout_ms(config.request_timeout_ms);
  if (rank() == 0 && !config.checkpoint_dir.empty() && config.checkpoint_interval_ms > 0)
    client_->SaveEvery(config.checkpoint_dir, config.checkpoint_interval_ms);
}

Store::Store(std::unique_ptr<StoreClient> client) : client_(std::move(client)) {}

std::vector<std::unique_ptr<Store>> Store::Local(const LocalStoreOptions& options) {
  if (options.servers < 1 || options.workers < 1 || options.threads < 0)
    ThrowIfError(Status::InvalidArgument("a local store has one server and one worker at least"));
  StoreServerCore::Options server;
  server.num_threads = options.threads;
  const auto servers = std::make_shared<LoopbackServers>(options.servers, options.workers, server);
  std::vector<std::unique_ptr<Store>> stores;
  for (int worker = 0; worker < options.workers; ++worker) {
    auto link = std::make_unique<LoopbackLink>(servers, worker);
    stores.emplace_back(new Store(std::make_unique<StoreClient>(std::move(link))));
    stores.back()->client_->set_local_servers(servers);
  }
  return stores;
}

Store::~Store() { client_->Close(); }
int Store::rank() const { return client_->link().worker(); }
int Store::num_workers() const { return client_->link().num_workers(); }
int Store::num_servers() const { return client_->link().num_servers(); }

std::unique_ptr<StoreTable> Store::Create(const TableSpec& spec) {
  return std::unique_ptr<StoreTable>(new StoreTable(Open(spec, -1)));
}

std::shared_ptr<ClientTable> Store::Open(const TableSpec& spec, std::int64_t timeout_ms) {
  return client_->Open(spec, timeout_ms);
}

UserShardHost& Store::user_shards() {
  if (client_->local_servers() != nullptr) return *client_->local_servers();
  throw Error(Status::FailedPrecondition(
      "this store is a worker's of a cluster: register with the StoreServer of each server"));
}

Result<TableSpec> Store::Find(const std::string& name) { return client_->Find(name); }

Ticket Store::EraseTable(const std::string& name) {
  Op op;
  op.code = OpCode::kErase;
  op.flags = Op::kWhole;
  op.table = TableId(name);
  return client_->Ask(op, nullptr);
}

void Store::Flush() { ThrowIfError(client_->Flush()); }

// The others are met also where something was lost here: they have no part in it, and would wait.
void Store::Barrier(std::int64_t timeout_ms, bool no_flush) {
  if (no_flush) {
    client_->link().SendGathered();
  } else {
    ThrowIfError(client_->link().CheckMayWait());
  }
  const Status flushed = no_flush ? Status::Ok() : client_->Flush();
  ThrowIfError(client_->link().Barrier(timeout_ms));
  ThrowIfError(flushed);
}

std::uint64_t Store::Save(const std::string& uri, const SaveOptions& options) {
  return client_->Save(uri, options);
}
std::uint64_t Store::Load(const std::string& uri, const LoadOptions& options) {
  return client_->Load(uri, options);
}

void Store::Close() {
  if (client_->local_servers() != nullptr) ThrowIfError(client_->local_servers()->CheckMayLeave());
  client_->Close();
}

// --- StoreBatch ---

StoreBatch::StoreBatch(Store& store) : store_(store) { store_.client_->link().Hold(); }
StoreBatch::~StoreBatch() { store_.client_->link().Release(); }

}  // namespace ps
