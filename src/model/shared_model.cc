#include "ps/shared_model.h"

#include <cstdio>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "device/shape.h"
#include "group/group.h"
#include "model/allreduce_sink.h"
#include "model/key_spec.h"
#include "model/model_rule.h"
#include "model/model_settings.h"
#include "model/table_sink.h"
#include "model/test_sink.h"
#include "ps/environment.h"
#include "ps/postoffice.h"
#include "store/shared_store.h"

namespace ps {
namespace {

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
  void SetParam(const std::string& name, const std::string& value) PS_EXCLUDES(mutex_);
  void SetUpdater(const std::string& rule, const UpdaterOptions& options) PS_EXCLUDES(mutex_);
  void Init(const std::vector<int>& devices) PS_EXCLUDES(mutex_);
  void InitKey(const Shape& shape, int key, int devid, DType dtype) PS_EXCLUDES(mutex_);
  // What a program gives, on a thread of the model: bound to the node, as the program's own threads are.
  std::function<void(Stream*)> Bound(std::function<void(Stream*)> callback) const;
  TensorView Checked(const TensorView& data, int key, int devid) const;
  Group& group() const PS_EXCLUDES(mutex_);
  TestSink& test_copy(const char* what) const;
  void Close() PS_EXCLUDES(mutex_);

 private:
  Group::Options GroupOptions(const std::vector<int>& devices) const PS_REQUIRES(mutex_);
  std::unique_ptr<ResultSink> MakeSink(std::int64_t* timeout_ms) PS_REQUIRES(mutex_);
  std::unique_ptr<ResultSink> MakeLocalSink() PS_REQUIRES(mutex_);
  void MakeTables(const Group::Key& key, const ModelSettings& settings) const;

  const ModelType type_;
  const SharedModelOptions options_;
  const ModelEnvironment environment_;
  mutable Mutex mutex_;  // for what is said before, or while, others work; held while nothing waits
  ModelSettings settings_ PS_GUARDED_BY(mutex_);
  std::unique_ptr<Group> group_ PS_GUARDED_BY(mutex_);  // from Init on; then it stays
  // Of the group's sink, set by Init.
  Postoffice* node_ = nullptr;  // of dist and allreduce
  TableSink* tables_ = nullptr;
  TestSink* test_ = nullptr;
};

void SharedModel::Impl::SetParam(const std::string& name, const std::string& value) {
  const std::optional<int> key = ModelSettings::PushOpKey(name);
  MutexLock lock(mutex_);
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
  MutexLock lock(mutex_);
  if (group_ != nullptr) ThrowIfError(Status::FailedPrecondition("SetUpdater comes before Init"));
  settings_.updater = UpdaterChoice{rule, options};
}

// --- Init ---

Group::Options SharedModel::Impl::GroupOptions(const std::vector<int>& devices) const {
  Group::Options options;
  options.devices = devices;
  options.max_rounds = settings_.rounds;
  options.max_merges = settings_.one_push_thread ? 1 : 0;
  options.max_deliveries = settings_.one_pull_thread ? 1 : 0;
  options.reduce_threads = settings_.reduce_threads;
  options.big = static_cast<std::size_t>(settings_.bigarray_bound);
  options.timeout_ms = environment_.barrier_timeout_ms;
  return options;
}

// What becomes of a merged value in this process; null: it is the result.
std::unique_ptr<ResultSink> SharedModel::Impl::MakeLocalSink() {
  if (settings_.test_on_server) {
    auto test = std::make_unique<TestSink>();
    test_ = test.get();
    return test;
  }
  if (!settings_.update_on_server) return nullptr;
  auto tables = std::make_unique<TableSink>();
  tables_ = tables.get();
  return tables;
}

std::unique_ptr<ResultSink> SharedModel::Impl::MakeSink(std::int64_t* timeout_ms) {
  if (type_ == ModelType::kLocal) return MakeLocalSink();
  Postoffice* const node = options_.node != nullptr ? options_.node : Postoffice::Get();
  node_ = node;
  if (type_ == ModelType::kAllreduce) {
    std::shared_ptr<Collective> workers = Collective::Of(node);
    *timeout_ms = node->config().barrier_timeout_ms;
    const AllreduceSink::Options options{options_.name, settings_.mean};
    return std::make_unique<AllreduceSink>(std::move(workers), options, MakeLocalSink());
  }
  auto tables = std::make_unique<TableSink>(SharedStore::Of(node));
  *timeout_ms = node->config().barrier_timeout_ms;
  tables_ = tables.get();
  return tables;
}

void SharedModel::Impl::Init(const std::vector<int>& devices) {
  MutexLock lock(mutex_);
  if (group_ != nullptr)
    ThrowIfError(Status::FailedPrecondition("Init was called before; it is called once"));
  ThrowIfError(settings_.Check(type_, devices));
  Group::Options options = GroupOptions(devices);
  std::unique_ptr<ResultSink> sink = MakeSink(&options.timeout_ms);
  group_ = std::make_unique<Group>(options, std::move(sink));
}

Group& SharedModel::Impl::group() const {
  MutexLock lock(mutex_);
  if (group_ == nullptr) ThrowIfError(Status::FailedPrecondition("Init comes first"));
  return *group_;
}

// --- keys ---

void SharedModel::Impl::MakeTables(const Group::Key& key, const ModelSettings& settings) const {
  const bool is_local = type_ != ModelType::kDist;
  if (tables_ == nullptr && test_ == nullptr) return;
  const TableSpec spec = KeySpec(options_.name, key, settings, is_local);
  if (test_ != nullptr) return test_->Add(key.key, spec, key.shape);
  tables_->Add(key.key, spec, key.shape, IsModelUpdater(spec.updater));
}

void SharedModel::Impl::InitKey(const Shape& shape, int key, int devid, DType dtype) {
  Group& devices = group();
  Group::Key made;
  made.key = key;
  made.shape = AsMatrix(shape, dtype, KeyAndDevice(key, devid)).value();
  made.dtype = dtype;
  ModelSettings settings;
  {
    MutexLock lock(mutex_);
    settings = settings_;
  }
  made.merge = settings.MergeOf(key);
  if (type_ == ModelType::kAllreduce && settings.mean && !IsFloat(dtype))
    ThrowIfError(
        Status::InvalidArgument(KeyAndDevice(key, devid) + "scale=mean is for floats, not " + NameOf(dtype)));
  devices.AddKey(made, devid, [&] { MakeTables(made, settings); });
}

std::function<void(Stream*)> SharedModel::Impl::Bound(std::function<void(Stream*)> callback) const {
  if (callback == nullptr || node_ == nullptr) return callback;
  return [node = node_, callback = std::move(callback)](Stream* stream) {
    const ScopedPostoffice bound(node);
    callback(stream);
  };
}

TensorView SharedModel::Impl::Checked(const TensorView& data, int key, int devid) const {
  TensorView matrix = data;
  matrix.shape = AsMatrix(data.shape, data.dtype, KeyAndDevice(key, devid)).value();
  if (environment_.force_stream && data.stream == nullptr && data.device != DeviceId::Cpu())
    ThrowIfError(Status::InvalidArgument(KeyAndDevice(key, devid) + "an array on " + ToString(data.device) +
                                         " has no stream, and PS_FORCE_STREAM=1"));
  // What a merge could not use is this call's error, and not that of the round for all.
  const Status usable = Guarded([&matrix] {
    static_cast<void>(Tensor::Foreign(matrix));
    return Status::Ok();
  });
  if (!usable.ok()) ThrowIfError(Status(usable.code(), KeyAndDevice(key, devid) + usable.message()));
  return matrix;
}

TestSink& SharedModel::Impl::test_copy(const char* what) const {
  static_cast<void>(group());
  if (test_ == nullptr)
    ThrowIfError(Status::FailedPrecondition(std::string(what) + " is for models with test_on_server=1"));
  return *test_;
}

void SharedModel::Impl::Close() {
  Group* group = nullptr;
  {
    MutexLock lock(mutex_);
    group = group_.get();
  }
  if (group != nullptr) group->Close();
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
  Group& group = impl_->group();
  return group.Distribute(key, devid, {impl_->Checked(data, key, devid), impl_->Bound(std::move(callback))},
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
  constexpr double kMost = 1e-5;
  TestSink& copy = impl_->test_copy("CheckWeight");
  const double error = copy.ErrorOf(key, impl_->Checked(data, key, devid));
  // The lines of mshadow-ps.
  if (error <= kMost) {
    std::fprintf(stderr, "check pass\n");
    return Status::Ok();
  }
  std::fprintf(stderr, "PSLocal:key=%d,dev=%d: err=%g\n", key, devid, error);
  return Status::FailedPrecondition(KeyAndDevice(key, devid) + "the weight differs from the updater's by " +
                                    std::to_string(error) + " of its size");
}

void SharedModel::SetWeight(const TensorView& data, int key, int devid) {
  impl_->test_copy("SetWeight").Set(key, impl_->Checked(data, key, devid));
}

void SharedModel::Fail(int devid, const std::string& why) { impl_->group().SetGone(devid, why); }
void SharedModel::Close() { impl_->Close(); }

DeviceScope::~DeviceScope() {
  if (std::uncaught_exceptions() <= exceptions_) return;
  const Status told = Guarded([this] {
    model_->Fail(devid_, "its thread was left by an exception");
    return Status::Ok();
  });
  if (!told.ok())
    PS_LOG(kError, "",
           "device " << devid_ << " of a model was left by an exception, and nobody could be told: " << told);
}

}  // namespace ps
