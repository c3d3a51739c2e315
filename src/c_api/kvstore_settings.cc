#include "ps/c/kvstore_settings.h"

#include <string>
#include <utility>
#include <vector>

#include "c_api/error.h"
#include "c_api/kvstore.h"
#include "c_api/structs.h"
#include "c_api/tensor.h"
#include "c_api/thread_own.h"

namespace ps::c_api {
namespace {

KVKey KeyOf(std::int64_t key) { return KVKey(key); }

KVKey KeyOf(const char* key) {
  CheckGiven(key, "key");
  return KVKey(key);
}

template <typename Key>
void Has(PSKVStore store, Key key, int* has) {
  CheckGiven(has, "has");
  *has = ObjectOf(store)->store->Has(KeyOf(key)) ? 1 : 0;
}

template <typename Key>
void KeyInfo(PSKVStore store, Key key, PSKVKeyInfo* info) {
  CheckGiven(info, "info");
  // What is lent lies here until this thread asks again.
  struct OfKeyInfo;
  KVKeyInfo* const here = ThreadOwn<KVKeyInfo, OfKeyInfo>();
  if (here == nullptr)
    throw Error(Status::FailedPrecondition("this thread is about to end: it has no place for a key's info"));
  const KVKeyInfo& known = *here = ObjectOf(store)->store->KeyInfo(KeyOf(key));
  PSKVKeyInfo lent{};
  lent.ndim = static_cast<int>(known.shape.size());
  lent.shape = known.shape.data();
  lent.dtype = static_cast<int>(known.dtype);
  lent.row_sparse = known.is_row_sparse ? 1 : 0;
  lent.mode = known.mode.c_str();
  lent.num_servers = static_cast<int>(known.servers.size());
  lent.servers = known.servers.data();
  WriteStruct(lent, info, "PSKVKeyInfo");
}

template <typename Key>
std::vector<KVKey> ListOf(std::uint32_t num, const Key* keys) {
  const KVKeys read = KeysOf(num, keys);
  std::vector<KVKey> list;
  for (std::size_t i = 0; i < read.size(); ++i) list.push_back(read[i]);
  return list;
}

// The program's rule: its handles are of the tensors themselves.
class CUpdater {
 public:
  CUpdater(PSKVStoreUpdater of_numbers, PSKVStoreStrUpdater of_texts, void* context)
      : of_numbers_(of_numbers), of_texts_(of_texts), context_(context) {}

  void operator()(const KVKey& key, const Tensor& received, Tensor* stored) const {
    if (key.is_text() ? of_texts_ == nullptr : of_numbers_ == nullptr)
      throw Error(Status::FailedPrecondition("key " + key.ToString() + ": the updater is for " +
                                             (key.is_text() ? "numbers" : "texts") +
                                             " as keys: PSKVStoreSetUpdaterEx takes one for either"));
    const PSTensor from = NewTensor(received);
    PSTensor to = nullptr;
    try {
      to = NewTensor(*stored);
    } catch (...) {
      FreeHandle(from);
      throw;
    }
    ThrowIfError(OutcomeOf([&] {
      return key.is_text() ? of_texts_(key.text().c_str(), from, to, context_)
                           : of_numbers_(key.number(), from, to, context_);
    }));
  }

 private:
  const PSKVStoreUpdater of_numbers_;
  const PSKVStoreStrUpdater of_texts_;
  void* const context_;
};

}  // namespace
}  // namespace ps::c_api

using ps::c_api::Call;
using ps::c_api::CheckGiven;
using ps::c_api::ObjectOf;

extern "C" {

int PSKVStoreHas(PSKVStore store, int64_t key, int* has) {
  return Call([&] { ps::c_api::Has(store, key, has); });
}

int PSKVStoreHasStr(PSKVStore store, const char* key, int* has) {
  return Call([&] { ps::c_api::Has(store, key, has); });
}

int PSKVStoreKeyInfo(PSKVStore store, int64_t key, PSKVKeyInfo* info) {
  return Call([&] { ps::c_api::KeyInfo(store, key, info); });
}

int PSKVStoreKeyInfoStr(PSKVStore store, const char* key, PSKVKeyInfo* info) {
  return Call([&] { ps::c_api::KeyInfo(store, key, info); });
}

int PSKVStoreSetOptimizer(PSKVStore store, const char* spec) {
  return Call([&] {
    CheckGiven(spec, "spec");
    ObjectOf(store)->store->SetOptimizer(spec);
  });
}

int PSKVStoreSetHyper(PSKVStore store, uint32_t num, const char* const* names, const char* const* values,
                      uint64_t from_round, uint32_t num_keys, const int64_t* keys) {
  return Call([&] {
    ObjectOf(store)->store->SetHyper(ps::c_api::ParamsOf(num, names, values), from_round,
                                     ps::c_api::ListOf(num_keys, keys));
  });
}

int PSKVStoreSetHyperStr(PSKVStore store, uint32_t num, const char* const* names, const char* const* values,
                         uint64_t from_round, uint32_t num_keys, const char* const* keys) {
  return Call([&] {
    ObjectOf(store)->store->SetHyper(ps::c_api::ParamsOf(num, names, values), from_round,
                                     ps::c_api::ListOf(num_keys, keys));
  });
}

int PSKVStoreSetUpdater(PSKVStore store, PSKVStoreUpdater updater, void* context) {
  return PSKVStoreSetUpdaterEx(store, updater, nullptr, context);
}

int PSKVStoreSetUpdaterEx(PSKVStore store, PSKVStoreUpdater updater, PSKVStoreStrUpdater str_updater,
                          void* context) {
  return Call([&] {
    const auto open = ObjectOf(store);
    if (updater == nullptr && str_updater == nullptr)
      throw ps::Error(ps::Status::InvalidArgument("invalid updater: it is null"));
    open->store->SetUpdater(ps::c_api::CUpdater(updater, str_updater, context));
  });
}

int PSKVStoreSetCompression(PSKVStore store, uint32_t num, const char* const* names,
                            const char* const* values) {
  return Call(
      [&] { ObjectOf(store)->store->SetGradientCompression(ps::c_api::ParamsOf(num, names, values)); });
}

int PSKVStoreSaveOptimizerStates(PSKVStore store, const char* uri) {
  return Call([&] {
    CheckGiven(uri, "uri");
    ObjectOf(store)->store->SaveOptimizerStates(uri);
  });
}

int PSKVStoreLoadOptimizerStates(PSKVStore store, const char* uri, int load_optimizer) {
  return Call([&] {
    CheckGiven(uri, "uri");
    ObjectOf(store)->store->LoadOptimizerStates(uri, load_optimizer != 0);
  });
}

int PSKVStoreCheckpoint(PSKVStore store, const char* uri) {
  return Call([&] {
    CheckGiven(uri, "uri");
    ObjectOf(store)->store->Checkpoint(uri);
  });
}

int PSKVStoreRestore(PSKVStore store, const char* uri) {
  return Call([&] {
    CheckGiven(uri, "uri");
    ObjectOf(store)->store->Restore(uri);
  });
}

int PSKVStoreBarrier(PSKVStore store, int64_t timeout_ms, int flags) {
  return Call([&] {
    if (flags != 0) throw ps::Error(ps::Status::InvalidArgument("flags: there are none yet, so they are 0"));
    ObjectOf(store)->store->Barrier(ps::c_api::CheckBarrierTimeout(timeout_ms));
  });
}

int PSKVStoreSetBarrierBeforeExit(PSKVStore store, int barrier_before_exit) {
  return Call([&] { ObjectOf(store)->store->SetBarrierBeforeExit(barrier_before_exit != 0); });
}

int PSKVStoreGetNumDeadNode(PSKVStore store, int node_id, int timeout_s, int* number) {
  return Call([&] {
    CheckGiven(number, "number");
    *number = ObjectOf(store)->store->NumDeadNode(node_id, timeout_s);
  });
}

int PSKVStoreSendCommand(PSKVStore store, int head, const char* body) {
  return Call([&] {
    CheckGiven(body, "body");
    ObjectOf(store)->store->SendCommandToServers(head, body);
  });
}

int PSKVStoreLeave(PSKVStore store) {
  return Call([&] { ObjectOf(store)->store->Leave(); });
}

}  // extern "C"
