// A SharedModel by the C interface, with devices 3 and 7 and key 0 of one element.
#ifndef PS_TESTS_SUPPORT_C_MODEL_H_
#define PS_TESTS_SUPPORT_C_MODEL_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/c_api.h"
#include "tests/support/c_calls.h"
#include "tests/support/c_kv_world.h"

namespace ps {

class CModel {
 public:
  using Floats = std::vector<float>;
  using Params = std::vector<std::pair<const char*, const char*>>;
  static constexpr std::array<int, 2> kDevices = {3, 7};

  // Not initialised. `node` null: local, or the thread's.
  explicit CModel(const std::string& type, PSNode node = nullptr, const char* name = nullptr) {
    PSSharedModelOptions options{};
    options.struct_size = sizeof options;
    options.node = node;
    options.name = name;
    Ok(PSSharedModelCreate(type.c_str(), &options, &model_));
  }
  ~CModel() { PSSharedModelFree(model_); }
  CModel(const CModel&) = delete;
  CModel& operator=(const CModel&) = delete;

  PSSharedModel get() const { return model_; }
  // With the devices and the key.
  void Init(const Params& params = {}, const char* updater = nullptr) const {
    for (const auto& [name, value] : params) Ok(PSSharedModelSetParam(model_, name, value));
    if (updater != nullptr) Ok(PSSharedModelSetUpdater(model_, updater));
    Ok(PSSharedModelInit(model_, kDevices.size(), kDevices.data()));
    for (const int device : kDevices) InitKey(0, device, {1});
  }
  void InitKey(int key, int device, const std::vector<std::int64_t>& shape) const {
    Ok(PSSharedModelInitKey(model_, key, device, PS_F32, static_cast<int>(shape.size()), shape.data()));
  }
  // Frees the handle at once.
  int Push(const Floats& values, int key, int device, PSRequest* request = nullptr) const {
    return PSSharedModelPush(model_, MakeCTensor(values).get(), key, device, 0, request);
  }
  int PullReq(PSTensor into, int key, int device) const {
    return PSSharedModelPullReq(model_, into, key, device, 0, nullptr, nullptr, nullptr);
  }
  int PullWait(int key, int device) const { return PSSharedModelPullWait(model_, key, device, -1); }
  // What is pulled now, when it is there.
  float Pulled(int key, int device) const {
    const CTensor into = MakeCTensor(Floats{0});
    Ok(PullReq(into.get(), key, device));
    Ok(PullWait(key, device));
    return ElementsOf<float>(into.get())[0];
  }
  // Both devices push and pull.
  Floats Round(float of_three, float of_seven, int key = 0) const {
    Ok(Push({of_three}, key, 3));
    Ok(Push({of_seven}, key, 7));
    const CTensor three = MakeCTensor(Floats{0});
    const CTensor seven = MakeCTensor(Floats{0});
    Ok(PullReq(three.get(), key, 3));
    Ok(PullReq(seven.get(), key, 7));
    Ok(PullWait(key, 3));
    Ok(PullWait(key, 7));
    return {ElementsOf<float>(three.get())[0], ElementsOf<float>(seven.get())[0]};
  }

 private:
  PSSharedModel model_ = nullptr;
};

}  // namespace ps

#endif  // PS_TESTS_SUPPORT_C_MODEL_H_
