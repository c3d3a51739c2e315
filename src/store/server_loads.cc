// What a server does with checkpoints that it is told to load.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "store/checkpoint/files.h"
#include "store/checkpoint/reader.h"
#include "store/spec_bytes.h"
#include "store/store_server_core.h"

namespace ps {

// First every server gets ready; when all could, they change over (Op::kCommit).
Status StoreServerCore::BeginLoad(const Request& request) {
  if ((request.op.flags & Op::kAsk) != 0) {
    request.reply->part(request.index).reply.round = loaded_step_;
    request.reply->Finish();
    return Status::Ok();
  }
  if ((request.op.flags & Op::kCommit) != 0) {
    PS_RETURN_IF_ERROR(CommitLoad(request.op.round));
    request.reply->Finish();
    return Status::Ok();
  }
  if ((request.op.flags & Op::kForget) != 0) {
    prepared_.ForgetOf(request.worker);
    loaded_step_ = 0;
    request.reply->Finish();
    return Status::Ok();
  }
  const Result<LoadOrder> order = LoadOrder::Of(request.op);
  PS_RETURN_IF_ERROR(order.status());
  if (num_loads_ > 0) return Status::FailedPrecondition("the server is loading a checkpoint already");
  ++num_loads_;
  const auto load = [this, order = order.value(), number = prepared_.Begin(request.worker),
                     reply = request.reply, index = request.index] {
    const Status loaded = Guarded([&] { return PrepareLoad(order, number); });
    if (!loaded.ok()) reply->Fail(index, loaded);
    {
      MutexLock lock(mutex_);
      --num_loads_;
    }
    reply->Finish();
  };
  StartJob("ps-load", load, nullptr);
  return Status::Ok();
}

Status StoreServerCore::Load(const std::string& uri, std::uint64_t step) {
  std::uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    number = prepared_.Begin(-1);
  }
  const LoadOrder order{uri, step, "", LoadOptions::kAll, true};
  PS_RETURN_IF_ERROR(PrepareLoad(order, number));
  MutexLock lock(mutex_);
  PS_RETURN_IF_ERROR(CommitLoad(step));
  restored_from_ = order;
  return Status::Ok();
}

void StoreServerCore::ForgetLoadOf(int worker) {
  MutexLock lock(mutex_);
  prepared_.ForgetOf(worker);
}

LoadedTables StoreServerCore::TablesThere() {
  LoadedTables all;
  for (const auto& [id, table] : tables_) {
    LoadedTable loaded;
    loaded.user = std::dynamic_pointer_cast<ServerUserTable>(table);
    loaded.there = std::dynamic_pointer_cast<ServerTable>(table);
    if (loaded.there != nullptr) loaded.had = loaded.there->rules().rule();
    all.emplace(table->spec().name, std::move(loaded));
  }
  return all;
}

Status StoreServerCore::PrepareLoad(const LoadOrder& order, std::uint64_t load) {
  const auto files = OpenCheckpointFiles(order.uri);
  PS_RETURN_IF_ERROR(files.status());
  const auto reader = CheckpointReader::Open(files.value().get(), order.step);
  PS_RETURN_IF_ERROR(reader.status());
  LoadedTables there;
  TableLoader::Options options{options_.server, options_.num_servers, options_.num_workers, 0,
                               &budget_,        &executors_,          order.may_lack_code,  host_};
  {
    MutexLock lock(mutex_);
    there = TablesThere();
    options.epoch = ++epoch_;
  }
  TableLoader loader(reader.value().get(), options);
  Result<LoadedTables> read = ReadTables(&loader, reader.value()->Tables(), order, there);
  PS_RETURN_IF_ERROR(read.status());
  MutexLock lock(mutex_);
  return prepared_.Keep(load, order.step, std::move(read).value());
}

Status StoreServerCore::CommitLoad(std::uint64_t step) {
  if (closed_) return Status::Cancelled("the server has closed");
  LoadedTables* const prepared = prepared_.Find(step);
  if (prepared == nullptr)
    return Status::FailedPrecondition("server " + std::to_string(options_.server) +
                                      " has not read checkpoint " + std::to_string(step) +
                                      ": was it started again meanwhile?");
  for (const auto& [name, loaded] : *prepared) {
    const auto found = tables_.find(TableId(name));
    PS_RETURN_IF_ERROR(loaded.CheckMayBeTaken(found == tables_.end() ? nullptr : found->second.get()));
  }
  for (auto& [name, loaded] : *prepared) {
    if (loaded.table == nullptr) {
      loaded.there->rules().TakeStates(loaded.states.rule, loaded.states.ready, loaded.states.num_updates);
      continue;
    }
    std::shared_ptr<ServedTable>& here = tables_[TableId(name)];
    if (here != nullptr) Retire(std::move(here), "restored");
    here = std::move(loaded.table);
    TellGone(here.get());
    lives_.erase(TableId(name));
    AnswerWaiting(TableId(name));
  }
  prepared_.Forget();
  elsewhere_.clear();  // they may be others now
  loaded_step_ = step;
  return Status::Ok();
}

// What it had saved before it was started again, where that was restored.
Result<std::shared_ptr<ServerUserTable>> StoreServerCore::Restored(
    const std::shared_ptr<ServerUserTable>& table, const std::optional<LoadOrder>& from) {
  if (!from) return table;
  const auto files = OpenCheckpointFiles(from->uri);
  PS_RETURN_IF_ERROR(files.status());
  const auto reader = CheckpointReader::Open(files.value().get(), from->step);
  PS_RETURN_IF_ERROR(reader.status());
  const std::vector<std::string> names = reader.value()->Tables();
  if (std::find(names.begin(), names.end(), table->spec().name) == names.end()) return table;
  TableLoader::Options options;
  options.server = options_.server;
  options.num_servers = options_.num_servers;
  return TableLoader(reader.value().get(), options).LoadUser(table->spec().name, table.get());
}

}  // namespace ps
