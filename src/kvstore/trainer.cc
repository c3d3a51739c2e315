#include "ps/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include "group/global_norm.h"
#include "kvstore/mxnet_settings.h"
#include "kvstore/optimizer.h"
#include "kvstore/trainer_policy.h"
#include "store/updater/real.h"

namespace ps {
namespace {

// Small parameters that follow one another travel in one call of so many bytes.
constexpr std::size_t kTogether = 256 << 10;

std::string Text(double number) {
  std::ostringstream text;
  text.precision(17);
  text << number;
  return text.str();
}

double NumberOf(const std::string& name, const std::string& value) {
  std::istringstream in(value);
  Real number;
  std::string more;
  if (!(in >> number) || in >> more)
    ThrowIfError(
        Status::InvalidArgument("Trainer: " + name + "=" + value + " of the optimizer is no number"));
  return number;
}

Status Wrong(const TrainerParameter& parameter, const std::string& what) {
  return Status::InvalidArgument("parameter '" + parameter.name + "': " + what);
}

Status Check(const TrainerParameter& parameter) {
  if (parameter.weights.empty() || parameter.weights.size() != parameter.gradients.size())
    return Wrong(parameter, std::to_string(parameter.weights.size()) + " weights and " +
                                std::to_string(parameter.gradients.size()) +
                                " gradients: there is one of each per device, and one device at least");
  for (std::size_t i = 0; i < parameter.weights.size(); ++i) {
    const Tensor& weight = parameter.weights[i];
    const Tensor& gradient = parameter.gradients[i];
    if (weight.is_none() || gradient.is_none()) return Wrong(parameter, "a tensor is missing");
    if (weight.is_row_sparse())
      return Wrong(parameter, "weights are dense; row-sparse ones are read by RowSparsePull");
    if (weight.view().shape != parameter.weights[0].view().shape ||
        gradient.view().shape != parameter.weights[0].view().shape)
      return Wrong(parameter, "its weights and gradients have different shapes");
  }
  return Status::Ok();
}

Status CheckAll(const std::vector<TrainerParameter>& parameters) {
  std::set<std::string> names;
  for (const TrainerParameter& parameter : parameters) {
    PS_RETURN_IF_ERROR(Check(parameter));
    if (parameter.weights.size() != parameters[0].weights.size())
      return Wrong(parameter, "it is on another number of devices than '" + parameters[0].name + "'");
    if (!names.insert(parameter.name).second) return Wrong(parameter, "there are two of this name");
  }
  return Status::Ok();
}

}  // namespace

class Trainer::Impl {
 public:
  Impl(std::vector<TrainerParameter> parameters, const std::string& optimizer, const TrainerOptions& options)
      : parameters_(std::move(parameters)), options_(options), optimizer_text_(optimizer) {
    ThrowIfError(CheckAll(parameters_));
    ReadOptimizer();
    store_ = options.store;
    const TrainerPlan plan = PlanTrainer(Situation()).value();
    updates_on_store_ = plan.update_on_kvstore;
    if (plan.has_store && store_ == nullptr) store_ = KVStore::Create(options.kvstore, options.store_options);
    if (!plan.has_store) store_ = nullptr;
    // The same rules, in this process: what is pushed is added up already.
    if (!updates_on_store_) own_ = KVStore::Create("local");
    if (store_ != nullptr && !options.compression.empty())
      store_->SetGradientCompression(options.compression);
    MakeKeys();
  }

  void Step(double batch_size) {
    if (updates_on_store_) return PushAndPull(batch_size);
    AllreduceGrads();
    Update(batch_size);
  }

  void AllreduceGrads() {
    if (updates_on_store_)
      ThrowIfError(Status::FailedPrecondition(
          "allreduce_grads() when parameters are updated on kvstore is not supported. Try setting "
          "update_on_kvstore to False when creating trainer."));
    if (store_ == nullptr) return;
    ForEachGroup([this](std::size_t begin, std::size_t end, const KVKeys& keys) {
      const KVPushOptions options{-static_cast<int>(begin), false};
      const std::vector<Tensor> gradients = All(begin, end, &TrainerParameter::gradients);
      if (options_.compression.empty()) {
        static_cast<void>(store_->PushPull(keys, gradients, gradients, options));
      } else {
        static_cast<void>(store_->Push(keys, gradients, options));
        static_cast<void>(store_->Pull(keys, gradients, options.priority));
      }
    });
  }

  void Update(double batch_size) {
    if (updates_on_store_)
      ThrowIfError(
          Status::FailedPrecondition("update() when parameters are updated on kvstore is not supported. Try "
                                     "setting update_on_kvstore to False "
                                     "when creating trainer."));
    // They are the same on all devices: each has the norm of the sum.
    for (std::size_t device = 0; device < num_devices(); ++device) Clip(OnDevice(device));
    Rescale(own_.get(), batch_size);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const TrainerParameter& parameter = parameters_[i];
      // Gradients are the same on all devices.
      static_cast<void>(own_->Push(parameter.name, {parameter.gradients.front()}));
      static_cast<void>(
          own_->Pull(KVKeys::Repeated(parameter.name, parameter.weights.size()), parameter.weights));
    }
  }

  double learning_rate() const { return learning_rate_; }

  void SetLearningRate(double rate) {
    Updating()->SetHyper({{"lr", Text(rate)}});
    learning_rate_ = rate;
  }

  void SaveStates(const std::string& uri) { Updating()->SaveOptimizerStates(uri); }
  void LoadStates(const std::string& uri) {
    Updating()->LoadOptimizerStates(uri, true);
    batch_size_ = 0;  // that rule was scaled for the batches of who has saved it
  }
  bool updates_on_store() const { return updates_on_store_; }
  KVStore* store() { return store_.get(); }

 private:
  KVStore* Updating() { return updates_on_store_ ? store_.get() : own_.get(); }

  void ReadOptimizer() {
    const Optimizer optimizer = ParseOptimizer(optimizer_text_).value();
    for (const auto& [name, value] : optimizer.choice.options) {
      if (name == "rescale_grad" || name == "rescale") scale_ = NumberOf(name, value);
      if (name == "lr" || name == "learning_rate") learning_rate_ = NumberOf(name, value);
    }
  }

  TrainerSituation Situation() const {
    TrainerSituation situation;
    situation.is_given = store_ != nullptr;
    situation.type = store_ != nullptr ? store_->Type() : options_.kvstore;
    situation.is_capable = store_ == nullptr || store_->is_capable("optimizer");
    situation.num_devices = parameters_.empty() ? 1 : static_cast<int>(parameters_.front().weights.size());
    for (const TrainerParameter& parameter : parameters_) {
      situation.largest = std::max(situation.largest, parameter.weights.front().view().size());
      for (const Tensor& gradient : parameter.gradients)
        situation.has_sparse_gradients |= gradient.is_row_sparse();
    }
    situation.update_on_kvstore = options_.update_on_kvstore;
    situation.update_by_default = MxnetSettings::Get().update_on_kvstore;
    return situation;
  }

  // Everybody begins with the weights of rank 0.
  void MakeKeys() {
    Updating()->SetOptimizer(optimizer_text_);
    for (const TrainerParameter& parameter : parameters_) {
      const KVKeys devices = KVKeys::Repeated(parameter.name, parameter.weights.size());
      if (store_ != nullptr)
        store_->Broadcast(parameter.name, {First(parameter)}, devices, parameter.weights, 0);
      if (own_ != nullptr) own_->Init(parameter.name, {First(parameter)});
      KVParams mults;
      if (parameter.lr_mult != 1) mults["lr_mult"] = Text(parameter.lr_mult);
      if (parameter.wd_mult != 1) mults["wd_mult"] = Text(parameter.wd_mult);
      if (!mults.empty()) Updating()->SetHyper(mults, 0, {parameter.name});
    }
  }

  // A key of row-sparse gradients is row-sparse, so that only their rows travel.
  static Tensor First(const TrainerParameter& parameter) {
    const Tensor& weight = parameter.weights.front();
    if (!parameter.gradients.front().is_row_sparse()) return weight;
    std::vector<std::int64_t> rows(static_cast<std::size_t>(weight.view().shape.front()));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
    Tensor ids = Tensor::Empty({weight.view().shape.front()}, DType::kI64, weight.view().device);
    ids.CopyFrom(rows.data());
    return Tensor::RowSparse(weight.view().shape, ids, weight);
  }

  void PushAndPull(double batch_size) {
    Clip(All(0, parameters_.size(), &TrainerParameter::gradients));
    Rescale(store_.get(), batch_size);
    ForEachGroup([this](std::size_t begin, std::size_t end, const KVKeys& keys) {
      const KVPushOptions options{-static_cast<int>(begin), false};
      const std::vector<Tensor> gradients = All(begin, end, &TrainerParameter::gradients);
      const std::vector<Tensor> weights = All(begin, end, &TrainerParameter::weights);
      static_cast<void>(store_->Push(keys, gradients, options));
      static_cast<void>(store_->Pull(keys, weights, options.priority));
    });
  }

  // `f(begin, end, keys)` for parameters that travel together; keys once per device.
  template <typename F>
  void ForEachGroup(const F& f) const {
    std::size_t begin = 0;
    while (begin < parameters_.size()) {
      std::size_t end = begin;
      std::size_t bytes = 0;
      std::vector<KVKey> keys;
      do {
        const TrainerParameter& parameter = parameters_[end++];
        bytes += parameter.weights.front().view().bytes();
        keys.insert(keys.end(), parameter.weights.size(), parameter.name);
      } while (end < parameters_.size() &&
               bytes + parameters_[end].weights.front().view().bytes() <= kTogether);
      f(begin, end, KVKeys(std::move(keys)));
      begin = end;
    }
  }

  std::vector<Tensor> All(std::size_t begin, std::size_t end,
                          std::vector<Tensor> TrainerParameter::*which) const {
    std::vector<Tensor> all;
    for (std::size_t i = begin; i < end; ++i)
      all.insert(all.end(), (parameters_[i].*which).begin(), (parameters_[i].*which).end());
    return all;
  }

  std::size_t num_devices() const { return parameters_.empty() ? 0 : parameters_.front().gradients.size(); }
  std::vector<Tensor> OnDevice(std::size_t device) const {
    std::vector<Tensor> gradients;
    for (const TrainerParameter& parameter : parameters_) gradients.push_back(parameter.gradients[device]);
    return gradients;
  }

  void Clip(std::vector<Tensor> gradients) const {
    if (options_.clip_global_norm > 0) ClipByGlobalNorm(&gradients, options_.clip_global_norm);
  }

  // Of all workers the first to come with another size says so.
  void Rescale(KVStore* store, double batch_size) {
    if (!(batch_size > 0) || !std::isfinite(batch_size))
      ThrowIfError(
          Status::InvalidArgument("Trainer: a batch has " + Text(batch_size) + " examples; above 0"));
    if (batch_size == batch_size_) return;
    store->SetHyper({{"rescale_grad", Text(scale_ / batch_size)}});
    batch_size_ = batch_size;
  }

  const std::vector<TrainerParameter> parameters_;
  const TrainerOptions options_;
  const std::string optimizer_text_;
  std::shared_ptr<KVStore> store_;  // null: none
  std::unique_ptr<KVStore> own_;    // updates, where the store does not
  bool updates_on_store_ = false;
  double scale_ = 1;
  double learning_rate_ = std::numeric_limits<double>::quiet_NaN();
  double batch_size_ = 0;
};

Trainer::Trainer(std::vector<TrainerParameter> parameters, const std::string& optimizer,
                 const TrainerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(parameters), optimizer, options)) {}
Trainer::~Trainer() = default;
void Trainer::Step(double batch_size) { impl_->Step(batch_size); }
void Trainer::AllreduceGrads() { impl_->AllreduceGrads(); }
void Trainer::Update(double batch_size) { impl_->Update(batch_size); }
double Trainer::learning_rate() const { return impl_->learning_rate(); }
void Trainer::SetLearningRate(double rate) { impl_->SetLearningRate(rate); }
void Trainer::SaveStates(const std::string& uri) { impl_->SaveStates(uri); }
void Trainer::LoadStates(const std::string& uri) { impl_->LoadStates(uri); }
bool Trainer::update_on_kvstore() const { return impl_->updates_on_store(); }
KVStore* Trainer::store() { return impl_->store(); }

}  // namespace ps
