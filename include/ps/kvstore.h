// KVStore: parameter synchronisation by key, as MXNet's.
#ifndef PS_KVSTORE_H_
#define PS_KVSTORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ps/kv_key.h"
#include "ps/run_server.h"
#include "ps/status.h"
#include "ps/tensor.h"
#include "ps/ticket.h"

namespace ps {

class Postoffice;

// Text by name, as in {{"type", "2bit"}, {"threshold", "0.5"}}.
using KVParams = std::map<std::string, std::string>;

struct KVStoreOptions {
  // The name space of the keys: stores of one name, on all workers, share them. 1 to 40 bytes.
  std::string name = "kv";
  // Distributed stores: the node to use; null: that of the thread. One that has not been started is started,
  // and finalized with the last store that uses it.
  Postoffice* node = nullptr;
  bool mean = false;  // values of the workers are averaged instead of summed (synchronous stores)
  std::int64_t bigarray_bound = 0;  // elements from which an array is spread over the servers; 0: 1,000,000
                                    // (MXNET_KVSTORE_BIGARRAY_BOUND)
  // Dense arrays travel, and are updated, in pieces of so much, by priority; 0: whole. -1: PS_SLICE_BYTES.
  std::int64_t slice_bytes = -1;
};

// How values are handed in. `priority`: higher first.
struct KVPushOptions {
  int priority = 0;
  bool borrow = false;  // the values stay unchanged until the ticket is done, and may not be copied
};

// What is known of a key.
struct KVKeyInfo {
  Shape shape;
  DType dtype = DType::kF32;
  bool is_row_sparse = false;
  std::string mode;          // bsp, ssp:<bound>, asp
  std::vector<int> servers;  // ranks of those that have a part
};

// A store of keys. Keys and tensors of a call belong together by place; a key that is named several times has
// that many values: their sum is pushed, all are filled by a pull. The kind of key, number or text, is
// settled by the first call that names one.
//
// Calls that return a Ticket return at once: values have been copied (unless borrowed), results are there
// when the ticket is done, and a Tensor that owns its memory waits for them by itself. Calls for one key are
// done in order; small ones of one call travel together, and the results of synchronous stores then come
// together. What has not come when the last store of a node goes is kCancelled. All throw Error before
// anything is sent when they can not be: that names the key. One thread at a time per store; tickets and
// tensors by any.
//
// Further kinds of stores derive from this class (RegisterKVStore): what they do not override is not
// supported, and says so (kFailedPrecondition).
class KVStore {
 public:
  // By type, whatever its case:
  //   local, device              this process alone; sums in the processor's memory, or on a device
  //   nccl                       as device, by NCCL, in one process
  //   dist_sync (= dist)         synchronous over the workers: a round ends when all have pushed a key
  //   dist_async                 each push is applied when it comes; needs an optimizer
  //   dist_ssp:<bound>           as dist_async, but nobody reads what is over `bound` rounds behind
  //   dist_device_sync, _async   the same with sums of the devices on a device
  // and whatever was registered. kInvalidArgument lists the types.
  static std::unique_ptr<KVStore> Create(const std::string& type, const KVStoreOptions& options = {});
  virtual ~KVStore() = default;
  KVStore(const KVStore&) = delete;
  KVStore& operator=(const KVStore&) = delete;

  // As it was asked for, in lower case.
  const std::string& Type() const { return type_; }
  virtual int rank() const { return 0; }
  virtual int num_workers() const { return 1; }
  // Known: `optimizer`. kInvalidArgument for others.
  virtual bool is_capable(const std::string& capability) const;

  // Makes keys with their first values: those of rank 0 count, all workers call it together. A row-sparse
  // value makes a row-sparse key. Returns when the keys can be used; where one worker can not make them, with
  // another shape say, it fails for all.
  virtual void Init(const KVKeys& keys, const std::vector<Tensor>& values);
  virtual Ticket Push(const KVKeys& keys, const std::vector<Tensor>& values,
                      const KVPushOptions& options = {});
  // Into `outs`, of the key's shape, of any dtype. Row-sparse outs are left alone with `ignore_sparse`.
  virtual Ticket Pull(const KVKeys& keys, const std::vector<Tensor>& outs, int priority = 0,
                      bool ignore_sparse = true);
  // A push and the pull of its result in one message. Both name the same keys, each as often as it likes;
  // `outs` may be `values`.
  virtual Ticket PushPull(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                          const std::vector<Tensor>& outs, const KVPushOptions& options);
  Ticket PushPull(const KVKeys& keys, const std::vector<Tensor>& values, const std::vector<Tensor>& outs,
                  const KVPushOptions& options = {}) {
    return PushPull(keys, values, keys, outs, options);
  }
  // Init, and a pull.
  virtual void Broadcast(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                         const std::vector<Tensor>& outs, int priority);
  void Broadcast(const KVKeys& keys, const std::vector<Tensor>& values, const std::vector<Tensor>& outs,
                 int priority = 0) {
    Broadcast(keys, values, keys, outs, priority);
  }
  // Reads the rows `row_ids` (any shape, integers, or floats that are whole and below 2^24) of row-sparse
  // keys:
  // `*outs[i]` becomes a row-sparse tensor of exactly these.
  virtual Ticket RowSparsePull(const KVKeys& keys, const std::vector<Tensor*>& outs,
                               const std::vector<Tensor>& row_ids, int priority = 0);
  // Writes a value as it is, whatever the optimizer; by one worker.
  virtual Ticket Set(const KVKeys& keys, const std::vector<Tensor>& values);
  // Forgets keys, which may be made anew then; all workers call it together.
  virtual void Erase(const KVKeys& keys);
  virtual bool Has(const KVKey& key) const;
  virtual KVKeyInfo KeyInfo(const KVKey& key) const;

  // What becomes of pushed values: `adam lr=1e-3 wd=.01`, a rule of ps/updater.h with MXNet's defaults, and
  // `multi_precision=1`, `sparse=lazy|exact`. For all keys, also later ones. Any worker may say it; saying
  // the same again changes nothing.
  virtual void SetOptimizer(const std::string& spec);
  // Options of the rule (`lr`), from a round on (0: at once); for all keys, or these. lr_mult and wd_mult are
  // such.
  virtual void SetHyper(const KVParams& params, std::uint64_t from_round = 0,
                        const std::vector<KVKey>& keys = {});
  // Stores of this process: `*stored` becomes what it makes of it and of `received`, on the pushing thread.
  using Updater = std::function<void(const KVKey& key, const Tensor& received, Tensor* stored)>;
  virtual void SetUpdater(Updater updater);
  // The optimizer with its states, as Store::Save; distributed, by one worker. Loading takes the states for
  // the optimizer that is set, which must be the one that was saved, or with `load_optimizer` that one too;
  // all workers do it together. Values stay.
  virtual void SaveOptimizerStates(const std::string& uri);
  virtual void LoadOptimizerStates(const std::string& uri, bool load_optimizer = false);
  // Values and states of all keys, as Store::Save and Load; restored into keys that have been made, cut into
  // the same slices.
  virtual void Checkpoint(const std::string& uri);
  virtual void Restore(const std::string& uri);
  // `type`: 2bit, 1bit (and further codecs of ps/table_spec.h, `none`), `threshold`=0.5. Before keys are
  // made.
  virtual void SetGradientCompression(const KVParams& params);

  // Meets the other workers, when all that this one has pushed has come. -1: PS_BARRIER_TIMEOUT.
  virtual void Barrier(std::int64_t timeout_ms = -1);
  // Whether the last store of a node waits for the other nodes (default: yes).
  virtual void SetBarrierBeforeExit(bool barrier_before_exit);
  // Nodes of a group (or the node) that have not been heard from for so long.
  virtual int NumDeadNode(int node_id, int timeout_s = 60) const;
  // Returns when all servers have answered. kNotFound: a server does not know the command.
  virtual void SendCommandToServers(int head, const std::string& body);
  // This worker pushes no more: rounds are made without it. So it is, too, where the last store of a node
  // ends the node.
  virtual void Leave();

 protected:
  explicit KVStore(std::string type) : type_(std::move(type)) {}

 private:
  const std::string type_;
};

// Adds a type of store, or replaces it (with a warning); names in lower case. Any thread.
using KVStoreFactory =
    std::function<std::unique_ptr<KVStore>(const std::string& type, const KVStoreOptions& options)>;
void RegisterKVStore(const std::string& name, KVStoreFactory factory);

// Whether a type has servers, so that the program runs in roles: it says so before any role is known. Throws
// Error where there is no such type, with those that there are. Registered ones have none, as far as is
// known.
bool IsDistributedType(const std::string& type);

}  // namespace ps

#endif  // PS_KVSTORE_H_
