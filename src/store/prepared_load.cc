#include "store/prepared_load.h"

#include <utility>

namespace ps {
namespace {

Status ReadOne(TableLoader* loader, LoadOptions::What what, const std::string& name, LoadedTable* loaded) {
  const Result<bool> is_of_user = loader->IsOfUser(name);
  PS_RETURN_IF_ERROR(is_of_user.status());
  if (is_of_user.value() && what != LoadOptions::kAll) return Status::Ok();  // it has no states
  if (is_of_user.value()) {
    auto table = loader->LoadUser(name, loaded->user.get());
    PS_RETURN_IF_ERROR(table.status());
    loaded->table = std::move(table).value();
    return Status::Ok();
  }
  if (loaded->user != nullptr)
    return Status::InvalidArgument("table '" + name +
                                   "' of the checkpoint has rows, and that of the job is of code " +
                                   loaded->user->spec().updater);
  const ServerTable* const there = loaded->there.get();
  if (what == LoadOptions::kAll) {
    auto table = loader->Load(name, there == nullptr ? nullptr : &there->spec());
    PS_RETURN_IF_ERROR(table.status());
    loaded->table = std::move(table).value();
    return Status::Ok();
  }
  if (there == nullptr) return loader->CheckHasNoPart(name);
  auto states = loader->LoadStates(there->spec(), loaded->there->slots(),
                                   what == LoadOptions::kStates ? &loaded->had : nullptr);
  PS_RETURN_IF_ERROR(states.status());
  loaded->states = std::move(states).value();
  return Status::Ok();
}

}  // namespace

Status LoadedTable::CheckMayBeTaken(const ServedTable* now) const {
  if (table != nullptr || (now == there.get() && there->rules().rule() == had)) return Status::Ok();
  return Status::FailedPrecondition("table '" + there->spec().name +
                                    "' was erased, or its rule was changed, while states were loaded for it");
}

Result<LoadedTables> ReadTables(TableLoader* loader, const std::vector<std::string>& names,
                                const LoadOrder& order, const LoadedTables& there) {
  LoadedTables read;
  for (const std::string& name : names) {
    if (!order.IsFor(name)) continue;
    const auto found = there.find(name);
    LoadedTable loaded = found == there.end() ? LoadedTable() : found->second;
    PS_RETURN_IF_ERROR(ReadOne(loader, order.what, name, &loaded));
    if (loaded.table != nullptr || loaded.states.ready != nullptr) read.emplace(name, std::move(loaded));
  }
  return read;
}

std::uint64_t PreparedLoad::Begin(int worker) {
  Forget();
  worker_ = worker;
  return load_;
}

Status PreparedLoad::Keep(std::uint64_t load, std::uint64_t step, LoadedTables&& tables) {
  if (load != load_) return Status::Cancelled("whoever loaded the checkpoint has given it up");
  tables_ = std::move(tables);
  step_ = step;
  has_tables_ = true;
  return Status::Ok();
}

LoadedTables* PreparedLoad::Find(std::uint64_t step) {
  return has_tables_ && step_ == step ? &tables_ : nullptr;
}

void PreparedLoad::Forget() {
  ++load_;
  worker_ = -1;
  has_tables_ = false;
  tables_.clear();
}

void PreparedLoad::ForgetOf(int worker) {
  if (worker == worker_) Forget();
}

}  // namespace ps
