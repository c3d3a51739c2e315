// ISharedModel: SharedModel in mshadow-ps' shape.
#ifndef PS_MSHADOW_SHARED_MODEL_H_
#define PS_MSHADOW_SHARED_MODEL_H_

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/mshadow/device_arrays.h"
#include "ps/mshadow/model_updater.h"
#include "ps/mshadow/tensor_access.h"
#include "ps/shared_model.h"

namespace mshadow::ps {

// What ps/shared_model.h says of each call holds. Tensors are any that have dptr_, shape_, stride_ (of the
// last dimension but one, in elements) and stream_, of the device and element type that the model has; they
// are taken as matrices. All throw ::ps::Error. Any thread.
template <typename xpu, typename DType = float>
class ISharedModel {
 public:
  using CallbackFunction = void(Stream<xpu>* stream, void* arg);

  explicit ISharedModel(const std::string& type)
      : type_(type), model_(::ps::SharedModel::Create(type, Options())) {}
  virtual ~ISharedModel() { model_->Close(); }  // before what its callbacks use
  ISharedModel(const ISharedModel&) = delete;
  ISharedModel& operator=(const ISharedModel&) = delete;

  // Before Init; see ps/shared_model.h for the names, others are the updater's.
  void SetParam(const char* name, const char* val) {
    model_->SetParam(name, val);
    if (name == std::string("update_on_server")) updates_ = std::atoi(val) != 0;
    if (name == std::string("test_on_server")) tests_ = std::atoi(val) != 0;
  }
  void Init(const std::vector<int>& devices) {
    if ((updates_ || tests_ || type_ == "dist") && HasUpdater())
      model_->SetUpdater(internal::UpdaterRule<DType>());
    model_->Init(devices);
    arrays_.SetAlone(devices.size() == 1);
  }
  void Init() { Init({0}); }
  template <typename ShapeT>
  void InitKey(const ShapeT& shape, int key, int devid) {
    model_->InitKey(internal::ShapeOf(shape), key, devid);
  }

  template <typename TensorT>
  ::ps::Ticket Push(const TensorT& data, int key, int devid, int priority = 0) {
    const internal::Rows rows = internal::RowsOf<xpu, DType>(data, devid);
    ::ps::Stream* const stream = arrays_.StreamOf(data.stream_, rows);
    const ::ps::TensorView array = arrays_.ToPush(rows, stream, key, devid);
    ::ps::Ticket push = model_->Push(array, key, devid, priority);
    arrays_.SetPush(array.data, key, devid, push);
    return push;
  }
  template <typename TensorT>
  ::ps::Ticket PullReq(const TensorT& data, int key, int devid, int priority = 0,
                       CallbackFunction* callback = nullptr, void* callback_arg = nullptr) {
    std::function<void(Stream<xpu>*)> call;
    if (callback != nullptr) call = [=](Stream<xpu>* stream) { callback(stream, callback_arg); };
    return PullReq(data, key, devid, priority, std::move(call));
  }
  template <typename TensorT>
  ::ps::Ticket PullReq(const TensorT& data, int key, int devid, int priority,
                       std::function<void(Stream<xpu>* stream)> callback) {
    const internal::Rows rows = internal::RowsOf<xpu, DType>(data, devid);
    const internal::Rows pulled = arrays_.ToPull(rows, key, devid);
    ::ps::Ticket pull =
        model_->PullReq(pulled.View(arrays_.StreamOf(data.stream_, rows)), key, devid, priority,
                        [rows, pulled, callback = std::move(callback)](::ps::Stream* stream) {
                          internal::DeviceArrays::Finish(rows, pulled, stream);
                          if (callback != nullptr) CallBack(callback, stream);
                        });
    arrays_.SetPull(key, devid, pull);
    return pull;
  }
  void PullWait(int key, int devid) { model_->PullWait(key, devid); }

  // With test_on_server. False, and a line on stderr: the weights are different.
  template <typename TensorT>
  bool CheckWeight(const TensorT& data, int key, int devid) {
    return model_->CheckWeight(Now(data, key, devid), key, devid).ok();
  }
  template <typename TensorT>
  void SetWeight_(const TensorT& data, int key, int devid) {
    model_->SetWeight(Now(data, key, devid), key, devid);
  }

  ::ps::SharedModel* shared_model() { return model_.get(); }

 private:
  static ::ps::SharedModelOptions Options() {
    ::ps::SharedModelOptions options;
    options.dtype = ::ps::DTypeOf<DType>::value;
    return options;
  }
  // Whether the program has one: it is asked for one, as a server does.
  static bool HasUpdater() {
    return std::unique_ptr<IModelUpdater<DType>>(CreateModelUpdater<DType>()) != nullptr;
  }
  // The program's kind of stream lives as long as the call.
  static void CallBack(const std::function<void(Stream<xpu>*)>& callback, ::ps::Stream* stream) {
    if constexpr (internal::IsComplete<Stream<xpu>>::value) {
      Stream<xpu> own;
      if constexpr (internal::HasNative<Stream<xpu>>::value)
        own.stream_ = static_cast<decltype(own.stream_)>(stream->native());
      callback(&own);
    } else {
      static_cast<void>(stream);
      callback(nullptr);
    }
  }
  template <typename TensorT>
  ::ps::TensorView Now(const TensorT& data, int key, int devid) {
    const internal::Rows rows = internal::RowsOf<xpu, DType>(data, devid);
    return arrays_.ToPush(rows, arrays_.StreamOf(data.stream_, rows), key, devid);
  }

  const std::string type_;
  bool updates_ = false;  // update_on_server, test_on_server
  bool tests_ = false;
  internal::DeviceArrays arrays_;
  const std::unique_ptr<::ps::SharedModel> model_;  // last: it uses the arrays
};

// `type`: local, dist or allreduce. The caller deletes it.
template <typename xpu, typename DType>
ISharedModel<xpu, DType>* CreateSharedModel(const char* type) {
  return new ISharedModel<xpu, DType>(type);
}

}  // namespace mshadow::ps

#endif  // PS_MSHADOW_SHARED_MODEL_H_
