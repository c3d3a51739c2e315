#include "group/reducer.h"

#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "device/shape.h"
#include "group/bit_sum.h"
#include "group/broadcast.h"
#include "group/dense_sum.h"
#include "group/nccl_sum.h"
#include "group/placement.h"
#include "group/resources.h"
#include "group/row_sum.h"

namespace ps {
namespace {

const char* StorageOf(const Tensor& tensor) { return tensor.is_row_sparse() ? "row-sparse " : "dense "; }

// What one key's values have to have in common.
Status CheckAlike(std::uint64_t key, const std::vector<Tensor>& values) {
  const std::string of_key = " of key " + std::to_string(key);
  if (values.empty()) return Status::InvalidArgument("there are no values" + of_key + " to be summed");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = "value " + std::to_string(i) + of_key;
    if (values[i].is_none()) return Status::InvalidArgument(name + " is no tensor");
    const TensorView& first = values[0].view();
    const TensorView& view = values[i].view();
    if (view.shape == first.shape && view.dtype == first.dtype &&
        values[i].is_row_sparse() == values[0].is_row_sparse())
      continue;
    return Status::InvalidArgument(name + " is " + StorageOf(values[i]) + Describe(view) +
                                   ", but the first one " + StorageOf(values[0]) + Describe(first));
  }
  return Status::Ok();
}

Status CheckCompressible(const Tensor& value) {
  if (value.is_row_sparse())
    return Status::InvalidArgument("Gradient compression for row sparse storage type is not supported");
  if (value.view().dtype != DType::kF32)
    return Status::InvalidArgument(
        "Gradient compression is only supported for float32 type of parameters, not " +
        Describe(value.view()));
  return Status::Ok();
}

BitRule RuleOf(const Reducer::Options& options) {
  return {options.is_two_bit ? BitRule::kTwoBit : BitRule::kOneBit, options.threshold};
}

}  // namespace

class Reducer::Impl {
 public:
  explicit Impl(const Options& options)
      : options_(options),
        resources_(options.num_threads, options.big, options.cpus_are_apart),
        nccl_sum_(&resources_) {}

  void Place(std::uint64_t key, std::size_t bytes, const std::vector<DeviceId>& devices) {
    MutexLock lock(mutex_);
    placement_.Add(key, bytes, devices);
  }

  Tensor Sum(std::uint64_t key, const std::vector<Tensor>& values) {
    if (options_.uses_nccl && values.size() > 1) return nccl_sum_.Sum(values);
    const DeviceId owner = OwnerOf(key, values.front().view().device);
    if (options_.on_device && options_.compresses) {
      ThrowIfError(CheckCompressible(values.front()));
      return BitSumOf(key)->Sum(owner, values);
    }
    return values.front().is_row_sparse() ? SumRows(&resources_, owner, values)
                                          : SumDense(&resources_, owner, values);
  }

  void Broadcast(std::uint64_t key, const Tensor& from, const std::vector<Tensor>& to) {
    CopyToAll(&resources_, from, to, key);
  }

  void Forget(std::uint64_t key) {
    std::shared_ptr<BitSum> gone;  // ends without the lock
    MutexLock lock(mutex_);
    placement_.Remove(key);
    const auto found = bit_sums_.find(key);
    if (found == bit_sums_.end()) return;
    gone = std::move(found->second);
    bit_sums_.erase(found);
  }

 private:
  DeviceId OwnerOf(std::uint64_t key, const DeviceId& first) {
    if (!options_.on_device) return DeviceId::Cpu();
    MutexLock lock(mutex_);
    return placement_.Find(key).value_or(first);
  }
  // Shared with Forget: a sum that has begun ends with its own.
  std::shared_ptr<BitSum> BitSumOf(std::uint64_t key) {
    MutexLock lock(mutex_);
    std::shared_ptr<BitSum>& sum = bit_sums_[key];
    if (sum == nullptr) sum = std::make_shared<BitSum>(&resources_, key, RuleOf(options_));
    return sum;
  }

  const Options options_;
  Resources resources_;
  NcclSum nccl_sum_;
  Mutex mutex_;  // held for look-ups only
  Placement placement_ PS_GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::shared_ptr<BitSum>> bit_sums_ PS_GUARDED_BY(mutex_);
};

Reducer::Reducer(const Options& options) : impl_(std::make_unique<Impl>(options)) {}
Reducer::~Reducer() = default;

void Reducer::Place(std::uint64_t key, std::size_t bytes, const std::vector<DeviceId>& devices) {
  if (devices.empty())
    ThrowIfError(Status::InvalidArgument("key " + std::to_string(key) + " can be placed on no device"));
  impl_->Place(key, bytes, devices);
}

Tensor Reducer::Sum(std::uint64_t key, const std::vector<Tensor>& values) {
  ThrowIfError(CheckAlike(key, values));
  return impl_->Sum(key, values);
}

void Reducer::Broadcast(std::uint64_t key, const Tensor& from, const std::vector<Tensor>& to) {
  impl_->Broadcast(key, from, to);
}

void Reducer::Forget(std::uint64_t key) { impl_->Forget(key); }

}  // namespace ps
