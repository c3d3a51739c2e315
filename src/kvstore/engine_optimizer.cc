// The optimizer of EngineStore, its states, and compression.
#include <string>
#include <utility>

#include "kvstore/engine_store.h"

namespace ps {
namespace {

std::string TextOf(const KVParams& params) {
  std::string text;
  for (const auto& [name, value] : params) text += name + "=" + value + " ";
  return text;
}

// Options are one text on their way.
Status CheckHyper(const KVParams& params) {
  for (const auto& [name, value] : params) {
    if (name.empty() || value.empty() || (name + value).find_first_of(" \t\r\n=") != std::string::npos)
      return Status::InvalidArgument("SetHyper: '" + name + "' = '" + value +
                                     "': both have a text without blanks and '='");
  }
  return Status::Ok();
}

// A rule that this process knows is made once, so that what is wrong with it is said before anything is sent.
// Servers may know further ones.
Status CheckOptimizer(const Optimizer& optimizer, DType dtype, int num_workers) {
  UpdaterTarget target;
  target.dtype = MasterOf(dtype);
  target.num_workers = num_workers;
  return MakeUpdater(optimizer.choice.name, optimizer.choice.options, target).status();
}

}  // namespace

void EngineStore::SetOptimizer(const std::string& spec) {
  const Optimizer optimizer = ParseOptimizer(spec).value();
  const Status known = CheckOptimizer(optimizer, DType::kF32, num_workers());
  if (!known.ok() && (known.code() != StatusCode::kNotFound || entries_.empty() || is_local()))
    ThrowIfError(known);
  UpdaterTarget target;
  target.num_workers = num_workers();
  const bool needs_whole =
      known.ok() &&
      MakeUpdater(optimizer.choice.name, optimizer.choice.options, target).value()->NeedsWhole();
  if (known.ok()) CheckFits(optimizer, needs_whole);
  std::vector<Ticket> tickets;
  for (auto& [key, entry] : entries_) tickets.push_back(entry.table->SetOptimizer(optimizer));
  AllOf(tickets).Wait();
  if (!optimizer_ || !(*optimizer_ == optimizer)) hyper_.clear();
  optimizer_ = optimizer;
  updater_ = nullptr;
  // Keys that come later are laid out for it.
  plan_.optimizer = optimizer.choice;
  plan_.keeps_whole = needs_whole;
}

// Before the first key has it. To one that needs a whole key every slice would be one: no table of a slice
// knows of the others.
void EngineStore::CheckFits(const Optimizer& optimizer, bool needs_whole) const {
  for (const auto& [key, entry] : entries_) {
    const std::string of_key = "key " + key.ToString() + ": ";
    const Status fits = CheckOptimizer(optimizer, entry.layout().dtype, num_workers());
    if (!fits.ok()) ThrowIfError(Status(fits.code(), of_key + fits.message()));
    const std::size_t slices = entry.layout().tables.size();
    if (!needs_whole || slices == 1) continue;
    ThrowIfError(Status::FailedPrecondition(
        of_key + optimizer.choice.name + " looks at a key as a whole, and this one was made in " +
        std::to_string(slices) +
        " slices: call SetOptimizer before Init, or set PS_SLICE_BYTES=0 (KVStoreOptions::slice_bytes)"));
  }
}

void EngineStore::SetHyper(const KVParams& params, std::uint64_t from_round, const std::vector<KVKey>& keys) {
  ThrowIfError(CheckHyper(params));
  const std::string text = TextOf(params);
  if (text.empty()) return;
  std::vector<Ticket> tickets;
  if (keys.empty()) {
    for (auto& [key, entry] : entries_) tickets.push_back(entry.table->SetHyper(text, from_round));
  }
  for (const KVKey& key : keys) tickets.push_back(Find(key).table->SetHyper(text, from_round));
  AllOf(tickets).Wait();
  if (!keys.empty()) return;
  for (const auto& [name, value] : params) hyper_[name] = value;
}

void EngineStore::SetUpdater(Updater updater) {
  if (!updater) ThrowIfError(Status::InvalidArgument("invalid updater: it is empty"));
  if (!is_local())
    ThrowIfError(
        Status::FailedPrecondition("type " + Type() +
                                   " updates on its servers: give SetOptimizer a rule that they know "
                                   "(RegisterUpdater)"));
  updater_ = std::move(updater);
}

// --- states and checkpoints ---

void EngineStore::CheckHasOptimizer(const char* what) const {
  if (optimizer_) return;
  ThrowIfError(Status::FailedPrecondition(std::string("Cannot ") + what +
                                          " states for distributed training: " + Type() +
                                          " has no optimizer; call SetOptimizer first"));
}

void EngineStore::SaveOptimizerStates(const std::string& uri) {
  CheckHasOptimizer("save");
  Checkpoint(uri);
}

void EngineStore::LoadOptimizerStates(const std::string& uri, bool load_optimizer) {
  CheckHasOptimizer("load");
  LoadOptions options;
  options.prefix = space_.Prefix();
  options.what = load_optimizer ? LoadOptions::kStatesAndRule : LoadOptions::kStates;
  static_cast<void>(store_->Load(uri, options));
}

void EngineStore::Checkpoint(const std::string& uri) {
  SaveOptions options;
  options.prefix = space_.Prefix();
  static_cast<void>(store_->Save(uri, options));
}

void EngineStore::Restore(const std::string& uri) {
  LoadOptions options;
  options.prefix = space_.Prefix();
  static_cast<void>(store_->Load(uri, options));
}

// --- compression ---

void EngineStore::SetGradientCompression(const KVParams& params) {
  if (type_.is_nccl)
    ThrowIfError(Status::InvalidArgument("NCCL kvstore does not support gradient compression"));
  if (is_local() && !type_.on_device)
    ThrowIfError(
        Status::InvalidArgument("Gradient compression is not supported for this type of kvstore: " + Type()));
  const Compression compression = ParseCompression(params).value();
  if (is_local() && !compression.is_none() && compression.push.name != "2bit" &&
      compression.push.name != "1bit")
    ThrowIfError(Status::InvalidArgument("gradient compression: type " + Type() + " has 2bit and 1bit, not " +
                                         compression.push.name));
  if (!entries_.empty())
    ThrowIfError(Status::FailedPrecondition("set compression before init of key " +
                                            entries_.begin()->first.ToString()));
  plan_.compression = compression;
  MakeReducer();
}

}  // namespace ps
