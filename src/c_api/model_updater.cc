#include "ps/model_updater.h"

#include <memory>
#include <string>
#include <utility>

#include "c_api/error.h"
#include "c_api/structs.h"
#include "ps/c/updater.h"
#include "ps/status.h"

namespace ps::c_api {
namespace {

std::size_t SizeOfArray(const TensorView& view) { return static_cast<std::size_t>(view.size()); }

// C functions as a rule of a SharedModel: those that are null do nothing. What they fail with is thrown.
class CModelUpdater final : public ModelUpdater {
 public:
  CModelUpdater(const PSModelUpdater& functions, DType dtype, void* context) : functions_(functions) {
    Run(functions_.create, static_cast<int>(dtype), context, &object_);
  }
  ~CModelUpdater() override {
    if (functions_.destroy != nullptr) functions_.destroy(object_);
  }
  CModelUpdater(const CModelUpdater&) = delete;
  CModelUpdater& operator=(const CModelUpdater&) = delete;

  void SetParam(const std::string& name, const std::string& value) override {
    Run(functions_.set_param, object_, name.c_str(), value.c_str());
  }
  void InitUpdater(int rank, int argc, char** argv) override {
    Run(functions_.init_updater, object_, rank, argc, argv);
  }
  void InitModel(int key, const TensorView& weight) override {
    Run(functions_.init_model, object_, key, weight.data, SizeOfArray(weight));
  }
  void Update(int key, const TensorView& weight, const TensorView& delta) override {
    Run(functions_.update, object_, key, weight.data, delta.data, SizeOfArray(weight));
  }

 private:
  template <typename... Parameters, typename... Arguments>
  static void Run(int (*function)(Parameters...), Arguments... arguments) {
    if (function != nullptr) ThrowIfError(OutcomeOf([&] { return function(arguments...); }));
  }

  const PSModelUpdater functions_;
  void* object_ = nullptr;
};

void Register(const char* name, const PSModelUpdater* given, void* context) {
  CheckGiven(name, "name");
  CheckGiven(given, "functions");
  const PSModelUpdater functions = ReadStruct(given, "PSModelUpdater");
  CheckGiven(reinterpret_cast<const void*>(functions.update), "PSModelUpdater: update");
  ThrowIfError(RegisterModelUpdater(name, [functions, context](DType dtype) {
    return std::make_unique<CModelUpdater>(functions, dtype, context);
  }));
}

}  // namespace
}  // namespace ps::c_api

extern "C" {

int PSRegisterModelUpdater(const char* name, const PSModelUpdater* functions, void* context) {
  return ps::c_api::Call([&] { ps::c_api::Register(name, functions, context); });
}

}  // extern "C"
