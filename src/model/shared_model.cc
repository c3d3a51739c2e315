#include "ps/shared_model.h"

#include <utility>

#include "device/shape.h"
#include "group/group.h"
#include "model/model_settings.h"
#include "ps/environment.h"

namespace ps {
namespace {

std::string Named(int key, int devid) {
  return "key " + std::to_string(key) + ", device " + std::to_string(devid) + ": ";
}

// As a matrix: the last dimension, and all others.
Result<Shape> AsMatrix(const Shape& shape, DType dtype, const std::string& whom) {
  const Result<std::size_t> bytes = BytesOfShape(shape, dtype);
  if (!bytes.ok()) return Status(bytes.status().code(), whom + bytes.status().message());
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  if (rows * columns == 0) return Status::InvalidArgument(whom + "an array without elements");
  return Shape{rows, columns};
}

}  // namespace

class SharedModel::Impl {
 public:
  Impl(ModelType type, const SharedModelOptions& options)
      : type_(type), options_(options), environment_(ModelEnvironment::Read(*Environment::Get()).value()) {}

  DType dtype() const { return options_.dtype; }
  void SetParam(const std::string& name, const std::string& value);
  void SetUpdater(const std::string& rule, const UpdaterOptions& options);
  void Init(const std::vector<int>& devices);
  void InitKey(const Shape& shape, int key, int devid, DType dtype);
  TensorView Checked(const TensorView& data, int key, int devid) const;
  Group& group() const;
  void Close();

 private:
  const ModelType type_;
  const SharedModelOptions options_;
  const ModelEnvironment environment_;
  ModelSettings settings_;
  std::unique_ptr<Group> group_;  // from Init on
};

void SharedModel::Impl::SetParam(const std::string& name, const std::string& value) {
  const std::optional<int> key = ModelSettings::PushOpKey(name);
  if (group_ != nullptr && !key)
    ThrowIfError(Status::FailedPrecondition("parameter " + name + " is set before Init"));
  ModelSettings set = settings_;
  ThrowIfError(set.Set(name, value));
  if (group_ != nullptr) {
    if (set.MergeOf(*key) == MergeKind::kGather) ThrowIfError(set.CheckGather(type_, *key));
    group_->SetMerge(*key, set.MergeOf(*key));
  }
  settings_ = std::move(set);
}

void SharedModel::Impl::SetUpdater(const std::string& rule, const UpdaterOptions& options) {
  if (group_ != nullptr) ThrowIfError(Status::FailedPrecondition("SetUpdater comes before Init"));
  settings_.updater = UpdaterChoice{rule, options};
}

void SharedModel::Impl::Init(const std::vector<int>& devices) {
  if (group_ != nullptr)
    ThrowIfError(Status::FailedPrecondition("Init was called before; it is called once"));
  ThrowIfError(settings_.Check(type_, devices));
  Group::Options options;
  options.devices = devices;
  options.max_rounds = settings_.rounds;
  options.max_merges = settings_.one_push_thread ? 1 : 0;
  options.max_deliveries = settings_.one_pull_thread ? 1 : 0;
  options.reduce_threads = settings_.reduce_threads;
  options.big = static_cast<std::size_t>(settings_.bigarray_bound);
  options.timeout_ms = environment_.barrier_timeout_ms;
  group_ = std::make_unique<Group>(options, nullptr);
}

Group& SharedModel::Impl::group() const {
  if (group_ == nullptr) ThrowIfError(Status::FailedPrecondition("Init comes first"));
  return *group_;
}

void SharedModel::Impl::InitKey(const Shape& shape, int key, int devid, DType dtype) {
  Group::Key made;
  made.key = key;
  made.shape = AsMatrix(shape, dtype, Named(key, devid)).value();
  made.dtype = dtype;
  made.merge = settings_.MergeOf(key);
  group().AddKey(made, devid, nullptr);
}

TensorView SharedModel::Impl::Checked(const TensorView& data, int key, int devid) const {
  TensorView matrix = data;
  matrix.shape = AsMatrix(data.shape, data.dtype, Named(key, devid)).value();
  if (environment_.force_stream && data.stream == nullptr && data.device != DeviceId::Cpu())
    ThrowIfError(Status::InvalidArgument(Named(key, devid) + "an array on " + ToString(data.device) +
                                         " has no stream, and PS_FORCE_STREAM=1"));
  return matrix;
}

void SharedModel::Impl::Close() {
  if (group_ != nullptr) group_->Close();
}

// --- the face ---

SharedModel::SharedModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SharedModel::~SharedModel() { Close(); }

std::unique_ptr<SharedModel> SharedModel::Create(const std::string& type, const SharedModelOptions& options) {
  return std::unique_ptr<SharedModel>(
      new SharedModel(std::make_unique<Impl>(ModelTypeNamed(type).value(), options)));
}

DType SharedModel::default_dtype() const { return impl_->dtype(); }
void SharedModel::SetParam(const std::string& name, const std::string& value) {
  impl_->SetParam(name, value);
}
void SharedModel::SetUpdater(const std::string& rule, const UpdaterOptions& options) {
  impl_->SetUpdater(rule, options);
}
void SharedModel::Init(const std::vector<int>& devices) { impl_->Init(devices); }
void SharedModel::InitKey(const Shape& shape, int key, int devid, DType dtype) {
  impl_->InitKey(shape, key, devid, dtype);
}

Ticket SharedModel::Push(const TensorView& data, int key, int devid, int priority) {
  return impl_->group().Contribute(key, devid, impl_->Checked(data, key, devid), priority);
}

Ticket SharedModel::PullReq(const TensorView& data, int key, int devid, int priority,
                            std::function<void(Stream* stream)> callback) {
  return impl_->group().Distribute(key, devid, {impl_->Checked(data, key, devid), std::move(callback)},
                                   priority);
}

void SharedModel::PullWait(int key, int devid) {
  const std::optional<Ticket> last = impl_->group().LastOf(key, devid);
  if (last) last->Wait();
}

Status SharedModel::PullWaitFor(int key, int devid, std::chrono::milliseconds timeout) {
  const std::optional<Ticket> last = impl_->group().LastOf(key, devid);
  return last ? last->WaitFor(timeout) : Status::Ok();
}

Status SharedModel::CheckWeight(const TensorView& data, int key, int devid) {
  static_cast<void>(impl_->Checked(data, key, devid));
  return Status::FailedPrecondition("CheckWeight is for test_on_server=1");
}

void SharedModel::SetWeight(const TensorView& data, int key, int devid) {
  static_cast<void>(impl_->Checked(data, key, devid));
  ThrowIfError(Status::FailedPrecondition("SetWeight is for test_on_server=1"));
}

void SharedModel::Fail(int devid, const std::string& why) { impl_->group().SetGone(devid, why); }
void SharedModel::Close() { impl_->Close(); }

}  // namespace ps
