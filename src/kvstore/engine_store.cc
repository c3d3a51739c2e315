#include "kvstore/engine_store.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "app/node_text.h"
#include "base/log.h"
#include "kvstore/mxnet_settings.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

constexpr std::int64_t kBigarrayBound = 1000000;

std::int64_t SliceBytes(const KVStoreOptions& options, const StoreType& type, SharedStore* shared) {
  if (!type.is_distributed) return 0;
  if (options.slice_bytes >= 0) return options.slice_bytes;
  const std::optional<std::int64_t> elements = MxnetSettings::Get().slice_elements;
  return elements ? *elements * static_cast<std::int64_t>(sizeof(float))
                  : shared->node().config().slice_bytes;
}

std::string ModeOf(const Consistency& consistency) {
  if (consistency.mode == Consistency::kBsp) return "bsp";
  return consistency.mode == Consistency::kAsp ? "asp" : "ssp:" + std::to_string(consistency.bound);
}

Status NotThere(const KVKey& key) {
  return Status::NotFound(key.is_text() ? "key " + key.text() + " doesn't exist. Did you init?"
                                        : "key " + key.ToString() + " has not been inited");
}

Status InvalidKey(const KVKey& key, const std::string& what) {
  return Status::InvalidArgument("key " + key.ToString() + ": " + what);
}

}  // namespace

EngineStore::EngineStore(const std::string& name, const StoreType& type, const KVStoreOptions& options,
                         std::shared_ptr<SharedStore> shared)
    : KVStore(name), type_(type), options_(options), shared_(std::move(shared)), space_(options.name) {
  ThrowIfError(space_.Validate());
  if (is_local()) local_ = std::move(Store::Local().front());
  store_ = is_local() ? local_.get() : &shared_->store();
  plan_.type = type;
  plan_.mean = options.mean && type.is_synchronous();
  if (options.mean && !type.is_synchronous())
    ThrowIfError(Status::InvalidArgument("KVStoreOptions::mean: type " + name +
                                         " has no rounds of all workers to take the mean of"));
  plan_.bigarray_bound = options.bigarray_bound > 0
                             ? options.bigarray_bound
                             : MxnetSettings::Get().bigarray_bound.value_or(kBigarrayBound);
  plan_.slice_bytes = SliceBytes(options, type, shared_.get());
  MakeReducer();
}

void EngineStore::MakeReducer() {
  Reducer::Options options;
  options.on_device = type_.on_device;
  options.num_threads = MxnetSettings::Get().num_threads.value_or(options.num_threads);
  options.uses_nccl = type_.is_nccl;
  options.compresses = compresses_here();
  options.is_two_bit = plan_.compression.push.name == "2bit";
  options.threshold = static_cast<float>(plan_.compression.push.parameter);
  reducer_ = std::make_shared<Reducer>(options);
}

EngineStore::~EngineStore() {
  try {
    store_->Flush();
  } catch (const Error& error) {
    PS_LOG(kError, is_local() ? std::string() : LogName(&shared_->node()),
           "KVStore '" << options_.name << "' goes, and not all that was pushed has come: " << error.what());
  }
  if (is_local()) return;
  for (auto& [key, entry] : entries_) {
    const std::shared_ptr<KeyTable> table = std::move(entry.table);
    shared_->LeaveAtEnd(space_.TableOf(key), [table] { return table->Leave(); });
  }
}

// Without those that were given up, where the job goes on without them.
int EngineStore::num_workers() const { return is_local() ? 1 : shared_->node().num_workers(); }

bool EngineStore::is_capable(const std::string& capability) const {
  if (capability != "optimizer") return KVStore::is_capable(capability);
  return true;
}

// --- keys ---

std::vector<KeyGroup> EngineStore::GroupOf(const KVKeys& keys, std::size_t count, const char* what) {
  return space_.Group(keys, count, what).value();
}

const EngineStore::Entry& EngineStore::Find(const KVKey& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) ThrowIfError(NotThere(key));
  return found->second;
}

EngineStore::Entry& EngineStore::Find(const KVKey& key) {
  return const_cast<Entry&>(static_cast<const EngineStore*>(this)->Find(key));
}

void EngineStore::Init(const KVKeys& keys, const std::vector<Tensor>& values) {
  const std::vector<KeyGroup> groups = GroupOf(keys, values.size(), "values");
  for (const KeyGroup& group : groups) {
    if (entries_.count(group.key) == 0 && group.places.size() == 1) continue;
    ThrowIfError(Status::AlreadyExists(
        "duplicate init of key " + group.key.ToString() +
        (group.key.is_text()
             ? ""
             : ". Please double check if you called kv.init or kv.broadcast with this key multiple "
               "times")));
  }
  if (groups.empty()) return;
  const bool meets = !is_local() && !shared_->node().is_recovery();
  const Status before = meets ? Flushed() : Status::Ok();
  Status outcome;
  try {
    MakeKeys(groups, values);
  } catch (const Error& error) {
    outcome = error.status();
  }
  if (meets) outcome = OfAllWorkers(outcome);
  if (!outcome.ok()) {
    for (const KeyGroup& group : groups) entries_.erase(group.key);  // it may be tried again
  }
  ThrowIfError(outcome);
  ThrowIfError(before);
}

// How earlier pushes have ended: to be told when the other workers have been met, who would wait else.
Status EngineStore::Flushed() {
  try {
    store_->Flush();
    return Status::Ok();
  } catch (const Error& error) {
    return error.status();
  }
}

// Meets the others. Who has failed makes a table that everybody looks for: with a key that not all have, the
// first round would never end.
Status EngineStore::OfAllWorkers(const Status& mine) {
  TableSpec mark;
  mark.name = space_.Prefix() + "failed";
  mark.rows = 1;
  mark.width = rank() + 1;
  try {
    if (!mine.ok()) MakeMark(mark);
    Barrier(-1);
    const Result<TableSpec> found = store_->Find(mark.name);
    if (found.status().code() == StatusCode::kNotFound) return mine;
    PS_RETURN_IF_ERROR(mine.ok() ? found.status() : Status::Ok());
    Barrier(-1);  // all have seen it
    if (rank() == 0) store_->EraseTable(mark.name).Wait();
    Barrier(-1);  // and nobody sees it who tries again
    if (!mine.ok()) return mine;
    return Status::FailedPrecondition(
        "worker " + std::to_string(found.value().width - 1) +
        " could not make the keys, and so they are nobody's: its error says why");
  } catch (const Error& error) {
    return mine.ok() ? error.status() : mine;
  }
}

void EngineStore::MakeMark(const TableSpec& mark) {
  try {
    store_->Create(mark);
  } catch (const Error& error) {
    // Another one has failed, too.
    if (error.status().code() != StatusCode::kAlreadyExists) throw;
  }
}

void EngineStore::MakeKeys(const std::vector<KeyGroup>& groups, const std::vector<Tensor>& values) {
  std::vector<KeyLayout> layouts;
  for (const KeyGroup& group : groups)
    layouts.push_back(PlanKey(space_, group.key, values[group.places.front()], plan_).value());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Entry entry;
    entry.key = groups[i].key;
    entry.id = next_id_++;
    entry.table = std::make_unique<KeyTable>(store_, layouts[i]);
    entries_.emplace(groups[i].key, std::move(entry));
  }
  if (rank() == 0 && (is_local() || !shared_->node().is_recovery())) SetValues(groups, values);
  for (const KeyGroup& group : groups) TeachOptimizer(&Find(group.key));
}

void EngineStore::SetValues(const std::vector<KeyGroup>& groups, const std::vector<Tensor>& values) {
  std::vector<Ticket> tickets;
  for (const KeyGroup& group : groups) {
    const Entry& entry = Find(group.key);
    const Parcel parcel = PackOne(values[group.places.front()], false);
    tickets.push_back(entry.table->Set(parcel.rows(), parcel.values()));
  }
  AllOf(tickets).Wait();
}

// A key that comes after the optimizer.
void EngineStore::TeachOptimizer(Entry* entry) {
  if (!optimizer_) return;
  entry->table->SetOptimizer(*optimizer_).Wait();
  std::string text;
  for (const auto& [name, value] : hyper_) text += name + "=" + value + " ";
  if (!text.empty()) entry->table->SetHyper(text, 0).Wait();
}

Ticket EngineStore::Set(const KVKeys& keys, const std::vector<Tensor>& values) {
  std::vector<Ticket> tickets;
  const std::vector<KeyGroup> groups = GroupOf(keys, values.size(), "values");
  for (const KeyGroup& group : groups) {
    if (group.places.size() != 1) ThrowIfError(InvalidKey(group.key, "it is set twice in one call"));
    CheckValues(Find(group.key), {values[group.places.front()]});
  }
  for (const KeyGroup& group : groups) {
    const Entry& entry = Find(group.key);
    const Parcel parcel = PackOne(values[group.places.front()], false);
    tickets.push_back(entry.table->Set(parcel.rows(), parcel.values()));
  }
  return AllOf(tickets);
}

void EngineStore::Erase(const KVKeys& keys) {
  const std::vector<KeyGroup> groups = GroupOf(keys, keys.size(), "values");
  for (const KeyGroup& group : groups) static_cast<void>(Find(group.key));
  const Status before = Flushed();
  Barrier(-1);
  std::vector<Ticket> tickets;
  for (const KeyGroup& group : groups) {
    Entry& entry = Find(group.key);
    if (rank() == 0) tickets.push_back(entry.table->Erase());
    reducer_->Forget(entry.id);
    entries_.erase(group.key);
  }
  const Status erased = AllOf(tickets).WaitFor(std::chrono::hours(24));
  Barrier(-1);
  ThrowIfError(erased);
  ThrowIfError(before);
}

bool EngineStore::Has(const KVKey& key) const {
  if (entries_.count(key) != 0) return true;
  const Status found = store_->Find(space_.TableOf(key)).status();
  if (found.code() == StatusCode::kNotFound) return false;
  ThrowIfError(found);
  return true;
}

KVKeyInfo EngineStore::KeyInfo(const KVKey& key) const {
  const Entry& entry = Find(key);
  KVKeyInfo info;
  info.shape = entry.layout().shape;
  info.dtype = entry.layout().dtype;
  info.is_row_sparse = entry.layout().is_row_sparse;
  info.mode = ModeOf(type_.consistency);
  info.servers = entry.table->Servers(store_->num_servers());
  return info;
}

// --- the other workers, and the servers ---

void EngineStore::Barrier(std::int64_t timeout_ms) { store_->Barrier(timeout_ms); }

void EngineStore::SetBarrierBeforeExit(bool barrier_before_exit) {
  if (!is_local()) shared_->set_barrier_before_exit(barrier_before_exit);
}

int EngineStore::NumDeadNode(int node_id, int timeout_s) const {
  if (is_local()) return 0;
  const std::vector<int>& asked = shared_->node().GetNodeIDs(node_id);
  const std::vector<int> dead = shared_->node().GetDeadNodes(timeout_s);
  return static_cast<int>(std::count_if(asked.begin(), asked.end(), [&dead](int id) {
    return std::find(dead.begin(), dead.end(), id) != dead.end();
  }));
}

void EngineStore::SendCommandToServers(int head, const std::string& body) {
  if (is_local()) return;
  SimpleApp& commands = shared_->commands();
  commands.Wait(commands.Request(head, body, kServerGroup));
}

void EngineStore::Leave() {
  std::vector<Ticket> tickets;
  for (auto& [key, entry] : entries_) tickets.push_back(entry.table->Leave());
  AllOf(tickets).Wait();
}

}  // namespace ps
