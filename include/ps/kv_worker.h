// KVWorker: pushes values of keys to the servers and pulls them back.
#ifndef PS_KV_WORKER_H_
#define PS_KV_WORKER_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ps/kv_pairs.h"
#include "ps/pull_buffer.h"
#include "ps/range.h"
#include "ps/simple_app.h"
#include "ps/status.h"

namespace ps {

class KVWorkerCore;

// Inside the callback of a request: its outcome. Ok elsewhere.
Status CallbackStatus();

// One push, pull or push-pull; for the library.
struct KVCall {
  bool push = false;
  bool pull = false;
  KVBytes send;                // a pull has no values
  PullBuffer vals;             // of a pull
  PullBuffer lens;             // of a pull, where wanted
  std::size_t exact_vals = 0;  // of a push-pull: the values that must come
  int cmd = 0;
  std::function<void()> callback;
  bool lent = false;           // the arrays are the caller's memory until the request is done
  bool keys_in_order = false;  // that was seen when they were copied
};

// A slicer on bytes; see KVWorker::Slicer.
using ByteSlices = std::vector<std::pair<bool, KVBytes>>;
using ByteSlicer =
    std::function<void(const KVBytes& send, const std::vector<Range>& ranges, ByteSlices* slices)>;

// KVWorker without its element type; programs use KVWorker.
class KVWorkerBase : public SimpleApp {
 protected:
  KVWorkerBase(Postoffice* postoffice, int app_id, int customer_id, ElementType element);
  ~KVWorkerBase() override;

  int Issue(KVCall&& call);
  // Takes a copy of the keys, and sees on the way whether they are in order: of millions of keys, a look of
  // its own would cost as much as the copy.
  static void CopyKeys(const std::vector<Key>& keys, KVCall* call);
  void SetByteSlicer(ByteSlicer slicer);
  void Process(const Message& msg) override;

 private:
  const std::unique_ptr<KVWorkerCore> core_;
};

// Thread-safe: many threads may issue and wait. All calls return the timestamp at once, unless there is no
// room on the way to a server (then they wait, PS_REQUEST_TIMEOUT at most). They throw
// Error(kInvalidArgument), before anything is sent, when keys decrease or sizes do not fit.
//
// `vals`, `lens`: see KVPairs. `cmd`: any int, handed through. `priority`: higher first, equal ones in the
// order of issue. `cb` runs once on the Customer's thread, before Wait returns and also when the request
// failed (CallbackStatus); it may issue requests and free what was passed by pointer.
//
// The buffers of a pull are written while the request is not done, and then stay alone. Empty ones are
// resized to what comes; others must fit exactly, or the request fails. Every value lands where its key is in
// the request, whichever server it came from. `lens` is filled also when the server sent none.
template <typename Val>
class KVWorker : public KVWorkerBase {
 public:
  using SimpleApp::obj_;
  using Callback = std::function<void()>;
  // Slot i of `sliced` goes to server i, unless its bool is false; missing slots are skipped, surplus ones
  // are an error. Runs on the calling thread.
  using SlicedKVs = std::vector<std::pair<bool, KVPairs<Val>>>;
  using Slicer =
      std::function<void(const KVPairs<Val>& send, const std::vector<Range>& ranges, SlicedKVs* sliced)>;

  explicit KVWorker(int app_id, int customer_id) : KVWorker(nullptr, app_id, customer_id) {}
  KVWorker(Postoffice* postoffice, int app_id, int customer_id)
      : KVWorkerBase(postoffice, app_id, customer_id, ElementType::Of<Val>()) {
    obj_->Open();
  }
  ~KVWorker() override { this->CloseCustomer(); }

  // Copies what it is given.
  int Push(const std::vector<Key>& keys, const std::vector<Val>& vals, const std::vector<int>& lens = {},
           int cmd = 0, const Callback& cb = nullptr, int priority = 0) {
    KVCall call = MakeCall(cmd, cb, priority);
    call.push = true;
    CopyKeys(keys, &call);
    call.send.vals = SArray<Val>(vals);
    call.send.lens = SArray<int>(lens);
    return Issue(std::move(call));
  }

  // Copies the keys.
  int Pull(const std::vector<Key>& keys, std::vector<Val>* vals, std::vector<int>* lens = nullptr,
           int cmd = 0, const Callback& cb = nullptr, int priority = 0) {
    KVCall call = MakeCall(cmd, cb, priority);
    CopyKeys(keys, &call);
    return IssuePull(&call, PullBuffer::Of(vals), PullBuffer::Of(lens));
  }

  // Push and pull as one request. `outs` is empty or as long as `vals`, and as many values must come.
  // `*lens`, where it is not empty, are the lengths of what is pushed.
  int PushPull(const std::vector<Key>& keys, const std::vector<Val>& vals, std::vector<Val>* outs,
               std::vector<int>* lens = nullptr, int cmd = 0, const Callback& cb = nullptr,
               int priority = 0) {
    KVCall call = MakeCall(cmd, cb, priority);
    call.push = true;
    call.exact_vals = vals.size();
    CopyKeys(keys, &call);
    call.send.vals = SArray<Val>(vals);
    if (lens != nullptr) call.send.lens = SArray<int>(*lens);
    return IssuePull(&call, PullBuffer::Of(outs), PullBuffer::Of(lens));
  }

  // The same without copies: the arrays must stay unchanged until the request is done.
  int ZPush(const SArray<Key>& keys, const SArray<Val>& vals, const SArray<int>& lens = {}, int cmd = 0,
            const Callback& cb = nullptr, int priority = 0) {
    KVCall call = MakeCall(cmd, cb, priority);
    call.push = true;
    call.lent = true;
    call.send.keys = keys;
    call.send.vals = vals;
    call.send.lens = lens;
    return Issue(std::move(call));
  }

  int ZPull(const SArray<Key>& keys, SArray<Val>* vals, SArray<int>* lens = nullptr, int cmd = 0,
            const Callback& cb = nullptr, int priority = 0) {
    KVCall call = MakeCall(cmd, cb, priority);
    call.lent = true;
    call.send.keys = keys;
    return IssuePull(&call, PullBuffer::Of(vals), PullBuffer::Of(lens));
  }

  // `outs` may be the memory of `vals`.
  int ZPushPull(const SArray<Key>& keys, const SArray<Val>& vals, SArray<Val>* outs,
                SArray<int>* lens = nullptr, int cmd = 0, const Callback& cb = nullptr, int priority = 0) {
    KVCall call = MakeCall(cmd, cb, priority);
    call.push = true;
    call.exact_vals = vals.size();
    call.lent = true;
    call.send.keys = keys;
    call.send.vals = vals;
    if (lens != nullptr) call.send.lens = *lens;
    return IssuePull(&call, PullBuffer::Of(outs), PullBuffer::Of(lens));
  }

  // Replaces the partition by PS_KEY_PARTITION. Before requests are issued.
  void set_slicer(const Slicer& slicer) {
    CHECK(slicer) << "invalid slicer";
    SetByteSlicer([slicer](const KVBytes& send, const std::vector<Range>& ranges, ByteSlices* slices) {
      SlicedKVs sliced;
      slicer(send.As<Val>(), ranges, &sliced);
      for (auto& slot : sliced) slices->emplace_back(slot.first, KVBytes::Of(std::move(slot.second)));
    });
  }

 private:
  static KVCall MakeCall(int cmd, const Callback& cb, int priority) {
    KVCall call;
    call.cmd = cmd;
    call.callback = cb;
    call.send.priority = priority;
    return call;
  }
  int IssuePull(KVCall* call, const PullBuffer& vals, const PullBuffer& lens) {
    call->pull = true;
    call->vals = vals;
    call->lens = lens;
    return Issue(std::move(*call));
  }
};

}  // namespace ps

#endif  // PS_KV_WORKER_H_
