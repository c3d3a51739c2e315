#include "c_api/kvstore.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "c_api/error.h"
#include "c_api/node.h"
#include "c_api/request.h"
#include "c_api/structs.h"
#include "c_api/tensor.h"

namespace ps::c_api {
namespace {

using std::chrono::milliseconds;

void CheckLeast(std::int64_t value, std::int64_t least, const char* name) {
  if (value < least)
    throw Error(Status::InvalidArgument("PSKVStoreOptions: " + std::string(name) + " is " +
                                        std::to_string(value) + "; it is at least " + std::to_string(least)));
}

std::shared_ptr<OpenKVStore> Open(const char* type, const PSKVStoreOptions* given) {
  CheckGiven(type, "type");
  const PSKVStoreOptions options = ReadStruct(given, "PSKVStoreOptions");
  CheckLeast(options.bigarray_bound, 0, "bigarray_bound");
  CheckLeast(options.slice_bytes, -1, "slice_bytes");
  CheckLeast(options.timeout_ms, 0, "timeout_ms");
  KVStoreOptions wanted;
  if (options.name != nullptr) wanted.name = options.name;
  wanted.mean = options.mean != 0;
  wanted.bigarray_bound = options.bigarray_bound;
  // The two mean the same by 0 and -1 the other way round: here 0 is always the default.
  if (options.slice_bytes != 0) wanted.slice_bytes = std::max<std::int64_t>(options.slice_bytes, 0);
  auto open = std::make_shared<OpenKVStore>();
  open->timeout = milliseconds(CheckTimeout(options.timeout_ms));
  if (options.node != nullptr || IsDistributedType(type)) open->node = NodeOf(options.node);
  wanted.node = open->node.get();
  open->store = KVStore::Create(type, wanted);
  return open;
}

std::string TextOf(const KVKeys& keys) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(keys.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + keys[i].ToString();
  return keys.size() > kNamed ? text + " and " + std::to_string(keys.size() - kNamed) + " more" : text;
}

// Waits, in the store's time where it has one, or hands out a request.
void End(const OpenKVStore& open, const Ticket& ticket, const char* what, const KVKeys& keys,
         PSRequest* request) {
  if (request != nullptr || open.timeout.count() == 0) return Finish(ticket, request, open.node);
  const Status outcome = ticket.WaitFor(open.timeout);
  if (outcome.code() != StatusCode::kDeadlineExceeded || ticket.Done()) return ThrowIfError(outcome);
  throw Error(
      Status::DeadlineExceeded(std::string(what) + " of key " + TextOf(keys) + ": not done in " +
                               std::to_string(open.timeout.count()) +
                               " ms (PSKVStoreOptions, timeout_ms); it goes on: " + outcome.message()));
}

template <typename Key>
void Init(PSKVStore store, std::uint32_t num, const Key* keys, const PSTensor* values) {
  ObjectOf(store)->store->Init(KeysOf(num, keys), TensorsOf(num, values, "values"));
}

template <typename Key>
void Push(PSKVStore store, std::uint32_t num, const Key* keys, const PSTensor* values, int priority,
          PSRequest* request) {
  const auto open = ObjectOf(store);
  const KVKeys pushed = KeysOf(num, keys);
  KVPushOptions options;
  options.priority = priority;
  End(*open, open->store->Push(pushed, TensorsOf(num, values, "values"), options), "push", pushed, request);
}

template <typename Key>
void Pull(PSKVStore store, std::uint32_t num, const Key* keys, const PSTensor* outs, int priority,
          bool ignore_sparse, PSRequest* request) {
  const auto open = ObjectOf(store);
  const KVKeys pulled = KeysOf(num, keys);
  End(*open, open->store->Pull(pulled, TensorsOf(num, outs, "outs"), priority, ignore_sparse), "pull", pulled,
      request);
}

template <typename Key>
void PullRows(PSKVStore store, std::uint32_t num, const Key* keys, const PSTensor* outs,
              const PSTensor* row_ids, int priority, PSRequest* request) {
  const auto open = ObjectOf(store);
  const KVKeys pulled = KeysOf(num, keys);
  std::vector<Tensor> tensors = TensorsOf(num, outs, "outs");
  std::vector<std::shared_ptr<TensorBox>> boxes;
  std::vector<Tensor*> places;
  for (std::size_t i = 0; i < num; ++i) {
    boxes.push_back(ObjectOf(outs[i]));
    places.push_back(&tensors[i]);
  }
  const Ticket ticket =
      open->store->RowSparsePull(pulled, places, TensorsOf(num, row_ids, "row_ids"), priority);
  // Who waits in vain keeps what there was.
  End(*open, ticket, "pull of rows", pulled, request);
  for (std::size_t i = 0; i < num; ++i) boxes[i]->Set(std::move(tensors[i]));
}

// What is pushed, or made, and pulled under other keys, or the same.
template <typename Key>
struct Both {
  std::uint32_t num;
  const Key* keys;
  std::uint32_t num_outs;
  const Key* out_keys;
  const PSTensor* values;
  const PSTensor* outs;
  int priority;
};

template <typename Key>
void Broadcast(PSKVStore store, const Both<Key>& both) {
  ObjectOf(store)->store->Broadcast(KeysOf(both.num, both.keys), TensorsOf(both.num, both.values, "values"),
                                    KeysOf(both.num_outs, both.out_keys, "out_keys"),
                                    TensorsOf(both.num_outs, both.outs, "outs"), both.priority);
}

template <typename Key>
void PushPull(PSKVStore store, const Both<Key>& both, PSRequest* request) {
  const auto open = ObjectOf(store);
  const KVKeys pushed = KeysOf(both.num, both.keys);
  const bool is_same = both.keys == both.out_keys && both.num == both.num_outs;
  const KVKeys others =
      is_same ? KVKeys(std::vector<KVKey>()) : KeysOf(both.num_outs, both.out_keys, "out_keys");
  const std::vector<Tensor> values = TensorsOf(both.num, both.values, "values");
  const std::vector<Tensor> outs = TensorsOf(both.num_outs, both.outs, "outs");
  KVPushOptions options;
  options.priority = both.priority;
  // The same list is sorted once.
  const Ticket ticket = open->store->PushPull(pushed, values, is_same ? pushed : others, outs, options);
  End(*open, ticket, "push and pull", pushed, request);
}

template <typename Key>
void Set(PSKVStore store, std::uint32_t num, const Key* keys, const PSTensor* values, PSRequest* request) {
  const auto open = ObjectOf(store);
  const KVKeys written = KeysOf(num, keys);
  End(*open, open->store->Set(written, TensorsOf(num, values, "values")), "set", written, request);
}

}  // namespace

KVKeys KeysOf(std::size_t num, const std::int64_t* keys, const char* name) {
  if (num != 0) CheckGiven(keys, name);
  return KVKeys(std::vector<KVKey>(keys, keys + num));
}

KVKeys KeysOf(std::size_t num, const char* const* keys, const char* name) {
  if (num != 0) CheckGiven(keys, name);
  std::vector<KVKey> read;
  read.reserve(num);
  for (std::size_t i = 0; i < num; ++i) {
    CheckGiven(keys[i], "a key");
    read.emplace_back(keys[i]);
  }
  return KVKeys(std::move(read));
}

KVParams ParamsOf(std::size_t num, const char* const* names, const char* const* values) {
  if (num != 0) CheckGiven(names, "names");
  if (num != 0) CheckGiven(values, "values");
  KVParams params;
  for (std::size_t i = 0; i < num; ++i) {
    CheckGiven(names[i], "a name");
    CheckGiven(values[i], names[i]);
    params[names[i]] = values[i];
  }
  return params;
}

}  // namespace ps::c_api

using ps::c_api::Call;
using ps::c_api::CheckGiven;
using ps::c_api::ObjectOf;

extern "C" {

int PSKVStoreCreate(const char* type, const PSKVStoreOptions* options, PSKVStore* store) {
  return Call([&] {
    CheckGiven(store, "store");
    *store = ps::c_api::NewHandle<PSKVStore>(ps::c_api::Open(type, options));
  });
}

int PSKVStoreFree(PSKVStore store) {
  return Call([&] { ps::c_api::FreeHandle(store); });
}

int PSKVStoreGetType(PSKVStore store, const char** type) {
  return Call([&] {
    CheckGiven(type, "type");
    *type = ps::c_api::Lend(ObjectOf(store)->store->Type());
  });
}

int PSKVStoreGetRank(PSKVStore store, int* rank) {
  return Call([&] {
    CheckGiven(rank, "rank");
    *rank = ObjectOf(store)->store->rank();
  });
}

int PSKVStoreGetNumWorkers(PSKVStore store, int* number) {
  return Call([&] {
    CheckGiven(number, "number");
    *number = ObjectOf(store)->store->num_workers();
  });
}

int PSKVStoreIsCapable(PSKVStore store, const char* capability, int* capable) {
  return Call([&] {
    CheckGiven(capability, "capability");
    CheckGiven(capable, "capable");
    *capable = ObjectOf(store)->store->is_capable(capability) ? 1 : 0;
  });
}

int PSKVStoreIsDistributed(const char* type, int* distributed) {
  return Call([&] {
    CheckGiven(type, "type");
    CheckGiven(distributed, "distributed");
    *distributed = ps::IsDistributedType(type) ? 1 : 0;
  });
}

int PSKVStoreInit(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values) {
  return Call([&] { ps::c_api::Init(store, num, keys, values); });
}

int PSKVStoreInitStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values) {
  return Call([&] { ps::c_api::Init(store, num, keys, values); });
}

int PSKVStorePush(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values, int priority,
                  PSRequest* request) {
  return Call([&] { ps::c_api::Push(store, num, keys, values, priority, request); });
}

int PSKVStorePushStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values,
                     int priority, PSRequest* request) {
  return Call([&] { ps::c_api::Push(store, num, keys, values, priority, request); });
}

int PSKVStorePull(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* outs, int priority,
                  PSRequest* request) {
  return Call([&] { ps::c_api::Pull(store, num, keys, outs, priority, true, request); });
}

int PSKVStorePullStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* outs,
                     int priority, PSRequest* request) {
  return Call([&] { ps::c_api::Pull(store, num, keys, outs, priority, true, request); });
}

int PSKVStorePullEx(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* outs, int priority,
                    int ignore_sparse, PSRequest* request) {
  return Call([&] { ps::c_api::Pull(store, num, keys, outs, priority, ignore_sparse != 0, request); });
}

int PSKVStorePullExStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* outs,
                       int priority, int ignore_sparse, PSRequest* request) {
  return Call([&] { ps::c_api::Pull(store, num, keys, outs, priority, ignore_sparse != 0, request); });
}

int PSKVStorePullRows(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* outs,
                      const PSTensor* row_ids, int priority, PSRequest* request) {
  return Call([&] { ps::c_api::PullRows(store, num, keys, outs, row_ids, priority, request); });
}

int PSKVStorePullRowsStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* outs,
                         const PSTensor* row_ids, int priority, PSRequest* request) {
  return Call([&] { ps::c_api::PullRows(store, num, keys, outs, row_ids, priority, request); });
}

int PSKVStoreBroadcast(PSKVStore store, uint32_t num, const int64_t* keys, uint32_t num_outs,
                       const int64_t* out_keys, const PSTensor* values, const PSTensor* outs, int priority) {
  const ps::c_api::Both<int64_t> both = {num, keys, num_outs, out_keys, values, outs, priority};
  return Call([&] { ps::c_api::Broadcast(store, both); });
}

int PSKVStoreBroadcastStr(PSKVStore store, uint32_t num, const char* const* keys, uint32_t num_outs,
                          const char* const* out_keys, const PSTensor* values, const PSTensor* outs,
                          int priority) {
  const ps::c_api::Both<const char*> both = {num, keys, num_outs, out_keys, values, outs, priority};
  return Call([&] { ps::c_api::Broadcast(store, both); });
}

int PSKVStorePushPull(PSKVStore store, uint32_t num, const int64_t* keys, uint32_t num_outs,
                      const int64_t* out_keys, const PSTensor* values, const PSTensor* outs, int priority,
                      PSRequest* request) {
  const ps::c_api::Both<int64_t> both = {num, keys, num_outs, out_keys, values, outs, priority};
  return Call([&] { ps::c_api::PushPull(store, both, request); });
}

int PSKVStorePushPullStr(PSKVStore store, uint32_t num, const char* const* keys, uint32_t num_outs,
                         const char* const* out_keys, const PSTensor* values, const PSTensor* outs,
                         int priority, PSRequest* request) {
  const ps::c_api::Both<const char*> both = {num, keys, num_outs, out_keys, values, outs, priority};
  return Call([&] { ps::c_api::PushPull(store, both, request); });
}

int PSKVStoreSet(PSKVStore store, uint32_t num, const int64_t* keys, const PSTensor* values,
                 PSRequest* request) {
  return Call([&] { ps::c_api::Set(store, num, keys, values, request); });
}

int PSKVStoreSetStr(PSKVStore store, uint32_t num, const char* const* keys, const PSTensor* values,
                    PSRequest* request) {
  return Call([&] { ps::c_api::Set(store, num, keys, values, request); });
}

int PSKVStoreErase(PSKVStore store, uint32_t num, const int64_t* keys) {
  return Call([&] { ObjectOf(store)->store->Erase(ps::c_api::KeysOf(num, keys)); });
}

int PSKVStoreEraseStr(PSKVStore store, uint32_t num, const char* const* keys) {
  return Call([&] { ObjectOf(store)->store->Erase(ps::c_api::KeysOf(num, keys)); });
}

}  // extern "C"
