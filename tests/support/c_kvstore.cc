#include "tests/support/c_kvstore.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "ps/dlpack.h"
#include "store/ticket_source.h"

namespace ps {
namespace {

Status OutcomeOf(int result) {
  return result == PS_OK ? Status::Ok() : Status(static_cast<StatusCode>(result), PSGetLastError());
}

void Check(int result) { ThrowIfError(OutcomeOf(result)); }

std::string TypeOf(PSKVStore store) {
  const char* type = nullptr;
  Check(PSKVStoreGetType(store, &type));
  return type;
}

// The other end of DLPack: what is not taken over is released.
Tensor Imported(void* managed) {
  auto* const given = static_cast<DLManagedTensor*>(managed);
  Result<Tensor> tensor = FromDLPack(given);
  if (!tensor.ok()) given->deleter(given);
  return tensor.value();
}

// Handles for a call.
class CTensors {
 public:
  CTensors() = default;
  explicit CTensors(const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors) Add(tensor);
  }
  ~CTensors() {
    for (PSTensor handle : handles_) PSTensorFree(handle);
  }
  CTensors(const CTensors&) = delete;
  CTensors& operator=(const CTensors&) = delete;

  void Add(const Tensor& tensor) {
    if (!tensor.is_row_sparse()) return AddDense(tensor);
    const CTensors parts({tensor.ids(), tensor.values()});
    const Shape& shape = tensor.view().shape;
    PSTensor handle = nullptr;
    Check(PSTensorCreateRowSparse(parts[0], parts[1], static_cast<int>(shape.size()), shape.data(), &handle));
    handles_.push_back(handle);
  }
  // A row-sparse one without rows.
  void AddEmpty() {
    const std::int64_t length = 1;
    PSTensorInfo info{};
    info.struct_size = sizeof info;
    info.ndim = 1;
    info.shape = &length;
    info.row_sparse = 1;
    PSTensor handle = nullptr;
    Check(PSTensorCreate(&info, &handle));
    handles_.push_back(handle);
  }

  PSTensor operator[](std::size_t i) const { return handles_[i]; }
  const PSTensor* data() const { return handles_.data(); }

 private:
  void AddDense(const Tensor& tensor) {
    DLManagedTensor* const managed = ToDLPack(tensor);
    PSTensor handle = nullptr;
    const Status taken = OutcomeOf(PSTensorFromDLPack(managed, &handle));
    if (!taken.ok()) managed->deleter(managed);
    ThrowIfError(taken);
    handles_.push_back(handle);
  }

  std::vector<PSTensor> handles_;
};

// A dense part of a tensor.
Tensor PartOf(PSTensor tensor, int (*get)(PSTensor, PSTensor*)) {
  PSTensor part = nullptr;
  Check(get(tensor, &part));
  void* managed = nullptr;
  const int result = PSTensorToDLPack(part, &managed);
  Check(PSTensorFree(part));
  Check(result);
  return Imported(managed);
}

Tensor RowsOf(PSTensor tensor) {
  PSTensorInfo info{};
  info.struct_size = sizeof info;
  Check(PSTensorGetInfo(tensor, &info));
  const Shape shape(info.shape, info.shape + info.ndim);
  return Tensor::RowSparse(shape, PartOf(tensor, PSTensorGetIds), PartOf(tensor, PSTensorGetValues));
}

class RequestSource final : public TicketSource {
 public:
  explicit RequestSource(PSRequest request) : request_(request) {}
  ~RequestSource() override { PSRequestFree(request_); }

  Status Wait(const std::chrono::milliseconds* timeout) override {
    return OutcomeOf(PSRequestWait(request_, timeout == nullptr ? -1 : timeout->count()));
  }
  bool done() override {
    int done = 0;
    Check(PSRequestDone(request_, &done));
    return done != 0;
  }
  void Then(Continuation continuation) override {
    auto context = std::make_unique<Continuation>(std::move(continuation));
    Check(PSRequestThen(request_, Continue, context.get()));
    static_cast<void>(context.release());  // Continue has it
  }

 private:
  static void Continue(int code, const char* message, void* context) {
    const std::unique_ptr<Continuation> continuation(static_cast<Continuation*>(context));
    (*continuation)(code == PS_OK ? Status::Ok() : Status(static_cast<StatusCode>(code), message));
  }

  const PSRequest request_;
};

class WriteOfTicket final : public PendingWrite {
 public:
  explicit WriteOfTicket(Ticket ticket) : ticket_(std::move(ticket)) {}
  Status Wait(const std::chrono::milliseconds* timeout) override {
    return ticket_.WaitFor(timeout == nullptr ? std::chrono::hours(1) : *timeout);
  }

 private:
  const Ticket ticket_;
};

// Of a call that has returned `result`; who reads `outs` waits for it.
Ticket TicketOf(int result, PSRequest request, const std::vector<Tensor>& outs = {}) {
  Check(result);
  const Ticket ticket(std::make_shared<RequestSource>(request));
  const auto write = std::make_shared<WriteOfTicket>(ticket);
  for (Tensor out : outs) out.SetWrite(write);
  return ticket;
}

// Keys, or texts by name, as C has them.
struct CKeys {
  explicit CKeys(const KVKeys& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) Add(keys[i]);
  }
  explicit CKeys(const std::vector<KVKey>& keys) {
    for (const KVKey& key : keys) Add(key);
  }
  void Add(const KVKey& key) {
    if (key.is_text()) {
      texts.push_back(key.text().c_str());
    } else {
      numbers.push_back(key.number());
    }
    ++num;
  }
  bool is_text() const { return !texts.empty(); }

  std::uint32_t num = 0;
  std::vector<std::int64_t> numbers;
  std::vector<const char*> texts;
};
struct CParams {
  explicit CParams(const KVParams& params) {
    for (const auto& [name, value] : params) {
      names.push_back(name.c_str());
      values.push_back(value.c_str());
    }
  }
  std::uint32_t num() const { return static_cast<std::uint32_t>(names.size()); }

  std::vector<const char*> names;
  std::vector<const char*> values;
};

}  // namespace

CKVStore::CKVStore(PSKVStore store) : KVStore(TypeOf(store)), store_(store) {}

int CKVStore::rank() const {
  int rank = 0;
  Check(PSKVStoreGetRank(store_, &rank));
  return rank;
}

int CKVStore::num_workers() const {
  int number = 0;
  Check(PSKVStoreGetNumWorkers(store_, &number));
  return number;
}

void CKVStore::Init(const KVKeys& keys, const std::vector<Tensor>& values) {
  const CKeys k(keys);
  const CTensors v(values);
  Check(k.is_text() ? PSKVStoreInitStr(store_, k.num, k.texts.data(), v.data())
                    : PSKVStoreInit(store_, k.num, k.numbers.data(), v.data()));
}

Ticket CKVStore::Push(const KVKeys& keys, const std::vector<Tensor>& values, const KVPushOptions& options) {
  const CKeys k(keys);
  const CTensors v(values);
  PSRequest request = nullptr;
  const int result =
      k.is_text() ? PSKVStorePushStr(store_, k.num, k.texts.data(), v.data(), options.priority, &request)
                  : PSKVStorePush(store_, k.num, k.numbers.data(), v.data(), options.priority, &request);
  return TicketOf(result, request);
}

Ticket CKVStore::Pull(const KVKeys& keys, const std::vector<Tensor>& outs, int priority, bool ignore_sparse) {
  const CKeys k(keys);
  const CTensors o(outs);
  PSRequest request = nullptr;
  const int ignore = ignore_sparse ? 1 : 0;
  const int result =
      k.is_text() ? PSKVStorePullExStr(store_, k.num, k.texts.data(), o.data(), priority, ignore, &request)
                  : PSKVStorePullEx(store_, k.num, k.numbers.data(), o.data(), priority, ignore, &request);
  return TicketOf(result, request, outs);
}

Ticket CKVStore::PushPull(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                          const std::vector<Tensor>& outs, const KVPushOptions& options) {
  const CKeys k(keys);
  const CKeys ok(out_keys);
  const CTensors v(values);
  const CTensors o(outs);
  PSRequest request = nullptr;
  const int result = k.is_text()
                         ? PSKVStorePushPullStr(store_, k.num, k.texts.data(), ok.num, ok.texts.data(),
                                                v.data(), o.data(), options.priority, &request)
                         : PSKVStorePushPull(store_, k.num, k.numbers.data(), ok.num, ok.numbers.data(),
                                             v.data(), o.data(), options.priority, &request);
  return TicketOf(result, request, outs);
}

void CKVStore::Broadcast(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                         const std::vector<Tensor>& outs, int priority) {
  const CKeys k(keys);
  const CKeys ok(out_keys);
  const CTensors v(values);
  const CTensors o(outs);
  Check(k.is_text() ? PSKVStoreBroadcastStr(store_, k.num, k.texts.data(), ok.num, ok.texts.data(), v.data(),
                                            o.data(), priority)
                    : PSKVStoreBroadcast(store_, k.num, k.numbers.data(), ok.num, ok.numbers.data(), v.data(),
                                         o.data(), priority));
}

Ticket CKVStore::RowSparsePull(const KVKeys& keys, const std::vector<Tensor*>& outs,
                               const std::vector<Tensor>& row_ids, int priority) {
  const CKeys k(keys);
  CTensors o;
  for (const Tensor* out : outs) {
    if (out->is_none()) {
      o.AddEmpty();
    } else {
      o.Add(*out);
    }
  }
  const CTensors ids(row_ids);
  PSRequest request = nullptr;
  const int result =
      k.is_text()
          ? PSKVStorePullRowsStr(store_, k.num, k.texts.data(), o.data(), ids.data(), priority, &request)
          : PSKVStorePullRows(store_, k.num, k.numbers.data(), o.data(), ids.data(), priority, &request);
  const Ticket ticket = TicketOf(result, request);
  for (std::size_t i = 0; i < outs.size(); ++i) *outs[i] = RowsOf(o[i]);
  return ticket;
}

Ticket CKVStore::Set(const KVKeys& keys, const std::vector<Tensor>& values) {
  const CKeys k(keys);
  const CTensors v(values);
  PSRequest request = nullptr;
  const int result = k.is_text() ? PSKVStoreSetStr(store_, k.num, k.texts.data(), v.data(), &request)
                                 : PSKVStoreSet(store_, k.num, k.numbers.data(), v.data(), &request);
  return TicketOf(result, request);
}

void CKVStore::Erase(const KVKeys& keys) {
  const CKeys k(keys);
  Check(k.is_text() ? PSKVStoreEraseStr(store_, k.num, k.texts.data())
                    : PSKVStoreErase(store_, k.num, k.numbers.data()));
}

void CKVStore::SetOptimizer(const std::string& spec) { Check(PSKVStoreSetOptimizer(store_, spec.c_str())); }

void CKVStore::SetHyper(const KVParams& params, std::uint64_t from_round, const std::vector<KVKey>& keys) {
  const CParams p(params);
  const CKeys k(keys);
  Check(k.is_text() ? PSKVStoreSetHyperStr(store_, p.num(), p.names.data(), p.values.data(), from_round,
                                           k.num, k.texts.data())
                    : PSKVStoreSetHyper(store_, p.num(), p.names.data(), p.values.data(), from_round, k.num,
                                        k.numbers.data()));
}

void CKVStore::SetGradientCompression(const KVParams& params) {
  const CParams p(params);
  Check(PSKVStoreSetCompression(store_, p.num(), p.names.data(), p.values.data()));
}

void CKVStore::Barrier(std::int64_t timeout_ms) { Check(PSKVStoreBarrier(store_, timeout_ms, 0)); }

void CKVStore::SendCommandToServers(int head, const std::string& body) {
  Check(PSKVStoreSendCommand(store_, head, body.c_str()));
}

void CKVStore::Leave() { Check(PSKVStoreLeave(store_)); }

}  // namespace ps
