// IModelUpdater: what a program makes of merged values, in mshadow-ps' shape.
#ifndef PS_MSHADOW_MODEL_UPDATER_H_
#define PS_MSHADOW_MODEL_UPDATER_H_

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ps/model_updater.h"
#include "ps/mshadow/tensor_access.h"
#include "ps/status.h"

namespace mshadow::ps {
namespace internal {

// The forms with pointers, and, where the program has mshadow's Tensor (defined by now), those with it.
template <typename DType, bool kHasTensor>
class UpdaterForms {
 public:
  virtual ~UpdaterForms() = default;
  virtual void InitModel(int /*key*/, DType* /*dptr*/, std::size_t /*size*/) {}
  virtual void Update(int key, DType* dptr, std::size_t size) = 0;
};

template <typename DType>
class UpdaterForms<DType, true> {
 public:
  using Vector = Tensor<cpu, 1, DType>;

  virtual ~UpdaterForms() = default;
  virtual void InitModel(int key, DType* dptr, std::size_t size) { InitModel_(key, VectorOf(dptr, size)); }
  virtual void Update(int key, DType* dptr, std::size_t size) { Update_(key, VectorOf(dptr, size)); }

 protected:
  virtual void InitModel_(int /*key*/, Vector /*data*/) {}
  virtual void Update_(int /*key*/, Vector /*data*/) {
    ::ps::ThrowIfError(::ps::Status::FailedPrecondition("an IModelUpdater has neither Update nor Update_"));
  }

 private:
  static Vector VectorOf(DType* dptr, std::size_t size) {
    Vector vector;
    vector.dptr_ = dptr;
    vector.shape_[0] = static_cast<std::remove_reference_t<decltype(vector.shape_[0])>>(size);
    vector.stride_ = vector.shape_[0];
    vector.stream_ = nullptr;
    return vector;
  }
};

}  // namespace internal

// A program's own rule. InitModel is given the weight of a key, zeros, which it may set, and which stays
// where it is: Update is given what came for the key, and changes the weight there. Both are memory of the
// processor. One object has calls of one thread at a time.
template <typename DType>
class IModelUpdater
    : public internal::UpdaterForms<DType, internal::IsComplete<Tensor<cpu, 1, DType>>::value> {
 public:
  virtual void SetParam(const char* /*name*/, const char* /*val*/) {}
  // At a server its rank and the command line that RunServer was given; in one process 0, 0 and null.
  virtual void InitUpdater(int /*rank*/, int /*argc*/, char** /*argv*/) {}
};

// The program defines it, for each element type it has models of: with `new`, or null if it has no rule.
template <typename DType>
IModelUpdater<DType>* CreateModelUpdater();

namespace internal {

// The weights of the library are elsewhere, so each call copies one into the memory that the program's
// updater knows, and back.
template <typename DType>
class UpdaterShell final : public ::ps::ModelUpdater {
 public:
  explicit UpdaterShell(std::unique_ptr<IModelUpdater<DType>> updater) : updater_(std::move(updater)) {}

  void SetParam(const std::string& name, const std::string& value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    updater_->SetParam(name.c_str(), value.c_str());
  }
  void InitUpdater(int rank, int argc, char** argv) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    updater_->InitUpdater(rank, argc, argv);
  }
  void InitModel(int key, const ::ps::TensorView& weight) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<DType>& kept = Known(key, weight);
    std::memcpy(weight.data, kept.data(), weight.bytes());
  }
  void Update(int key, const ::ps::TensorView& weight, const ::ps::TensorView& delta) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = weights_.find(key);
    // One that comes from a checkpoint: the program hears of it now.
    std::vector<DType>& kept = found != weights_.end() ? found->second : Known(key, weight);
    std::memcpy(kept.data(), weight.data, weight.bytes());
    // A copy, because programs may write where it came from: that is others' memory.
    const auto* const came = static_cast<const DType*>(delta.data);
    delta_.assign(came, came + delta.size());
    updater_->Update(key, delta_.data(), delta_.size());
    std::memcpy(weight.data, kept.data(), weight.bytes());
  }

 private:
  std::vector<DType>& Known(int key, const ::ps::TensorView& weight) {
    std::vector<DType>& kept = weights_[key];
    kept.assign(static_cast<std::size_t>(weight.size()), DType(0));
    updater_->InitModel(key, kept.data(), kept.size());
    return kept;
  }

  // Held while the program's code runs, which knows nothing of several threads.
  std::mutex mutex_;
  const std::unique_ptr<IModelUpdater<DType>> updater_;
  std::map<int, std::vector<DType>> weights_;  // none moves; under mutex_
  std::vector<DType> delta_;                   // under mutex_
};

// The name under which this process knows the program's updater for DType.
template <typename DType>
const std::string& UpdaterRule() {
  static const std::string rule = [] {
    const std::string name = std::string("mshadow_") + ::ps::NameOf(::ps::DTypeOf<DType>::value);
    ::ps::ThrowIfError(
        ::ps::RegisterModelUpdater(name, [name](::ps::DType dtype) -> std::unique_ptr<::ps::ModelUpdater> {
          if (dtype != ::ps::DTypeOf<DType>::value)
            ::ps::ThrowIfError(::ps::Status::InvalidArgument(
                name + " is no rule for weights of " + ::ps::NameOf(dtype) +
                ": 16-bit floats are kept in f32, so their updater has to be of float"));
          std::unique_ptr<IModelUpdater<DType>> made(CreateModelUpdater<DType>());
          if (made == nullptr) return nullptr;
          return std::make_unique<UpdaterShell<DType>>(std::move(made));
        }));
    return name;
  }();
  return rule;
}

}  // namespace internal
}  // namespace mshadow::ps

#endif  // PS_MSHADOW_MODEL_UPDATER_H_
