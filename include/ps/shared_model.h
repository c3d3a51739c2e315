// SharedModel: the devices of a process share arrays by key, as with mshadow-ps.
#ifndef PS_SHARED_MODEL_H_
#define PS_SHARED_MODEL_H_

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ps/dtype.h"
#include "ps/model_updater.h"
#include "ps/status.h"
#include "ps/stream.h"
#include "ps/tensor.h"
#include "ps/ticket.h"
#include "ps/updater.h"

namespace ps {

class Postoffice;

struct SharedModelOptions {
  Postoffice* node =
      nullptr;  // of dist (started where it is not) or allreduce (is started); null: the thread's
  DType dtype = DType::kF32;   // of keys whose InitKey names none
  std::string name = "model";  // of the keys' tables and of what is reduced: models of one name share them
};

// Two levels: what the devices of this process push for a key is merged here, a round at a time, and then
// goes to a sink, whose result all of them pull.
//
//   local       this process: the merged value itself; with update_on_server what the updater makes of it
//   dist        the servers' tables. mode=asp: each process' value is applied when it comes (default);
//               bsp: the sum of all workers, once per round; ssp:<bound>: as asp, nobody reads what is more
//               than `bound` rounds behind. The rule is SetUpdater's; without one values add up (asp, ssp) or
//               a round's sum replaces the one before (bsp)
//   allreduce   all workers of the job, without servers; then as local
//
// A device's j-th Push of a key belongs to round j. A round is merged when every device of Init has pushed
// it; a device may be `rounds` ahead of what is merged, then Push waits. PullReq asks for the round of the
// device's last Push; before any push (and again, after that) for what is there: of a model with updater or
// servers its value, else of the first round. Sums are made in the order of Init's list, whose bits are
// always the same.
//
// Parameters of SetParam, by name, before Init; other names are the updater's, who gets these too, and go
// over what SetUpdater says by the same name:
//
// - push_op[k]        of key k: sum (default), mean or gather (concatenated by the first dimension). Also
//                     later, before the key is pushed or a pull of it waits
// - update_on_server  1: pulls give the updater's value. Of dist always so
// - test_on_server    1: pulls give the merged value, and the updater runs beside it, for CheckWeight. Not of
//                     type dist
// - reduce_thread     8: threads of a large sum, as far as the machine has them
// - bigarray_bound    1000000: from so many elements on a sum uses them, and a key is spread over the servers
// - use_pin_memory    0 or 1: accepted (copies from and to a device go through pinned memory where needed)
// - push_thread       ndev (default): as many merges at once as devices; one
// - pull_thread       ndev, one: the same of copies with their callbacks
// - msg:*             without effect; msg:disable_allreduce=1: type allreduce is refused by Init
// - mode              of dist: asp (default), bsp or ssp:<bound>
// - scale             sum (default) or mean: what comes of all processes is divided by their number (bsp,
//                     allreduce). mshadow-ps does so for its allreduce alone
// - rounds            2: see above
//
// There is one updater object per server (of local and allreduce per process), model, dtype and set of
// parameters, which is told of all keys.
//
// Errors: what can not be (a device or key that is not there, a shape that differs, a second PullReq while
// one waits, ...) throws Error, which names key and device, before anything is done. What fails later is the
// ticket's, and PullWait's. What comes of a round after its merge fails its pulls; a device that has none for
// it is told by its next Push of the key, which then throws that, once, and contributes nothing. Waiting ends
// after PS_BARRIER_TIMEOUT, and says which devices are missing, or which workers and servers. Any thread;
// calls of one device for one key in the order that is meant.
class SharedModel {
 public:
  // `type`: local, dist or allreduce; kInvalidArgument lists them. What is local stays so, whatever else
  // runs.
  static std::unique_ptr<SharedModel> Create(const std::string& type, const SharedModelOptions& options = {});
  ~SharedModel();  // = Close()
  SharedModel(const SharedModel&) = delete;
  SharedModel& operator=(const SharedModel&) = delete;

  void SetParam(const std::string& name, const std::string& value);
  // A rule of ps/updater.h with its options, or one of RegisterModelUpdater; before Init. Names are looked up
  // where the values are.
  void SetUpdater(const std::string& rule, const UpdaterOptions& options = {});
  // The devices that take part: any numbers not below 0, each once; they are names, where arrays lie is said
  // by the arrays. Once.
  void Init(const std::vector<int>& devices);
  void Init() { Init({0}); }
  // Makes a key: by one device or by all of them, before the key is used. Whoever comes later only has to
  // mean the same shape, which counts as a matrix: the last dimension, and all others. Waits for the servers.
  // Where it fails there is no key, and it may be called again.
  void InitKey(const Shape& shape, int key, int devid) { InitKey(shape, key, devid, default_dtype()); }
  void InitKey(const Shape& shape, int key, int devid, DType dtype);

  // Contributes to the device's next round. `data` is used where it lies, and stays unchanged until the
  // matching pull is done; where that fails, until this ticket is (of a device alone, with whom the value is
  // not copied: until Fail or Close). The ticket is done when the round is merged (its error: the round's).
  // `priority`: higher first, equal ones in order.
  Ticket Push(const TensorView& data, int key, int devid, int priority = 0);
  // The result into `data`, which stays alone until the ticket is done; of gather with as many rows as all
  // devices have. A device alone without updater gets its array back, once: a second pull of a round fails.
  // `callback` is called once, when the copy is under way on the stream that it is given (of the data's
  // device, which is current; it lives during the call), on a thread of the model, without locks. It must not
  // wait. What it throws is the ticket's error. It is not called where the pull fails.
  Ticket PullReq(const TensorView& data, int key, int devid, int priority = 0,
                 std::function<void(Stream* stream)> callback = nullptr);
  // Returns when the device's last PullReq of the key is done, callback included; at once if there was none.
  void PullWait(int key, int devid);
  Status PullWaitFor(int key, int devid, std::chrono::milliseconds timeout);

  // test_on_server: compares `data` with the updater's value, where sum |a - b| / sum |a| above 1e-5 is an
  // error: a line on stderr (`PSLocal:key=..,dev=..: err=..`), and kFailedPrecondition. Else `check pass`.
  Status CheckWeight(const TensorView& data, int key, int devid);
  // test_on_server: writes the updater's value.
  void SetWeight(const TensorView& data, int key, int devid);

  // Says that a device takes part no more. What the others wait for it, or will, fails with its number and
  // `why`, and so do its own pulls; rounds that all have pushed are finished. When it returns nobody uses the
  // device's arrays any more, but in a callback, where it does not wait for that.
  void Fail(int devid, const std::string& why);
  // Refuses new work, fails what waits (kCancelled), and returns when no callback runs or will run and no
  // array is used any more. Inside a callback it does not wait for that one. Idempotent.
  void Close();

 private:
  class Impl;
  explicit SharedModel(std::unique_ptr<Impl> impl);
  DType default_dtype() const;

  const std::unique_ptr<Impl> impl_;
};

// For the thread of a device: if it is left by an exception, the others are told (SharedModel::Fail).
// Declared after the arrays that it pushes and pulls, which then outlive their use.
class DeviceScope {
 public:
  DeviceScope(SharedModel* model, int devid)
      : model_(model), devid_(devid), exceptions_(std::uncaught_exceptions()) {}
  ~DeviceScope();  // what Fail throws (Init has not been called, say) is logged: an exception is under way
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  SharedModel* const model_;
  const int devid_;
  const int exceptions_;
};

}  // namespace ps

#endif  // PS_SHARED_MODEL_H_
