#include "examples/mlp_shared/shared_exchange.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace mlp {

namespace {

ps::SharedModelOptions Named(const std::string& name) {
  ps::SharedModelOptions options;
  options.name = name;
  return options;
}

}  // namespace

SharedExchange::SharedExchange(const std::string& type, int num_devices, const std::string& name)
    : model_(ps::SharedModel::Create(type, Named(name))) {
  if (type == "dist") model_->SetParam("mode", "bsp");
  std::vector<int> devices;
  for (int device = 0; device < num_devices; ++device) devices.push_back(device);
  model_->Init(devices);
}

void SharedExchange::InitKey(int key, std::size_t size, int device) {
  model_->InitKey({static_cast<std::int64_t>(size)}, key, device);
  sizes_[key] = size;
}

void SharedExchange::Begin(int key, float* gradient, int device, int priority, std::function<void()> then) {
  const ps::TensorView view = ViewOf(key, gradient);
  model_->Push(view, key, device, priority);
  model_->PullReq(view, key, device, priority, [then = std::move(then)](ps::Stream*) { then(); });
}

ps::TensorView SharedExchange::ViewOf(int key, float* values) const {
  ps::TensorView view;
  view.data = values;
  view.shape = {static_cast<std::int64_t>(sizes_.at(key))};
  return view;
}

}  // namespace mlp
