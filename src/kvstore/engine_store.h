#ifndef PS_KVSTORE_ENGINE_STORE_H_
#define PS_KVSTORE_ENGINE_STORE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "group/reducer.h"
#include "kvstore/compression.h"
#include "kvstore/key_space.h"
#include "kvstore/key_table.h"
#include "kvstore/optimizer.h"
#include "kvstore/store_type.h"
#include "ps/kvstore.h"
#include "store/shared_store.h"

namespace ps {

// The KVStore that is built on the store engine: every key is a table, or several. Local stores use the same
// servers behind a function call.
class EngineStore final : public KVStore {
 public:
  // `shared`: of the node, for distributed types; null for the others.
  EngineStore(const std::string& name, const StoreType& type, const KVStoreOptions& options,
              std::shared_ptr<SharedStore> shared);
  // What this worker has pushed has come before it goes.
  ~EngineStore() override;

  int rank() const override { return store_->rank(); }
  int num_workers() const override;
  bool is_capable(const std::string& capability) const override;

  void Init(const KVKeys& keys, const std::vector<Tensor>& values) override;
  Ticket Push(const KVKeys& keys, const std::vector<Tensor>& values, const KVPushOptions& options) override;
  Ticket Pull(const KVKeys& keys, const std::vector<Tensor>& outs, int priority, bool ignore_sparse) override;
  Ticket PushPull(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                  const std::vector<Tensor>& outs, const KVPushOptions& options) override;
  Ticket RowSparsePull(const KVKeys& keys, const std::vector<Tensor*>& outs,
                       const std::vector<Tensor>& row_ids, int priority) override;
  Ticket Set(const KVKeys& keys, const std::vector<Tensor>& values) override;
  void Erase(const KVKeys& keys) override;
  bool Has(const KVKey& key) const override;
  KVKeyInfo KeyInfo(const KVKey& key) const override;

  void SetOptimizer(const std::string& spec) override;
  void SetHyper(const KVParams& params, std::uint64_t from_round, const std::vector<KVKey>& keys) override;
  void SetUpdater(Updater updater) override;
  void SaveOptimizerStates(const std::string& uri) override;
  void LoadOptimizerStates(const std::string& uri, bool load_optimizer) override;
  void Checkpoint(const std::string& uri) override;
  void Restore(const std::string& uri) override;
  void SetGradientCompression(const KVParams& params) override;

  void Barrier(std::int64_t timeout_ms) override;
  void SetBarrierBeforeExit(bool barrier_before_exit) override;
  int NumDeadNode(int node_id, int timeout_s) const override;
  void SendCommandToServers(int head, const std::string& body) override;
  void Leave() override;

 private:
  struct Entry {
    KVKey key = 0;
    std::uint64_t id = 0;  // for the reducer
    std::unique_ptr<KeyTable> table;
    bool has_warned = false;  // of a sparse pull that was left alone
    bool is_placed = false;   // on a device, which sums it

    const KeyLayout& layout() const { return table->layout(); }
  };
  // What several devices have for a key, as the store takes it: in the processor's memory.
  struct Parcel {
    Tensor array;
    bool is_sparse = false;
    std::vector<std::uint64_t> ids;  // of rows, where it is sparse
    AddOptions options;

    const void* values() const { return array.view().data; }
    Rows rows() const { return is_sparse ? Rows::Of(ids) : Rows::All(); }
  };

  enum class Way { kIn, kOut };  // pushed, or pulled into

  bool is_local() const { return shared_ == nullptr; }
  // Gradients are compressed on their way to the device that sums them.
  bool compresses_here() const { return is_local() && !plan_.compression.is_none(); }

  std::vector<KeyGroup> GroupOf(const KVKeys& keys, std::size_t count, const char* what);
  Entry& Find(const KVKey& key);
  const Entry& Find(const KVKey& key) const;
  Status Flushed();
  Status OfAllWorkers(const Status& mine);
  void MakeMark(const TableSpec& mark);
  void MakeKeys(const std::vector<KeyGroup>& groups, const std::vector<Tensor>& values);
  void SetValues(const std::vector<KeyGroup>& groups, const std::vector<Tensor>& values);
  void TeachOptimizer(Entry* entry);
  void MakeReducer();
  void CheckFits(const Optimizer& optimizer, bool needs_whole) const;
  void CheckHasOptimizer(const char* what) const;

  void CheckShape(const Entry& entry, const Tensor& tensor, Way way) const;
  void CheckValues(const Entry& entry, const std::vector<Tensor>& values) const;
  void CheckContent(const Entry& entry, const std::vector<Tensor>& values) const;
  void CheckPushPull(const Entry& entry, const std::vector<Tensor>& values,
                     const std::vector<Tensor>& outs) const;
  std::vector<Tensor> DenseOuts(Entry* entry, const std::vector<Tensor>& outs, bool ignore_sparse) const;
  static bool IsDirect(const Entry& entry, const std::vector<Tensor>& outs);

  void PlaceKeys(const std::vector<Tensor>& values);
  Parcel Pack(const Entry& entry, const std::vector<Tensor>& values, const KVPushOptions& options);
  static Parcel PackOne(const Tensor& value, bool is_whole);
  Ticket PushOne(Entry* entry, const std::vector<Tensor>& values, const KVPushOptions& options);
  Ticket RunUpdater(Entry* entry, const std::vector<Tensor>& values);
  Ticket PullOne(Entry* entry, const std::vector<Tensor>& outs, int priority);
  Ticket PushPullOne(Entry* entry, const std::vector<Tensor>& values, const std::vector<Tensor>& outs,
                     const KVPushOptions& options);
  Ticket PullRows(const Entry& entry, const std::vector<std::uint64_t>& rows, Tensor* out, int priority);
  Ticket Distribute(const Entry& entry, const Ticket& read, const Tensor& from,
                    const std::vector<Tensor>& outs);

  const StoreType type_;
  const KVStoreOptions options_;
  const std::shared_ptr<SharedStore> shared_;  // null: local
  std::unique_ptr<Store> local_;
  Store* store_;
  std::shared_ptr<Reducer> reducer_;  // what still comes uses it
  KeySpace space_;
  KeyPlan plan_;
  std::map<KVKey, Entry> entries_;
  std::uint64_t next_id_ = 0;
  std::optional<Optimizer> optimizer_;
  std::map<std::string, std::string> hyper_;  // what has changed since for all keys
  Updater updater_;
};

}  // namespace ps

#endif  // PS_KVSTORE_ENGINE_STORE_H_
