#include "c_api/store.h"

#include <algorithm>
#include <string>
#include <vector>

#include "c_api/error.h"
#include "c_api/node.h"
#include "c_api/request.h"
#include "c_api/structs.h"

namespace ps::c_api {
namespace {

// A server is some memory and perhaps threads.
constexpr int kMostParts = 1024;

void CheckNumber(int number, int least, const char* what) {
  if (number >= least && number <= kMostParts) return;
  throw Error(Status::InvalidArgument(std::to_string(number) + " " + what + "; there may be " +
                                      std::to_string(least) + " to " + std::to_string(kMostParts)));
}

PSStore OpenStore(PSNode handle) {
  std::shared_ptr<Postoffice> node = NodeOf(handle);
  std::shared_ptr<SharedStore> shared = SharedStore::Of(node.get());
  return NewHandle<PSStore>(std::make_shared<StoreHold>(std::move(node), std::move(shared)));
}

void MakeLocalStores(const LocalStoreOptions& options, PSStore* stores) {
  CheckNumber(options.servers, 1, "servers");
  CheckNumber(options.workers, 1, "workers");
  CheckNumber(options.threads, 0, "threads");
  CheckGiven(stores, "stores");
  std::vector<std::shared_ptr<StoreHold>> made;
  for (std::unique_ptr<Store>& store : Store::Local(options))
    made.push_back(std::make_shared<StoreHold>(std::move(store)));
  std::vector<PSStore> handles;
  handles.reserve(made.size());
  try {
    for (const auto& hold : made) handles.push_back(NewHandle<PSStore>(hold));
  } catch (...) {
    for (const PSStore handle : handles) FreeHandle(handle);
    throw;
  }
  std::copy(handles.begin(), handles.end(), stores);
}

void SendCommand(SharedStore* shared, int head, const char* body) {
  CheckGiven(body, "body");
  if (shared == nullptr)
    throw Error(Status::FailedPrecondition("the servers of a store in this process take no commands"));
  SimpleApp& commands = shared->commands();
  commands.Wait(commands.Request(head, body, kServerGroup));
}

std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

SaveOptions SavingOf(const PSSaveOptions* given) {
  const PSSaveOptions options = ReadStruct(given, "PSSaveOptions");
  if (options.keep < 0)
    throw Error(Status::InvalidArgument("PSSaveOptions: keep is " + std::to_string(options.keep) +
                                        "; it is 1 or more, or 0 for 2"));
  SaveOptions saving;
  if (options.keep > 0) saving.keep = options.keep;
  saving.prefix = TextOf(options.prefix);
  return saving;
}

LoadOptions LoadingOf(const PSLoadOptions* given) {
  const PSLoadOptions options = ReadStruct(given, "PSLoadOptions");
  if (options.what < PS_LOAD_ALL || options.what > PS_LOAD_STATES)
    throw Error(Status::InvalidArgument("PSLoadOptions: what is " + std::to_string(options.what) +
                                        ", no PSLoadWhat"));
  LoadOptions loading;
  loading.what = static_cast<LoadOptions::What>(options.what);
  loading.prefix = TextOf(options.prefix);
  return loading;
}

constexpr bool IsSame(LoadOptions::What what, int of_c) { return static_cast<int>(what) == of_c; }
static_assert(IsSame(LoadOptions::kAll, PS_LOAD_ALL) &&
              IsSame(LoadOptions::kStatesAndRule, PS_LOAD_STATES_AND_RULE) &&
              IsSame(LoadOptions::kStates, PS_LOAD_STATES));

// Calls `read` with the store, and stores what it returns.
template <typename Read>
int Answer(PSStore store, int* answer, const char* name, Read&& read) {
  return Call([&] {
    CheckGiven(answer, name);
    *answer = read(ObjectOf(store)->store());
  });
}

// The same for the number of a checkpoint, which the caller may not want.
template <typename Move>
int MoveCheckpoint(PSStore store, const char* uri, uint64_t* step, Move&& move) {
  return Call([&] {
    CheckGiven(uri, "uri");
    const std::uint64_t moved = move(ObjectOf(store)->store());
    if (step != nullptr) *step = moved;
  });
}

}  // namespace
}  // namespace ps::c_api

using ps::c_api::Answer;
using ps::c_api::Call;
using ps::c_api::ObjectOf;

extern "C" {

int PSStoreCreate(PSNode node, PSStore* store) {
  return Call([&] {
    ps::c_api::CheckGiven(store, "store");
    *store = ps::c_api::OpenStore(node);
  });
}

int PSStoreLocal(int servers, int workers, int threads, PSStore* stores) {
  return Call([&] { ps::c_api::MakeLocalStores({servers, workers, threads}, stores); });
}

int PSStoreGetRank(PSStore store, int* rank) {
  return Answer(store, rank, "rank", [](ps::Store& asked) { return asked.rank(); });
}

int PSStoreGetNumWorkers(PSStore store, int* number) {
  return Answer(store, number, "number", [](ps::Store& asked) { return asked.num_workers(); });
}

int PSStoreGetNumServers(PSStore store, int* number) {
  return Answer(store, number, "number", [](ps::Store& asked) { return asked.num_servers(); });
}

int PSStoreFlush(PSStore store) {
  return Call([&] { ObjectOf(store)->store().Flush(); });
}

int PSStoreBarrier(PSStore store, int64_t timeout_ms) {
  return Call([&] { ObjectOf(store)->store().Barrier(ps::c_api::CheckBarrierTimeout(timeout_ms)); });
}

int PSStoreEraseTable(PSStore store, const char* name, PSRequest* request) {
  return Call([&] {
    ps::c_api::CheckGiven(name, "name");
    const auto open = ObjectOf(store);
    ps::c_api::Finish(open->store().EraseTable(name), request, open->node());
  });
}

int PSStoreSendCommand(PSStore store, int head, const char* body) {
  return Call([&] { ps::c_api::SendCommand(ObjectOf(store)->shared(), head, body); });
}

int PSStoreSave(PSStore store, const char* uri, const PSSaveOptions* options, uint64_t* step) {
  return ps::c_api::MoveCheckpoint(
      store, uri, step, [&](ps::Store& saved) { return saved.Save(uri, ps::c_api::SavingOf(options)); });
}

int PSStoreLoad(PSStore store, const char* uri, const PSLoadOptions* options, uint64_t* step) {
  return ps::c_api::MoveCheckpoint(
      store, uri, step, [&](ps::Store& loaded) { return loaded.Load(uri, ps::c_api::LoadingOf(options)); });
}

int PSStoreClose(PSStore store) {
  return Call([&] { ObjectOf(store)->store().Close(); });
}

int PSStoreFree(PSStore store) {
  return Call([&] {
    if (store == nullptr) return;
    // With the last handle it is closed.
    ObjectOf(store)->CheckMayEnd();
    ps::c_api::FreeHandle(store);
  });
}

}  // extern "C"
