// What a KVStore does where its kind does not say otherwise, and the kinds there are.
#include "ps/kvstore.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "device/nccl_group.h"
#include "kvstore/engine_store.h"
#include "kvstore/registered_stores.h"
#include "kvstore/store_type.h"
#include "ps/postoffice.h"

namespace ps {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

[[noreturn]] void NotSupported(const std::string& type, const char* what) {
  ThrowIfError(Status::FailedPrecondition("KVStore type " + type + " does not support " + what));
  throw Error(Status::Internal("unreachable"));
}

}  // namespace

std::unique_ptr<KVStore> KVStore::Create(const std::string& type, const KVStoreOptions& options) {
  const std::string name = Lower(type);
  if (const KVStoreFactory factory = RegisteredStores::Get().Find(name)) return factory(name, options);
  const StoreType parsed = ParseStoreType(name, RegisteredStores::Get().Names()).value();
  // Before anything is pushed.
  if (parsed.is_nccl) ThrowIfError(MakeNcclGroup({DeviceId::Cuda()}).status());
  std::shared_ptr<SharedStore> shared;
  if (parsed.is_distributed)
    shared = SharedStore::Of(options.node != nullptr ? options.node : Postoffice::Get());
  return std::make_unique<EngineStore>(name, parsed, options, std::move(shared));
}

void RegisterKVStore(const std::string& name, KVStoreFactory factory) {
  RegisteredStores::Get().Add(Lower(name), std::move(factory));
}

bool IsDistributedType(const std::string& type) {
  const std::string name = Lower(type);
  if (RegisteredStores::Get().Find(name)) return false;
  return ParseStoreType(name, RegisteredStores::Get().Names()).value().is_distributed;
}

bool KVStore::is_capable(const std::string& capability) const {
  if (capability != "optimizer") ThrowIfError(Status::InvalidArgument("Unknown capability: " + capability));
  return false;
}

// --- what a registered kind need not have ---

void KVStore::Init(const KVKeys&, const std::vector<Tensor>&) { NotSupported(type_, "Init"); }

Ticket KVStore::Push(const KVKeys&, const std::vector<Tensor>&, const KVPushOptions&) {
  NotSupported(type_, "Push");
}

Ticket KVStore::Pull(const KVKeys&, const std::vector<Tensor>&, int, bool) { NotSupported(type_, "Pull"); }

Ticket KVStore::PushPull(const KVKeys&, const std::vector<Tensor>&, const KVKeys&, const std::vector<Tensor>&,
                         const KVPushOptions&) {
  NotSupported(type_, "PushPull");
}

void KVStore::Broadcast(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                        const std::vector<Tensor>& outs, int priority) {
  Init(keys, values);
  Pull(out_keys, outs, priority).Wait();
}

Ticket KVStore::RowSparsePull(const KVKeys&, const std::vector<Tensor*>&, const std::vector<Tensor>&, int) {
  NotSupported(type_, "RowSparsePull");
}

Ticket KVStore::Set(const KVKeys&, const std::vector<Tensor>&) { NotSupported(type_, "Set"); }
void KVStore::Erase(const KVKeys&) { NotSupported(type_, "Erase"); }
bool KVStore::Has(const KVKey&) const { NotSupported(type_, "Has"); }
KVKeyInfo KVStore::KeyInfo(const KVKey&) const { NotSupported(type_, "KeyInfo"); }
void KVStore::SetOptimizer(const std::string&) { NotSupported(type_, "SetOptimizer"); }

void KVStore::SetHyper(const KVParams&, std::uint64_t, const std::vector<KVKey>&) {
  NotSupported(type_, "SetHyper");
}

void KVStore::SetUpdater(Updater) { NotSupported(type_, "SetUpdater"); }
void KVStore::SaveOptimizerStates(const std::string&) { NotSupported(type_, "SaveOptimizerStates"); }
void KVStore::LoadOptimizerStates(const std::string&, bool) { NotSupported(type_, "LoadOptimizerStates"); }
void KVStore::Checkpoint(const std::string&) { NotSupported(type_, "Checkpoint"); }
void KVStore::Restore(const std::string&) { NotSupported(type_, "Restore"); }

void KVStore::SetGradientCompression(const KVParams&) { NotSupported(type_, "SetGradientCompression"); }

// Of one process.
void KVStore::Barrier(std::int64_t) {}
void KVStore::SetBarrierBeforeExit(bool) {}
int KVStore::NumDeadNode(int, int) const { return 0; }
void KVStore::SendCommandToServers(int, const std::string&) {}
void KVStore::Leave() {}

}  // namespace ps
