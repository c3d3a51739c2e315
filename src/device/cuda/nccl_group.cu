#include "device/nccl_group.h"

#include <string>

#include "device/cuda/cuda.h"

#if defined(PS_HAS_NCCL_HEADER)
#include <dlfcn.h>
#include <nccl.h>

#include <optional>

#include "device/cuda/on_device.h"

namespace ps {
namespace {

// NCCL's functions, of the library that is found when the first group is made: programs that never make one
// do not need it.
struct Nccl {
  decltype(&ncclCommInitAll) comm_init_all = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclReduce) reduce = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;

  Status StatusOf(ncclResult_t result, const char* what) const {
    if (result == ncclSuccess) return Status::Ok();
    return Status::Internal(std::string("NCCL: ") + what + ": " + error_string(result));
  }
};

template <typename F>
bool Find(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(dlsym(library, name));
  return *function != nullptr;
}

Result<Nccl> Load() {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Status::Unavailable(std::string("NCCL can not be loaded: ") + dlerror());
  Nccl nccl;
  const bool has_all =
      Find(library, "ncclCommInitAll", &nccl.comm_init_all) &&
      Find(library, "ncclCommDestroy", &nccl.comm_destroy) && Find(library, "ncclReduce", &nccl.reduce) &&
      Find(library, "ncclBroadcast", &nccl.broadcast) && Find(library, "ncclGroupStart", &nccl.group_start) &&
      Find(library, "ncclGroupEnd", &nccl.group_end) &&
      Find(library, "ncclGetErrorString", &nccl.error_string);
  if (!has_all) return Status::Unavailable("libnccl.so.2 lacks functions of NCCL 2");
  return nccl;
}

std::optional<ncclDataType_t> TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kF32: return ncclFloat32;
    case DType::kF16: return ncclFloat16;
    case DType::kF64: return ncclFloat64;
    case DType::kU8: return ncclUint8;
    case DType::kI32: return ncclInt32;
    case DType::kI64: return ncclInt64;
    default: return std::nullopt;
  }
}

class DlopenedNcclGroup final : public NcclGroup {
 public:
  static Result<std::unique_ptr<NcclGroup>> Make(const Nccl& nccl, const std::vector<int>& devices) {
    auto group = std::unique_ptr<DlopenedNcclGroup>(new DlopenedNcclGroup(nccl, devices));
    group->comms_.resize(devices.size());
    PS_RETURN_IF_ERROR(nccl.StatusOf(
        nccl.comm_init_all(group->comms_.data(), static_cast<int>(devices.size()), devices.data()),
        "a group of devices"));
    return std::unique_ptr<NcclGroup>(std::move(group));
  }
  ~DlopenedNcclGroup() override {
    for (ncclComm_t comm : comms_) {
      if (comm != nullptr) nccl_.comm_destroy(comm);
    }
  }

  Status Reduce(const std::vector<Stream*>& streams, const TensorView& to,
                const std::vector<TensorView>& from) override {
    PS_RETURN_IF_ERROR(Check(streams, to, from));
    return ForEach(streams, "a sum", [&](std::size_t i, cudaStream_t stream) {
      return nccl_.reduce(from[i].data, i == 0 ? to.data : nullptr, static_cast<std::size_t>(to.size()),
                          *TypeOf(to.dtype), ncclSum, 0, comms_[i], stream);
    });
  }
  Status Broadcast(const std::vector<Stream*>& streams, const std::vector<TensorView>& to,
                   const TensorView& from) override {
    PS_RETURN_IF_ERROR(Check(streams, from, to));
    return ForEach(streams, "a broadcast", [&](std::size_t i, cudaStream_t stream) {
      return nccl_.broadcast(i == 0 ? from.data : nullptr, to[i].data, static_cast<std::size_t>(from.size()),
                             *TypeOf(from.dtype), 0, comms_[i], stream);
    });
  }
  Status BeginBatch() override { return nccl_.StatusOf(nccl_.group_start(), "the begin of a batch"); }
  Status EndBatch() override { return nccl_.StatusOf(nccl_.group_end(), "the end of a batch"); }

 private:
  DlopenedNcclGroup(const Nccl& nccl, std::vector<int> devices) : nccl_(nccl), devices_(std::move(devices)) {}

  Status Check(const std::vector<Stream*>& streams, const TensorView& one,
               const std::vector<TensorView>& all) const {
    if (streams.size() != devices_.size() || all.size() != devices_.size()) {
      return Status::InvalidArgument("NCCL: " + std::to_string(all.size()) + " arrays and " +
                                     std::to_string(streams.size()) + " streams for " +
                                     std::to_string(devices_.size()) + " devices");
    }
    if (!TypeOf(one.dtype).has_value())
      return Status::InvalidArgument(std::string("Unknown type passed to NCCL KVStore: ") +
                                     NameOf(one.dtype));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].size() != one.size() || all[i].dtype != one.dtype)
        return Status::InvalidArgument("NCCL: arrays of different sizes or types");
      if (streams[i]->device() != DeviceId::Cuda(devices_[i]))
        return Status::InvalidArgument("NCCL: a stream of " + ToString(streams[i]->device()) + " for " +
                                       ToString(DeviceId::Cuda(devices_[i])));
    }
    return Status::Ok();
  }
  // call(i, stream) for each device, as one.
  template <typename Call>
  Status ForEach(const std::vector<Stream*>& streams, const char* what, const Call& call) const {
    PS_RETURN_IF_ERROR(nccl_.StatusOf(nccl_.group_start(), what));
    ncclResult_t result = ncclSuccess;
    for (std::size_t i = 0; i < streams.size() && result == ncclSuccess; ++i) {
      const cuda::OnDevice on(devices_[i]);
      result = call(i, static_cast<cudaStream_t>(streams[i]->native()));
    }
    const ncclResult_t end = nccl_.group_end();
    return nccl_.StatusOf(result != ncclSuccess ? result : end, what);
  }

  const Nccl nccl_;
  const std::vector<int> devices_;
  std::vector<ncclComm_t> comms_;
};

}  // namespace

Result<std::unique_ptr<NcclGroup>> MakeNcclGroup(const std::vector<DeviceId>& devices) {
  PS_RETURN_IF_ERROR(cuda::Available());
  std::vector<int> indices;
  for (const DeviceId& id : devices) {
    if (id.kind != DeviceId::kCuda)
      return Status::InvalidArgument("NCCL is for CUDA devices, not for " + ToString(id));
    indices.push_back(id.index);
  }
  static const Result<Nccl> nccl = Load();
  PS_RETURN_IF_ERROR(nccl.status());
  return DlopenedNcclGroup::Make(nccl.value(), indices);
}

}  // namespace ps

#else

namespace ps {

Result<std::unique_ptr<NcclGroup>> MakeNcclGroup(const std::vector<DeviceId>&) {
  return Status::Unavailable(
      "this library was built without NCCL; build it with USE_NCCL=1 and nccl.h where CUDA's headers are");
}

}  // namespace ps

#endif
