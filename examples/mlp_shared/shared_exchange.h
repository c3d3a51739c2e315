#ifndef PS_EXAMPLES_MLP_SHARED_SHARED_EXCHANGE_H_
#define PS_EXAMPLES_MLP_SHARED_SHARED_EXCHANGE_H_

#include <map>
#include <memory>
#include <string>

#include "examples/mlp_shared/exchange.h"
#include "ps/shared_model.h"

namespace mlp {

// By a SharedModel. The sum of a round is what everybody gets, in every type: of `dist` with rounds (bsp) and
// without an updater.
class SharedExchange final : public Exchange {
 public:
  // `type`: local, dist or allreduce; devices are numbers from 0 to `num_devices` - 1. Exchanges of a job
  // that are not the same have names of their own.
  SharedExchange(const std::string& type, int num_devices, const std::string& name = "mlp");

  void InitKey(int key, std::size_t size, int device) override;
  void Begin(int key, float* gradient, int device, int priority, std::function<void()> then) override;
  void Wait(int key, int device) override { model_->PullWait(key, device); }
  void Fail(int device, const std::string& why) override { model_->Fail(device, why); }

 private:
  ps::TensorView ViewOf(int key, float* values) const;

  std::map<int, std::size_t> sizes_;  // by key; all are made before the devices' threads begin
  const std::unique_ptr<ps::SharedModel> model_;
};

}  // namespace mlp

#endif  // PS_EXAMPLES_MLP_SHARED_SHARED_EXCHANGE_H_
