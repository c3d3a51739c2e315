// Stores: what a PSStore stands for.
#ifndef PS_C_API_STORE_H_
#define PS_C_API_STORE_H_

#include <memory>
#include <utility>

#include "c_api/handles.h"
#include "ps/c/store.h"
#include "ps/postoffice.h"
#include "ps/store.h"
#include "store/loopback.h"
#include "store/shared_store.h"

namespace ps::c_api {

// A worker's store, its node's or of this process. Immutable.
class StoreHold {
 public:
  StoreHold(std::shared_ptr<Postoffice> node, std::shared_ptr<SharedStore> shared)
      : node_(std::move(node)), shared_(std::move(shared)) {}
  explicit StoreHold(std::unique_ptr<Store> local) : local_(std::move(local)) {}

  // Throws Error where the calling thread is one that the end of the store waits for.
  void CheckMayEnd() const {
    if (local_ != nullptr) ThrowIfError(static_cast<LoopbackServers&>(local_->user_shards()).CheckMayLeave());
  }
  // Null: of this process.
  const std::shared_ptr<Postoffice>& node() const { return node_; }
  // Null where the servers are in this process, and take no commands.
  SharedStore* shared() const { return shared_.get(); }
  Store& store() const { return local_ != nullptr ? *local_ : shared_->store(); }

 private:
  const std::shared_ptr<Postoffice> node_;     // before the store, which ends first
  const std::shared_ptr<SharedStore> shared_;  // with all others of this node
  const std::unique_ptr<Store> local_;
};

template <>
struct HandleTraits<PSStore> {
  using Object = StoreHold;
  static constexpr char kName[] = "PSStore";
};

}  // namespace ps::c_api

#endif  // PS_C_API_STORE_H_
