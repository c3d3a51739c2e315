// KVServer: answers the pushes and pulls of KVWorkers.
#ifndef PS_KV_SERVER_H_
#define PS_KV_SERVER_H_

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ps/kv_arrays.h"
#include "ps/kv_pairs.h"
#include "ps/simple_app.h"
#include "ps/status.h"

namespace ps {

class KVServerCore;

// What a request handle promises, as a sum.
enum HandleTraits {
  kOnAppThread = 0,
  // Never blocks, waits for nothing, and does not close its server: it may be run by the thread that
  // receives, which saves the way to another one. Still one at a time, and in order.
  kInline = 1,
  kBorrow = 2,  // reads its arrays only, and not after it has responded: they may be the sender's memory
};

// KVServer without its element type; programs use KVServer.
class KVServerBase : public SimpleApp {
 public:
  // Answers a request with an error: it fails at the worker with this status. Instead of Response, once.
  void Fail(const KVMeta& req, const Status& why);

 protected:
  using BytesHandle = std::function<void(const KVMeta& req, KVBytes&& data)>;

  KVServerBase(Postoffice* postoffice, int app_id, ElementType element);
  ~KVServerBase() override;

  void SetBytesHandle(BytesHandle handle, int traits);
  void RespondBytes(const KVMeta& req, KVBytes&& res);
  void Process(const Message& msg) override;

 private:
  const std::unique_ptr<KVServerCore> core_;
};

// The hiding below is wanted: set_request_handle and Response of a KVServer are those for data; those for
// commands are reached through SimpleApp.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"

// The customer id of a server is its app id. Thread-safe.
template <typename Val>
class KVServer : public KVServerBase {
 public:
  // Runs on the Customer's thread, one at a time. The arrays belong to it: they may be kept and written. It
  // answers with Response or Fail, now or later; an exception it throws fails the request at the worker. Keys
  // are in order of the request; a pull has keys only.
  using ReqHandle =
      std::function<void(const KVMeta& req_meta, const KVPairs<Val>& req_data, KVServer<Val>* server)>;
  using SimpleApp::Response;

  explicit KVServer(int app_id) : KVServer(nullptr, app_id) {}
  KVServer(Postoffice* postoffice, int app_id) : KVServerBase(postoffice, app_id, ElementType::Of<Val>()) {
    obj_->Open();
  }
  ~KVServer() override { this->CloseCustomer(); }

  // Requests that came before wait for it, up to PS_REQUEST_TIMEOUT. `traits`: a sum of HandleTraits. An
  // empty function is an error.
  void set_request_handle(const ReqHandle& request_handle, int traits = kOnAppThread) {
    CHECK(request_handle) << "invalid request handle";
    SetBytesHandle(
        [this, request_handle](const KVMeta& req, KVBytes&& data) {
          request_handle(req, std::move(data).template As<Val>(), this);
        },
        traits);
  }

  // Answers a request, from any thread, any time later, once. A pull is answered with the keys of the request
  // and their values (and `lens`, where keys differ in length). Nothing is copied: `res` must stay allocated
  // until Finalize if it borrows its memory. Ignored when the node has left the cluster.
  void Response(const KVMeta& req) { RespondBytes(req, KVBytes()); }
  void Response(const KVMeta& req, const KVPairs<Val>& res) { RespondBytes(req, KVBytes::Of(res)); }
  void Response(const KVMeta& req, KVPairs<Val>&& res) { RespondBytes(req, KVBytes::Of(std::move(res))); }
};

#pragma GCC diagnostic pop

// Keeps a value or an array per key: a push adds, a pull answers what is there (a single 0 for a key never
// pushed), a push-pull adds, then answers. The first push of a key sets its length; a push of another length
// is refused as a whole.
template <typename Val>
struct KVServerDefaultHandle {
  void operator()(const KVMeta& req_meta, const KVPairs<Val>& req_data, KVServer<Val>* server) {
    if (req_meta.push) ThrowIfError(arrays.Add(req_data, &store));
    if (!req_meta.pull) return server->Response(req_meta);
    server->Response(req_meta, arrays.Read(req_data.keys, store));
  }

  std::unordered_map<Key, Val> store;  // keys with one value
  KVArrays<Val> arrays;                // keys with any other number of values
};

}  // namespace ps

#endif  // PS_KV_SERVER_H_
