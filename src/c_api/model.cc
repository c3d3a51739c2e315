#include "ps/c/model.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_api/error.h"
#include "c_api/handles.h"
#include "c_api/node.h"
#include "c_api/pushed_arrays.h"
#include "c_api/request.h"
#include "c_api/structs.h"
#include "c_api/tensor.h"
#include "ps/shared_model.h"
#include "ps/updater.h"

namespace ps::c_api {

struct OpenModel {
  std::shared_ptr<Postoffice> node;  // goes after the model; null: models of this process
  std::shared_ptr<PushedArrays> pushed = std::make_shared<PushedArrays>();  // also of pulls under way
  std::unique_ptr<SharedModel> model;
};

template <>
struct HandleTraits<PSSharedModel> {
  using Object = OpenModel;
  static constexpr char kName[] = "PSSharedModel";
};

namespace {

std::shared_ptr<OpenModel> Open(const char* type, const PSSharedModelOptions* given) {
  CheckGiven(type, "type");
  const PSSharedModelOptions options = ReadStruct(given, "PSSharedModelOptions");
  SharedModelOptions wanted;
  if (options.name != nullptr) wanted.name = options.name;
  auto open = std::make_shared<OpenModel>();
  // Others than these are refused by Create.
  const bool has_node = std::string(type) == "dist" || std::string(type) == "allreduce";
  if (options.node != nullptr || has_node) open->node = NodeOf(options.node);
  wanted.node = open->node.get();
  open->model = SharedModel::Create(type, wanted);
  return open;
}

// Keeps the array that is pulled into, calls the program, and knows how it has ended when it goes.
class Pull {
 public:
  Pull(std::shared_ptr<PushedArrays> pushed, int key, int device, Tensor into)
      : pushed_(std::move(pushed)),
        key_(key),
        device_(device),
        into_(std::move(into)),
        number_(pushed_->BeginPull(key, device)) {}
  ~Pull() { pushed_->EndPull(key_, device_, number_, is_delivered_); }
  Pull(const Pull&) = delete;
  Pull& operator=(const Pull&) = delete;

  void Deliver(Stream* stream, PSSharedModelCallback callback, void* context) {
    is_delivered_ = true;
    if (callback == nullptr) return;
    ThrowIfError(OutcomeOf([&] { return callback(stream->native(), context); }));
  }

 private:
  const std::shared_ptr<PushedArrays> pushed_;
  const int key_;
  const int device_;
  const Tensor into_;
  const std::uint64_t number_;
  bool is_delivered_ = false;  // written by the model's thread, before that lets go
};

void SetParam(PSSharedModel model, const char* name, const char* value) {
  CheckGiven(name, "name");
  CheckGiven(value, "value");
  const auto open = ObjectOf(model);
  open->model->SetParam(name, value);
  // It was accepted, so it is a number.
  if (std::string(name) == "rounds") open->pushed->SetRounds(std::strtoull(value, nullptr, 10));
}

void Init(PSSharedModel model, std::size_t num_devices, const int* devices) {
  if (num_devices != 0) CheckGiven(devices, "devices");
  const auto open = ObjectOf(model);
  open->model->Init(std::vector<int>(devices, devices + num_devices));
  if (num_devices == 1) open->pushed->SetAlone();
}

void Close(OpenModel* open) {
  open->model->Close();
  open->pushed->Clear();
}

}  // namespace
}  // namespace ps::c_api

using ps::Tensor;
using ps::c_api::Call;
using ps::c_api::CheckGiven;
using ps::c_api::DenseView;
using ps::c_api::ObjectOf;

extern "C" {

int PSSharedModelCreate(const char* type, const PSSharedModelOptions* options, PSSharedModel* model) {
  return Call([&] {
    CheckGiven(model, "model");
    *model = ps::c_api::NewHandle<PSSharedModel>(ps::c_api::Open(type, options));
  });
}

int PSSharedModelSetParam(PSSharedModel model, const char* name, const char* value) {
  return Call([&] { ps::c_api::SetParam(model, name, value); });
}

int PSSharedModelSetUpdater(PSSharedModel model, const char* updater) {
  return Call([&] {
    CheckGiven(updater, "updater");
    const ps::UpdaterChoice choice = ps::ParseUpdater(updater).value();
    ObjectOf(model)->model->SetUpdater(choice.name, choice.options);
  });
}

int PSSharedModelInit(PSSharedModel model, size_t num_devices, const int* devices) {
  return Call([&] { ps::c_api::Init(model, num_devices, devices); });
}

int PSSharedModelInitKey(PSSharedModel model, int key, int device, int dtype, int ndim,
                         const int64_t* shape) {
  return Call([&] {
    ObjectOf(model)->model->InitKey(ps::c_api::ShapeOf(ndim, shape), key, device,
                                    ps::c_api::DTypeOfCode(dtype));
  });
}

int PSSharedModelPush(PSSharedModel model, PSTensor data, int key, int device, int priority,
                      PSRequest* request) {
  return Call([&] {
    const auto open = ObjectOf(model);
    const Tensor array = ps::c_api::TensorOf(data);
    const ps::Ticket merged = open->model->Push(DenseView(array), key, device, priority);
    open->pushed->Add(key, device, array, merged);
    if (request != nullptr) ps::c_api::Finish(merged, request, open->node);
  });
}

int PSSharedModelPullReq(PSSharedModel model, PSTensor data, int key, int device, int priority,
                         PSSharedModelCallback callback, void* context, PSRequest* request) {
  return Call([&] {
    const auto open = ObjectOf(model);
    const Tensor array = ps::c_api::TensorOf(data);
    const ps::TensorView view = DenseView(array);
    const auto pull = std::make_shared<ps::c_api::Pull>(open->pushed, key, device, array);
    const auto deliver = [pull, callback, context](ps::Stream* stream) {
      pull->Deliver(stream, callback, context);
    };
    const ps::Ticket ticket = open->model->PullReq(view, key, device, priority, deliver);
    if (request != nullptr) ps::c_api::Finish(ticket, request, open->node);
  });
}

int PSSharedModelPullWait(PSSharedModel model, int key, int device, int64_t timeout_ms) {
  return Call([&] {
    const int64_t checked_ms = ps::c_api::CheckTimeout(timeout_ms);
    const auto open = ObjectOf(model);
    if (checked_ms < 0) return open->model->PullWait(key, device);
    ps::ThrowIfError(open->model->PullWaitFor(key, device, std::chrono::milliseconds(checked_ms)));
  });
}

int PSSharedModelCheckWeight(PSSharedModel model, PSTensor data, int key, int device) {
  return Call([&] {
    const Tensor array = ps::c_api::TensorOf(data);
    ps::ThrowIfError(ObjectOf(model)->model->CheckWeight(DenseView(array), key, device));
  });
}

int PSSharedModelSetWeight(PSSharedModel model, PSTensor data, int key, int device) {
  return Call([&] {
    const Tensor array = ps::c_api::TensorOf(data);
    ObjectOf(model)->model->SetWeight(DenseView(array), key, device);
  });
}

int PSSharedModelFail(PSSharedModel model, int device, const char* why) {
  return Call([&] {
    CheckGiven(why, "why");
    ObjectOf(model)->model->Fail(device, why);
  });
}

int PSSharedModelClose(PSSharedModel model) {
  return Call([&] { ps::c_api::Close(ObjectOf(model).get()); });
}

int PSSharedModelFree(PSSharedModel model) {
  return Call([&] {
    if (model == nullptr) return;
    const auto open = ObjectOf(model);
    ps::c_api::FreeHandle(model);
    ps::c_api::Close(open.get());  // whoever else is in a call
  });
}

}  // extern "C"
