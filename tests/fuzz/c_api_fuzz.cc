// Calls of the C interface in any order, with handles that are null, freed or of another kind, sizes, numbers
// and structs that can not be. None may end the process, wait for ever, or be taken for a bug of the library;
// and in the end there is nothing left.
#include <dmlc/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "c_api/handles.h"
#include "ps/c_api.h"
#include "tests/fuzz/bytes_reader.h"
#include "tests/fuzz/c_arguments.h"
#include "tests/fuzz/c_callbacks.h"

namespace ps {
namespace {

constexpr std::size_t kMaxCalls = 64;
constexpr std::size_t kMostModels = 2;  // each has threads

// A program.
class Calls {
 public:
  Calls(BytesReader* reader, FuzzMemory* memory)
      : reader_(*reader), memory_(*memory), handles_(reader), any_(reader, memory) {}

  void Run() {
    using Group = void (Calls::*)();
    static constexpr Group kGroups[] = {&Calls::Request, &Calls::Node,       &Calls::Store,
                                        &Calls::Table,   &Calls::UseTable,   &Calls::Tensor,
                                        &Calls::KVStore, &Calls::UseKVStore, &Calls::Settings,
                                        &Calls::Model,   &Calls::UseModel,   &Calls::Free};
    for (std::size_t i = 0; i < kMaxCalls && !reader_.empty(); ++i)
      (this->*kGroups[reader_.Byte() % std::size(kGroups)])();
    FreeAll();
  }

 private:
  // Results are codes, and none says that the library has a bug.
  static int Checked(int code) {
    CHECK(code >= PS_OK && code < PS_INTERNAL) << code << ": " << PSGetLastError();
    if (code != PS_OK) CHECK_EQ(code, PSGetLastErrorCode());
    return code;
  }

  PSRequest AnyRequest() { return handles_.Old<PSRequest>("request"); }
  PSStore AnyStore() { return handles_.Old<PSStore>("store"); }
  PSTable AnyTable() { return handles_.Old<PSTable>("table"); }
  PSTensor AnyTensor() { return handles_.Old<PSTensor>("tensor"); }
  PSKVStore AnyKVStore() { return handles_.Old<PSKVStore>("kvstore"); }
  PSSharedModel AnyModel() { return handles_.Old<PSSharedModel>("model"); }

  // A call that may hand out a request: mostly it does, and a call of a read always.
  template <typename Call>
  void WithRequest(bool may_wait, Call&& call) {
    if (may_wait && any_.Flag()) return static_cast<void>(Checked(call(nullptr)));
    PSRequest request = nullptr;
    const int code = Checked(call(&request));
    handles_.Made("request", code, request);
  }
  template <typename Handle, typename Call>
  void Make(const char* kind, Call&& call) {
    Handle made = nullptr;
    const int code = Checked(call(&made));
    handles_.Made(kind, code, made);
  }

  void Request() {
    const PSRequest request = AnyRequest();
    int done = 0;
    switch (reader_.Byte() % 5) {
      case 0: Checked(PSRequestWait(request, any_.Timeout())); break;
      case 1: Checked(PSRequestDone(request, any_.Flag() ? &done : nullptr)); break;
      case 2: Checked(PSRequestError(request)); break;
      case 3: Checked(PSRequestThen(request, any_.Flag() ? FuzzHeard : nullptr, &memory_.num_heard)); break;
      default: {
        const PSRequest several[] = {request, AnyRequest(), AnyRequest()};
        Make<PSRequest>("request",
                        [&](PSRequest* all) { return PSRequestAll(reader_.Byte() % 4, several, all); });
      }
    }
  }

  // Of a process that is no node: nobody says where its scheduler is.
  void Node() {
    const auto node = handles_.Old<PSNode>("node");
    int number = 0;
    const char* const name = any_.Text();
    switch (reader_.Byte() % 12) {
      case 0: Checked(PSStart(node, name)); break;
      case 1: Checked(PSFinalize(node, any_.Number())); break;
      case 2: Checked(PSBarrier(node, any_.Number(), any_.Timeout())); break;
      case 3: Checked(PSGetNumDeadNodes(node, any_.Number(), any_.Number(), &number)); break;
      case 4: Checked(PSMyRank(node, any_.Flag() ? &number : nullptr)); break;
      case 5: Checked(PSBindThread(node)); break;
      case 6: Checked(PSRunServer(node, nullptr, nullptr, any_.Number() % 2, &name)); break;
      case 7: Checked(PSSetEnv(1, &name, &name)); break;
      case 8: Checked(PSAllreduce(node, AnyTensor(), any_.Number())); break;
      case 9: Make<PSStore>("store", [&](PSStore* store) { return PSStoreCreate(node, store); }); break;
      case 10: Checked(PSLocalClusterClose(handles_.Old<PSLocalCluster>("cluster"), any_.Number())); break;
      default: {
        PSLocalClusterOptions options{};
        options.servers = -1 - reader_.Byte() % 16;
        PSLocalCluster cluster = nullptr;
        // All defaults would be a cluster.
        const auto* const placed = any_.Placed(options);
        if (placed != nullptr && placed->struct_size != 8) Checked(PSLocalClusterCreate(placed, &cluster));
        CHECK(cluster == nullptr);
      }
    }
  }

  void Store() {
    if (any_.Flag()) {
      constexpr int kWorkers[] = {1, 1, 1, 0, -1, 1025};
      constexpr int kThreads[] = {0, 0, -1, 1025};
      const int workers = kWorkers[reader_.Byte() % std::size(kWorkers)];
      const int threads = kThreads[reader_.Byte() % std::size(kThreads)];
      return Make<PSStore>("store", [&](PSStore* store) {
        return PSStoreLocal(any_.Fits() ? 2 : any_.Number(), workers, threads, store);
      });
    }
    const PSStore store = AnyStore();
    std::uint64_t step = 0;
    PSSaveOptions saving{};
    saving.keep = any_.Number();
    saving.prefix = any_.Text();
    PSLoadOptions loading{};
    loading.what = any_.Number();
    const char* const uri = any_.Flag() ? "/dev/null/none" : nullptr;
    switch (reader_.Byte() % 6) {
      case 0: Checked(PSStoreFlush(store)); break;
      case 1: Checked(PSStoreBarrier(store, any_.Timeout())); break;
      case 2:
        WithRequest(true, [&](PSRequest* request) { return PSStoreEraseTable(store, any_.Text(), request); });
        break;
      case 3: Checked(PSStoreSave(store, uri, any_.Placed(saving), &step)); break;
      case 4: Checked(PSStoreLoad(store, uri, any_.Placed(loading), &step)); break;
      default: Checked(PSStoreClose(store));
    }
  }

  void Table() {
    constexpr std::int64_t kLengths[] = {-1, INT64_MIN, INT64_MAX};
    const auto length = [&] {
      const std::uint8_t choice = reader_.Byte();
      return choice >= 0xfd ? kLengths[choice % 3] : std::int64_t{choice % 9};
    };
    PSTableOptions options{};
    options.kind = any_.Fits() ? 1 + reader_.Byte() % 3 : any_.Number() % 5;
    options.name = any_.Text();
    options.dtype = any_.Fits() ? PS_F32 : any_.Number();
    options.rows = any_.Fits() ? (options.kind == PS_MAP ? 0 : 4) : length();
    options.cols = any_.Fits() ? (options.kind == PS_ARRAY ? 1 : 2) : length();
    const char** const texts[] = {&options.updater, &options.mode, &options.init, &options.push_codec,
                                  &options.pull_codec};
    if (any_.Flag()) *texts[reader_.Byte() % 5] = any_.Text();
    if (any_.Flag()) *texts[reader_.Byte() % 5] = any_.Text();
    int* const flags[] = {&options.merged,  &options.mean,         &options.multi_precision, &options.delta,
                          &options.buffers, &options.manual_close, &options.any_order};
    if (any_.Flag()) *flags[reader_.Byte() % std::size(flags)] = any_.Number();
    options.min_split = any_.Number();
    Make<PSTable>("table",
                  [&](PSTable* table) { return PSTableCreate(AnyStore(), any_.Placed(options), table); });
  }

  void UseTable() {
    const PSTable table = AnyTable();
    const char* const text = any_.Text();
    const std::size_t num_ids = reader_.Byte() % FuzzMemory::kIds;
    const std::int64_t* const ids = any_.Flag() ? memory_.ids.data() : nullptr;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    switch (reader_.Byte() % 9) {
      case 0:
        WithRequest(true,
                    [&](PSRequest* r) { return PSTableAdd(table, any_.Placed(any_.Contents(table)), r); });
        break;
      case 1:
        WithRequest(false,
                    [&](PSRequest* r) { return PSTableGet(table, any_.Placed(any_.Contents(table)), r); });
        break;
      case 2:
        WithRequest(true,
                    [&](PSRequest* r) { return PSTableSet(table, any_.Placed(any_.Contents(table)), r); });
        break;
      case 3: WithRequest(true, [&](PSRequest* r) { return PSTableErase(table, ids, num_ids, r); }); break;
      case 4: WithRequest(true, [&](PSRequest* r) { return PSTableSetUpdater(table, text, r); }); break;
      case 5:
        WithRequest(true, [&](PSRequest* r) { return PSTableSetOptions(table, text, num_ids, r); });
        break;
      case 6: WithRequest(true, [&](PSRequest* r) { return PSTableCloseRound(table, r); }); break;
      case 7: WithRequest(true, [&](PSRequest* r) { return PSTableLeave(table, r); }); break;
      default: Checked(PSTableGetSize(table, &rows, any_.Flag() ? &cols : nullptr));
    }
  }

  void Tensor() {
    const PSTensor tensor = AnyTensor();
    void* data = nullptr;
    const std::size_t bytes = reader_.Byte() == 0xff ? ~std::size_t{0} : reader_.Byte();
    switch (reader_.Byte() % 10) {
      case 0:
        Make<PSTensor>("tensor",
                       [&](PSTensor* t) { return PSTensorCreate(any_.Placed(any_.TensorInfo()), t); });
        break;
      case 1:
        Make<PSTensor>("tensor", [&](PSTensor* t) {
          return PSTensorFromPtr(any_.Values(), any_.Placed(any_.TensorInfo()), nullptr, nullptr, t);
        });
        break;
      case 2: {
        if (Checked(PSTensorToDLPack(tensor, &data)) != PS_OK) return;
        Make<PSTensor>("tensor", [&](PSTensor* t) { return PSTensorFromDLPack(data, t); });
        break;
      }
      case 3: RowSparse(); break;
      case 4: Make<PSTensor>("tensor", [&](PSTensor* t) { return PSTensorGetIds(tensor, t); }); break;
      case 5: Make<PSTensor>("tensor", [&](PSTensor* t) { return PSTensorGetValues(tensor, t); }); break;
      case 6: Checked(PSTensorGetInfo(tensor, any_.Filled<PSTensorInfo>())); break;
      case 7: Checked(PSTensorGetData(tensor, &data)); break;
      case 8: Checked(PSTensorCopyTo(tensor, memory_.values.data(), bytes)); break;
      default: Checked(PSTensorCopyFrom(tensor, memory_.values.data(), bytes));
    }
  }

  // Rows 0 and 2 of five, mostly.
  void RowSparse() {
    static std::int64_t rows[] = {0, 2};
    static constexpr std::int64_t kShapes[][2] = {{2, 3}, {5, 3}};
    PSTensorInfo info{};
    info.struct_size = sizeof info;
    info.dtype = PS_I64;
    info.ndim = 1;
    info.shape = kShapes[0];
    PSTensor parts[2] = {AnyTensor(), AnyTensor()};
    if (any_.Fits()) {
      Make<PSTensor>("tensor",
                     [&](PSTensor* t) { return PSTensorFromPtr(rows, &info, nullptr, nullptr, t); });
      parts[0] = static_cast<PSTensor>(handles_.all().back());
      info.dtype = PS_F32;
      info.ndim = 2;
      Make<PSTensor>("tensor", [&](PSTensor* t) { return PSTensorCreate(&info, t); });
      parts[1] = static_cast<PSTensor>(handles_.all().back());
    }
    Make<PSTensor>("tensor", [&](PSTensor* t) {
      return PSTensorCreateRowSparse(parts[0], parts[1], any_.Fits() ? 2 : any_.Number() % 3, kShapes[1], t);
    });
  }

  void KVStore() {
    const char* const type = any_.Fits() ? "local" : any_.Text();
    Make<PSKVStore>("kvstore", [&](PSKVStore* store) {
      return PSKVStoreCreate(type, any_.Placed(any_.StoreOptions()), store);
    });
  }

  void UseKVStore() {
    const PSKVStore store = AnyKVStore();
    const std::int64_t keys[] = {any_.Number() % 3, any_.Number() % 3};
    const char* const texts[] = {any_.Text(), any_.Text()};
    const PSTensor values[] = {AnyTensor(), AnyTensor()};
    const PSTensor outs[] = {AnyTensor(), AnyTensor()};
    const std::uint32_t num = reader_.Byte() % 3;
    switch (reader_.Byte() % 12) {
      case 0: Checked(PSKVStoreInit(store, num, keys, values)); break;
      case 1: Checked(PSKVStoreInitStr(store, num, texts, values)); break;
      case 2:
        WithRequest(true, [&](PSRequest* r) { return PSKVStorePush(store, num, keys, values, 0, r); });
        break;
      case 3:
        WithRequest(true, [&](PSRequest* r) { return PSKVStorePull(store, num, keys, outs, 0, r); });
        break;
      case 4:
        WithRequest(true, [&](PSRequest* r) { return PSKVStorePullStr(store, num, texts, outs, 0, r); });
        break;
      case 5:
        WithRequest(true, [&](PSRequest* r) {
          return PSKVStorePushPull(store, num, keys, reader_.Byte() % 3, keys, values, outs, 1, r);
        });
        break;
      case 6:
        WithRequest(true,
                    [&](PSRequest* r) { return PSKVStorePullRows(store, num, keys, outs, values, 0, r); });
        break;
      case 7: Checked(PSKVStoreBroadcast(store, num, keys, num, keys, values, outs, 0)); break;
      case 8:
        WithRequest(true, [&](PSRequest* r) { return PSKVStoreSet(store, num, keys, values, r); });
        break;
      case 9: Checked(PSKVStoreErase(store, num, keys)); break;
      case 10: Checked(PSKVStoreKeyInfo(store, keys[0], any_.Filled<PSKVKeyInfo>())); break;
      default:
        Checked(PSKVStoreInit(store, num, any_.Flag() ? keys : nullptr, any_.Flag() ? values : nullptr));
    }
  }

  void Settings() {
    const PSKVStore store = AnyKVStore();
    const char* const names[] = {any_.Text(), any_.Text()};
    const char* const values[] = {any_.Text(), any_.Text()};
    const std::int64_t keys[] = {any_.Number() % 3};
    int number = 0;
    switch (reader_.Byte() % 9) {
      case 0: Checked(PSKVStoreSetOptimizer(store, any_.Text())); break;
      case 1:
        Checked(PSKVStoreSetHyper(store, reader_.Byte() % 3, names, values, 0, reader_.Byte() % 2, keys));
        break;
      case 2: Checked(PSKVStoreSetUpdater(store, any_.Flag() ? FuzzStored : nullptr, nullptr)); break;
      case 3: Checked(PSKVStoreSetCompression(store, reader_.Byte() % 3, names, values)); break;
      case 4: Checked(PSKVStoreBarrier(store, any_.Timeout(), any_.Number())); break;
      case 5: Checked(PSKVStoreGetNumDeadNode(store, any_.Number(), any_.Number(), &number)); break;
      case 6: Checked(PSKVStoreSendCommand(store, any_.Number(), any_.Text())); break;
      case 7: Checked(PSKVStoreCheckpoint(store, any_.Flag() ? "/dev/null/none" : nullptr)); break;
      default:
        Checked(PSRegisterUpdater(any_.Text(), any_.Flag() ? FuzzRule : nullptr, any_.Number() % 4,
                                  &memory_.verdict));
    }
  }

  void Model() {
    if (num_models_ == kMostModels) return;
    PSSharedModelOptions options{};
    options.name = any_.Text();
    const char* const type = any_.Fits() ? "local" : any_.Text();
    PSSharedModel model = nullptr;
    const int code = Checked(PSSharedModelCreate(type, any_.Placed(options), &model));
    handles_.Made("model", code, model);
    if (code == PS_OK) ++num_models_;
  }

  void UseModel() {
    const PSSharedModel model = AnyModel();
    const int devices[] = {any_.Fits() ? 0 : any_.Number(), any_.Number()};
    const int key = any_.Fits() ? 1 : any_.Number() % 3;
    const int device = any_.Fits() ? 0 : any_.Number();
    const PSTensorInfo info = any_.TensorInfo();
    switch (reader_.Byte() % 10) {
      case 0: Checked(PSSharedModelSetParam(model, any_.Text(), any_.Text())); break;
      case 1: Checked(PSSharedModelSetUpdater(model, any_.Text())); break;
      case 2: Checked(PSSharedModelInit(model, reader_.Byte() % 3, any_.Flag() ? devices : nullptr)); break;
      case 3: Checked(PSSharedModelInitKey(model, key, device, info.dtype, info.ndim, info.shape)); break;
      case 4:
        WithRequest(false,
                    [&](PSRequest* r) { return PSSharedModelPush(model, AnyTensor(), key, device, 0, r); });
        break;
      case 5:
        WithRequest(false, [&](PSRequest* r) {
          return PSSharedModelPullReq(model, AnyTensor(), key, device, 0, FuzzPulled, nullptr, r);
        });
        break;
      case 6: Checked(PSSharedModelPullWait(model, key, device, any_.Timeout())); break;
      case 7: Checked(PSSharedModelSetWeight(model, AnyTensor(), key, device)); break;
      case 8: Checked(PSSharedModelFail(model, device, any_.Text())); break;
      default: Checked(PSSharedModelClose(model));
    }
  }

  void Free() {
    switch (reader_.Byte() % 7) {
      case 0: Checked(PSRequestFree(AnyRequest())); break;
      case 1: Checked(PSStoreFree(AnyStore())); break;
      case 2: Checked(PSTableFree(AnyTable())); break;
      case 3: Checked(PSTensorFree(AnyTensor())); break;
      case 4: Checked(PSKVStoreFree(AnyKVStore())); break;
      case 5: Checked(PSSharedModelFree(AnyModel())); break;
      default: Checked(PSNodeFree(handles_.Old<PSNode>("node")));
    }
  }

  void FreeAll() {
    for (void* const handle : handles_.all()) {
      const int codes[] = {PSRequestFree(static_cast<PSRequest>(handle)),
                           PSTableFree(static_cast<PSTable>(handle)),
                           PSStoreFree(static_cast<PSStore>(handle)),
                           PSTensorFree(static_cast<PSTensor>(handle)),
                           PSKVStoreFree(static_cast<PSKVStore>(handle)),
                           PSSharedModelFree(static_cast<PSSharedModel>(handle))};
      CHECK_LE(std::count(std::begin(codes), std::end(codes), PS_OK), 1);
    }
    CHECK_EQ(c_api::Handles::Get().size(), 0U);
  }

  BytesReader& reader_;
  FuzzMemory& memory_;
  CHandles handles_;
  CArguments any_;
  std::size_t num_models_ = 0;
};

}  // namespace
}  // namespace ps

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static ps::FuzzMemory memory;
  ps::BytesReader reader(data, size);
  ps::Calls(&reader, &memory).Run();
  return 0;
}
