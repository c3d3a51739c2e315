// A KVStore of the C interface, for programs that know the C++ one.
#ifndef PS_TESTS_SUPPORT_C_KVSTORE_H_
#define PS_TESTS_SUPPORT_C_KVSTORE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ps/c_api.h"
#include "ps/kvstore.h"

namespace ps {

// Does everything by C functions alone; tensors go there and back by DLPack, so their memory is one. What is
// not overridden says that it is not supported. Borrows the handle.
class CKVStore final : public KVStore {
 public:
  explicit CKVStore(PSKVStore store);

 private:
  int rank() const override;
  int num_workers() const override;
  void Init(const KVKeys& keys, const std::vector<Tensor>& values) override;
  Ticket Push(const KVKeys& keys, const std::vector<Tensor>& values, const KVPushOptions& options) override;
  Ticket Pull(const KVKeys& keys, const std::vector<Tensor>& outs, int priority, bool ignore_sparse) override;
  Ticket PushPull(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                  const std::vector<Tensor>& outs, const KVPushOptions& options) override;
  void Broadcast(const KVKeys& keys, const std::vector<Tensor>& values, const KVKeys& out_keys,
                 const std::vector<Tensor>& outs, int priority) override;
  Ticket RowSparsePull(const KVKeys& keys, const std::vector<Tensor*>& outs,
                       const std::vector<Tensor>& row_ids, int priority) override;
  Ticket Set(const KVKeys& keys, const std::vector<Tensor>& values) override;
  void Erase(const KVKeys& keys) override;
  void SetOptimizer(const std::string& spec) override;
  void SetHyper(const KVParams& params, std::uint64_t from_round, const std::vector<KVKey>& keys) override;
  void SetGradientCompression(const KVParams& params) override;
  void Barrier(std::int64_t timeout_ms) override;
  void SendCommandToServers(int head, const std::string& body) override;
  void Leave() override;

  const PSKVStore store_;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_C_KVSTORE_H_
