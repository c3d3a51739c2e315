// Trainer: gradients in, new weights out, through a KVStore or without one.
#ifndef PS_TRAINER_H_
#define PS_TRAINER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ps/kvstore.h"
#include "ps/tensor.h"

namespace ps {

// One parameter of a model, on every device that has it. Tensors are shared with the program: it fills the
// gradients, and reads the weights.
struct TrainerParameter {
  std::string name;               // its key: the same on all workers, and of no other parameter
  std::vector<Tensor> weights;    // one per device, dense, of equal shape
  std::vector<Tensor> gradients;  // one per device: dense, or row-sparse
  double lr_mult = 1;
  double wd_mult = 1;
};

struct TrainerOptions {
  std::string kvstore = "device";  // a type of KVStore; empty: none, each process for itself
  std::shared_ptr<KVStore> store;  // or one that there is
  KVStoreOptions store_options;    // of the one that is made
  // Whether the store updates the weights, or only adds the gradients of all up, and every process updates
  // its own. Unset: MXNET_UPDATE_ON_KVSTORE (1), but for a `local` store with a parameter of more than 16 Mi
  // elements, and for stores that can not.
  std::optional<bool> update_on_kvstore;
  KVParams compression;  // see KVStore::SetGradientCompression; empty: none
  // Gradients are scaled down to this norm over all parameters, before they are rescaled by the batch size;
  // 0: not. Where the store updates, those of each process, else their sum.
  double clip_global_norm = 0;
};

// MXNet's gluon.Trainer. One thread. All throw Error.
class Trainer {
 public:
  // `optimizer` as for KVStore::SetOptimizer; its rescale_grad is divided by the batch size. Distributed: all
  // workers make it together, and begin with the weights of rank 0. kInvalidArgument names the parameter.
  Trainer(std::vector<TrainerParameter> parameters, const std::string& optimizer,
          const TrainerOptions& options = {});
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // AllreduceGrads and Update: the weights are new when they are read. `batch_size`: examples that the
  // gradients of all processes together are sums over (above 0).
  void Step(double batch_size);
  // Every gradient becomes the sum over devices and workers. Not where the store updates.
  void AllreduceGrads();
  void Update(double batch_size);

  // As the text, or SetLearningRate, has said it last; NaN: neither has.
  double learning_rate() const;
  // From the next step on; distributed, by one worker.
  void SetLearningRate(double rate);
  // The optimizer with its states.
  void SaveStates(const std::string& uri);
  void LoadStates(const std::string& uri);

  bool update_on_kvstore() const;
  // Null: there is none.
  KVStore* store();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace ps

#endif  // PS_TRAINER_H_
