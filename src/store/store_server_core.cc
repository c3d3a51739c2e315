#include "store/store_server_core.h"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "store/partition.h"
#include "store/spec_bytes.h"

namespace ps {

StoreServerCore::StoreServerCore(const Options& options)
    : options_(options),
      host_(std::make_shared<UpdaterHost>(UpdaterHost{options.server, options.command_line})),
      budget_(options.memory_limit),
      executors_(options.num_threads, options.node),
      epoch_(options.epoch) {}

StoreServerCore::~StoreServerCore() { Close(); }

void StoreServerCore::Close() {
  std::unordered_map<std::uint64_t, std::shared_ptr<ServedTable>> tables;
  std::vector<Job> jobs;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    tables.swap(tables_);
    jobs.swap(jobs_);
    for (const Job& job : jobs) {
      if (job.save != nullptr) job.save->Abandon(Status::Cancelled("the server was closed"));
    }
    for (const auto& [id, table] : tables) table->Close("closed with its server");
    waiting_.DropAll(Status::Cancelled("server " + std::to_string(options_.server) + " has closed"));
  }
  executors_.Close();
  for (const Job& job : jobs) job.thread->Join();
}

void StoreServerCore::Handle(const Asker& asker, StoreRequest&& message, bool is_borrowed, Reply::Send send) {
  std::vector<Op> ops = std::move(message.ops);
  const bool is_worker = asker.worker >= 0 && asker.worker < options_.num_workers;
  if (ops.empty() || !is_worker) {
    const auto refusal = std::make_shared<Reply>(1, std::move(send));
    refusal->Fail(0, Status::InvalidArgument(ops.empty() ? "a message without operations"
                                                         : "the store takes operations from workers only"));
    return refusal->Finish();
  }
  const auto reply = std::make_shared<Reply>(ops.size(), std::move(send), options_.message_limit);
  std::size_t key = 0;
  std::size_t byte = 0;
  std::shared_ptr<SaveJob> job;  // of the operations that follow
  const auto saves_table = [](const Op& op) { return op.code == OpCode::kSave && op.table != 0; };
  MutexLock lock(mutex_);
  gone_.erase(asker.worker);  // what comes from a life that was lost is dropped on its way
  for (std::size_t i = 0; i < ops.size(); ++i) {
    Request request;
    request.op = std::move(ops[i]);
    request.worker = asker.worker;
    const std::size_t key_end = key + request.op.num_keys;
    const std::size_t byte_end = byte + request.op.num_bytes;
    request.keys = message.keys.segment(key, key_end);
    request.vals = message.vals.segment(byte, byte_end);
    request.is_borrowed = is_borrowed;
    request.reply = reply;
    request.index = i;
    key = key_end;
    byte = std::min(message.vals.size(), AlignedValues(byte_end));
    Status done;
    if (request.op.code == OpCode::kSave && request.op.table == 0) {
      const auto first = ops.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const auto end = std::find_if_not(first, ops.end(), saves_table);
      const auto begun = BeginSave(request, static_cast<std::size_t>(end - first));
      job = begun.ok() ? begun.value() : nullptr;
      done = begun.status();
    } else {
      if (!saves_table(request.op)) job = nullptr;
      request.job = job;
      done = HandleGuarded(asker, std::move(request));
      if (!done.ok() && job != nullptr) job->Abandon(done);
    }
    if (done.ok()) continue;
    reply->Fail(i, done);
    reply->Finish();
  }
}

Status StoreServerCore::HandleGuarded(const Asker& asker, Request&& request) {
  try {
    return HandleOne(asker, std::move(request));
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted("server " + std::to_string(options_.server) + " has no memory left");
  } catch (const std::exception& error) {
    return Status::Internal(error.what());
  }
}

// The first of the operations of a checkpoint says where to; so many tables follow.
Result<std::shared_ptr<SaveJob>> StoreServerCore::BeginSave(const Request& request, std::size_t num_tables) {
  if (closed_) return Status::Cancelled("server " + std::to_string(options_.server) + " has closed");
  auto job = std::make_shared<SaveJob>(
      SaveJob::Place{request.op.text, request.op.round, options_.server}, num_tables,
      [reply = request.reply, index = request.index](Result<ShardFile>&& file) {
        if (file.ok()) {
          reply->part(index).reply.text = EncodeShardFile(file.value());
        } else {
          reply->Fail(index, file.status());
        }
        reply->Finish();
      });
  StartJob(
      "ps-save", [job] { job->Run(); }, job);
  return job;
}

void StoreServerCore::StartJob(const std::string& name, std::function<void()> code,
                               std::shared_ptr<SaveJob> save) {
  const auto is_done = [](const Job& job) { return job.is_done->load(); };
  jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(), is_done), jobs_.end());
  Job job;
  job.save = std::move(save);
  job.is_done = std::make_shared<std::atomic<bool>>(false);
  job.thread = std::make_unique<Thread>(name, [code = std::move(code), done = job.is_done] {
    code();
    done->store(true);
  });
  jobs_.push_back(std::move(job));
}

Result<std::shared_ptr<ServedTable>> StoreServerCore::Find(std::uint64_t id) {
  const auto found = tables_.find(id);
  if (found != tables_.end()) return found->second;
  return Status::NotFound("server " + std::to_string(options_.server) +
                          " has no such table: it was erased, or the server was started again without it");
}

Status StoreServerCore::HandleOne(const Asker& asker, Request&& request) {
  if (closed_) return Status::Cancelled("server " + std::to_string(options_.server) + " has closed");
  if (request.op.code == OpCode::kCreate) return Create(asker, std::move(request));
  if (request.op.code == OpCode::kLoad) return BeginLoad(request);
  if (request.op.code == OpCode::kFind) return TellSpec(request);
  if (request.op.code == OpCode::kSave && request.job == nullptr)
    return Status::InvalidArgument("a checkpoint begins with the place where it goes");
  const auto table = Find(request.op.table);
  if (!table.ok() && request.op.code == OpCode::kErase) {
    if (request.op.whole()) elsewhere_.erase(request.op.table);
    request.reply->Finish();  // it has no part of this table
    return Status::Ok();
  }
  const bool is_for_code = (request.op.flags & Op::kUser) != 0;
  if (!table.ok() && is_for_code && erased_.count(request.op.table) == 0)
    return Park(asker, std::move(request));
  PS_RETURN_IF_ERROR(table.status());
  const TableSpec& spec = table.value()->spec();
  if ((request.op.adds() || request.op.reads()) && (spec.kind == TableSpec::kUser) != is_for_code)
    return Status::InvalidArgument(
        "table '" + spec.name +
        "' is of another kind than the one that was opened: " + "it was erased, and made anew");
  PS_RETURN_IF_ERROR(Admit(asker, request, table.value().get()));
  if (request.op.code == OpCode::kErase && request.op.whole()) return EraseTable(request);
  return table.value()->Handle(std::move(request));
}

// The table as asked for: made, or the one that is there. Null: this server has no part of it.
Result<std::shared_ptr<ServedTable>> StoreServerCore::FindOrMake(const TableSpec& spec, bool needs_whole) {
  const std::uint64_t id = TableId(spec.name);
  const auto found = tables_.find(id);
  const auto elsewhere = elsewhere_.find(id);
  if (found != tables_.end() || elsewhere != elsewhere_.end()) {
    const std::shared_ptr<ServedTable> table = found != tables_.end() ? found->second : nullptr;
    const TableSpec& there = table != nullptr ? table->spec() : elsewhere->second;
    const std::string difference = there.DifferenceTo(spec);
    if (difference.empty()) return table;
    return Status::AlreadyExists("table '" + there.name + "' exists, and '" + spec.name +
                                 "' is asked for with another specification: " + difference);
  }
  const Partition partition(spec, options_.num_servers, needs_whole);
  const auto server = static_cast<std::uint64_t>(options_.server);
  if (server < partition.servers().begin() || server >= partition.servers().end()) {
    elsewhere_.emplace(id, spec);
    AnswerWaiting(id);
    return std::shared_ptr<ServedTable>();
  }
  TableSlots::Place place;
  place.range = partition.RangeOf(options_.server);
  place.num_workers = options_.num_workers;
  place.num_lanes = executors_.num_lanes();
  place.budget = &budget_;
  place.epoch = epoch_;
  place.host = host_;
  auto made = ServerTable::Make(spec, place, &executors_, nullptr);
  PS_RETURN_IF_ERROR(made.status());
  std::shared_ptr<ServedTable> table = std::move(made).value();
  TellGone(table.get());
  tables_.emplace(id, table);
  AnswerWaiting(id);
  return table;
}

Status StoreServerCore::Create(const Asker& asker, Request&& request) {
  const Result<TableSpec> spec = DecodeSpec(request.op.text);
  PS_RETURN_IF_ERROR(spec.status());
  if (request.op.table != TableId(spec.value().name))
    return Status::InvalidArgument("table '" + spec.value().name + "' has another id than the one given");
  OpReply& reply = request.reply->part(request.index).reply;
  bool needs_whole = false;
  if (spec.value().kind == TableSpec::kUser) {
    const bool is_known = tables_.count(request.op.table) + elsewhere_.count(request.op.table) != 0;
    if (!is_known) return Park(asker, std::move(request));
  } else {
    const auto updater = MakeUpdater(spec.value().updater, spec.value().updater_options,
                                     {MasterOf(spec.value().dtype), options_.num_workers});
    PS_RETURN_IF_ERROR(updater.status());
    needs_whole = updater.value()->NeedsWhole();
  }
  if (needs_whole) reply.text = kNeedsWhole;
  const auto table = FindOrMake(spec.value(), needs_whole);
  PS_RETURN_IF_ERROR(table.status());
  if (table.value() != nullptr) {
    std::uint64_t& life = LifeOf(request.op.table, asker.worker);
    const bool is_new_life = life != asker.incarnation;
    PS_RETURN_IF_ERROR(table.value()->Join(asker.worker, is_new_life, request.op.round, &reply));
    life = asker.incarnation;
  }
  request.reply->Finish();
  return Status::Ok();
}

Status StoreServerCore::Park(const Asker& asker, Request&& request) {
  return waiting_.Add({asker.worker, asker.incarnation, std::move(request)});
}

// The program's code runs without the lock.
Status StoreServerCore::Register(const std::string& name, const std::string& code,
                                 const MakeUserShard& make) {
  const TableSpec spec = TableSpec::User(name, code, options_.num_servers);
  PS_RETURN_IF_ERROR(spec.Validate());
  const std::uint64_t id = TableId(name);
  std::optional<LoadOrder> from;
  {
    MutexLock lock(mutex_);
    // What was erased begins anew.
    if (erased_.count(id) == 0) from = restored_from_;
  }
  Result<std::shared_ptr<ServerUserTable>> table =
      ServerUserTable::Make({spec, {options_.server, options_.num_servers}, make, &executors_});
  if (table.ok()) table = Restored(table.value(), from);
  MutexLock lock(mutex_);
  if (closed_) return Status::Cancelled("server " + std::to_string(options_.server) + " has closed");
  if (tables_.count(id) + elsewhere_.count(id) != 0)
    return Status::AlreadyExists("server " + std::to_string(options_.server) + " has a table '" + name +
                                 "' already: code " + code + " can not be registered by its name");
  if (!table.ok()) {
    waiting_.Refuse(id, table.status());
    return table.status();
  }
  tables_.emplace(id, table.value());
  erased_.erase(id);
  AnswerWaiting(id);
  return Status::Ok();
}

// The table has come that they wait for, or another one by its name.
void StoreServerCore::AnswerWaiting(std::uint64_t table) {
  for (WaitingCalls::Call& call : waiting_.Take(table)) {
    const std::shared_ptr<Reply> reply = call.request.reply;
    const std::size_t index = call.request.index;
    const Status done = HandleGuarded({call.worker, call.incarnation}, std::move(call.request));
    if (done.ok()) continue;
    reply->Fail(index, done);
    reply->Finish();
  }
}

void StoreServerCore::Forget(const std::string& name) {
  MutexLock lock(mutex_);
  const auto found = tables_.find(TableId(name));
  if (found == tables_.end()) return;
  Retire(found->second, "not registered at all servers");
  tables_.erase(found);
}

void StoreServerCore::Refuse(const std::string& name, const Status& why) {
  MutexLock lock(mutex_);
  waiting_.Refuse(TableId(name), why);
}

std::uint64_t& StoreServerCore::LifeOf(std::uint64_t table, int worker) {
  std::vector<std::uint64_t>& lives = lives_[table];
  lives.resize(static_cast<std::size_t>(options_.num_workers));
  return lives[static_cast<std::size_t>(worker)];
}

// A worker that has opened a table before this server was started again, and restored it: it goes on from its
// own round.
Status StoreServerCore::Admit(const Asker& asker, const Request& request, ServedTable* table) {
  std::uint64_t& life = LifeOf(request.op.table, asker.worker);
  if (life == asker.incarnation) return Status::Ok();
  const bool begins_round =
      request.op.adds() || request.op.code == OpCode::kClose || request.op.code == OpCode::kUpdater;
  std::uint64_t round = request.op.round - (begins_round && request.op.round > 0 ? 1 : 0);
  if (request.op.code == OpCode::kOption) round = request.op.since;
  OpReply unused;
  PS_RETURN_IF_ERROR(table->Join(asker.worker, true, round, &unused));
  life = asker.incarnation;
  return Status::Ok();
}

// Empty where it has no part of the table: others may.
Status StoreServerCore::TellSpec(const Request& request) {
  const auto found = tables_.find(request.op.table);
  if (found != tables_.end())
    request.reply->part(request.index).reply.text = EncodeSpec(found->second->spec());
  request.reply->Finish();
  return Status::Ok();
}

// Its lanes may still be at work for it: it goes with the last of them.
Status StoreServerCore::EraseTable(const Request& request) {
  const auto found = tables_.find(request.op.table);
  const std::shared_ptr<ServedTable> table = found->second;
  tables_.erase(found);
  lives_.erase(request.op.table);
  if (table->spec().kind == TableSpec::kUser) erased_.insert(request.op.table);
  Retire(table, "erased");
  request.reply->Finish();
  return Status::Ok();
}

void StoreServerCore::Retire(std::shared_ptr<ServedTable> table, const std::string& was) {
  table->Close(was);
  executors_.PostToAll([table] {});
}

void StoreServerCore::OnWorkerGone(int worker, bool goes_on, const Status& why) {
  MutexLock lock(mutex_);
  prepared_.ForgetOf(worker);
  waiting_.DropOf(worker, Status::Cancelled("the worker has gone"));
  gone_[worker] = {goes_on, why};
  for (const auto& [id, table] : tables_) table->OnWorkerGone(worker, goes_on, why);
}

void StoreServerCore::TellGone(ServedTable* table) {
  for (const auto& [worker, gone] : gone_) table->OnWorkerGone(worker, gone.goes_on, gone.why);
}

void StoreServerCore::OnWorkerLeft(int worker) {
  OnWorkerGone(worker, true, Status::Ok());
  executors_.Drain();
}

}  // namespace ps
