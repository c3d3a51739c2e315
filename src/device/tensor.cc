#include "ps/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "device/devices.h"
#include "device/row_sparse.h"
#include "device/shape.h"
#include "device/visit_dtype.h"
#include "ps/half.h"

namespace ps {

// What the copies of a tensor share: memory, or the parts of a row-sparse one.
class Tensor::Impl {
 public:
  Impl(TensorView view, Device* device, bool owns, std::function<void()> release)
      : view_(std::move(view)), device_(device), owns_(owns), release_(std::move(release)) {}
  Impl(const Shape& shape, const Tensor& ids, const Tensor& values)
      : view_(values.view()), device_(nullptr), owns_(false), ids_(ids), values_(values) {
    view_.shape = shape;
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (release_ == nullptr) return;
    try {
      release_();
    } catch (const std::exception& error) {
      PS_LOG(kError, "", "the deleter of a tensor (" << Describe(view_) << ") has failed: " << error.what());
    } catch (...) {
      PS_LOG(kError, "", "the deleter of a tensor (" << Describe(view_) << ") has failed");
    }
  }

  const TensorView& view() const { return view_; }
  Device* device() const { return device_; }
  bool is_row_sparse() const { return !values_.is_none(); }
  const Tensor& ids() const { return ids_; }
  const Tensor& values() const { return values_; }

  void SetWrite(std::shared_ptr<PendingWrite> write) PS_EXCLUDES(mutex_) {
    if (!owns_) return;
    {
      MutexLock lock(mutex_);
      write_.swap(write);
    }
    // What was there before goes without the lock: with it may go the last copy of a tensor.
  }
  // Returns when nothing writes the memory any more. A write that failed stays, so that everybody is told.
  Status Await() PS_EXCLUDES(mutex_) {
    if (view_.stream != nullptr) PS_RETURN_IF_ERROR(view_.stream->Record()->Wait());
    const std::shared_ptr<PendingWrite> write = LastWrite();
    if (write == nullptr) return Status::Ok();
    // Without the lock: others may wait at the same time, or bring the next write.
    PS_RETURN_IF_ERROR(write->Wait(nullptr));
    MutexLock lock(mutex_);
    if (write_ == write) write_ = nullptr;  // `write` keeps it until the lock is gone
    return Status::Ok();
  }

 private:
  std::shared_ptr<PendingWrite> LastWrite() PS_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return write_;
  }

  TensorView view_;
  Device* const device_;
  const bool owns_;
  const std::function<void()> release_;
  const Tensor ids_;
  const Tensor values_;
  Mutex mutex_;
  std::shared_ptr<PendingWrite> write_ PS_GUARDED_BY(mutex_);  // null: nothing to wait for
};

namespace {

using Element = std::array<unsigned char, sizeof(std::uint64_t)>;

Status Unfit(double value, DType dtype) {
  return Status::InvalidArgument("a tensor of " + std::string(NameOf(dtype)) + " can not be filled with " +
                                 std::to_string(value));
}

template <typename T>
Element BytesOf(const T& value) {
  Element bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// `value` as an element of `dtype`: what is outside an integer's range has no conversion in C++.
Result<Element> ElementOf(double value, DType dtype) {
  if (dtype == DType::kF16) return BytesOf(Half(static_cast<float>(value)));
  if (dtype == DType::kBF16) return BytesOf(BFloat16(static_cast<float>(value)));
  if (dtype == DType::kBool) return BytesOf(static_cast<std::uint8_t>(value != 0 ? 1 : 0));
  return VisitArithmetic(
      dtype,
      [&](auto type) -> Result<Element> {
        using T = typename decltype(type)::Type;
        if constexpr (std::is_integral_v<T>) {
          // Both bounds are powers of two (or 0), so that a double holds them.
          const double least = static_cast<double>(std::numeric_limits<T>::min());
          const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
          if (!(std::trunc(value) >= least && std::trunc(value) < beyond)) return Unfit(value, dtype);
        }
        return BytesOf(static_cast<T>(value));
      },
      [&]() -> Result<Element> { return Unfit(value, dtype); });
}

// `element` until the memory is full.
void Repeat(const Element& element, std::size_t width, unsigned char* to, std::size_t bytes) {
  if (bytes == 0) return;
  std::memcpy(to, element.data(), width);
  for (std::size_t done = width; done < bytes;) {
    const std::size_t more = std::min(done, bytes - done);
    std::memcpy(to + done, to, more);
    done += more;
  }
}

// What is seen of a tensor without memory: no elements.
struct NoView : TensorView {
  NoView() { shape = {0}; }
};

Status CheckMemory(const TensorView& memory, std::size_t bytes) {
  if (bytes == 0) return Status::Ok();
  if (memory.data == nullptr) return Status::InvalidArgument("there is no memory for " + Describe(memory));
  if (reinterpret_cast<std::uintptr_t>(memory.data) % SizeOf(memory.dtype) != 0)
    return Status::InvalidArgument("the memory of " + Describe(memory) + " is not aligned for its elements");
  return Status::Ok();
}

}  // namespace

Tensor Tensor::Empty(const Shape& shape, DType dtype, const DeviceId& id) {
  const std::size_t bytes = BytesOfShape(shape, dtype).value();
  Device* const device = FindDevice(id).value();
  TensorView view;
  view.shape = shape;
  view.dtype = dtype;
  view.device = id;
  view.data = device->Allocate(bytes).value();
  void* const memory = view.data;
  return Tensor(
      std::make_shared<Impl>(std::move(view), device, true, [device, memory] { device->Free(memory); }));
}

Tensor Tensor::Full(const Shape& shape, double value, DType dtype, const DeviceId& device) {
  Tensor tensor = Empty(shape, dtype, device);
  const Element element = ElementOf(value, dtype).value();
  const std::size_t bytes = tensor.view().bytes();
  if (device.kind == DeviceId::kCpu) {
    Repeat(element, SizeOf(dtype), static_cast<unsigned char*>(tensor.view().data), bytes);
    return tensor;
  }
  const Tensor host = Full(shape, value, dtype);
  tensor.CopyFrom(host.view().data);
  return tensor;
}

Tensor Tensor::Of(const TensorView& memory, bool owns, std::function<void()> release) {
  const std::size_t bytes = BytesOfShape(memory.shape, memory.dtype).value();
  ThrowIfError(CheckMemory(memory, bytes));
  Device* const device = FindDevice(memory.device).value();
  return Tensor(std::make_shared<Impl>(memory, device, owns, std::move(release)));
}

Tensor Tensor::Foreign(const TensorView& memory, std::function<void()> deleter) {
  return Of(memory, false, std::move(deleter));
}

Tensor Tensor::Own(const TensorView& memory, std::function<void()> release) {
  return Of(memory, true, std::move(release));
}

Tensor Tensor::RowSparse(const Shape& shape, const Tensor& ids, const Tensor& values) {
  ThrowIfError(CheckRows(shape, ids, values));
  return Tensor(std::make_shared<Impl>(shape, ids, values));
}

bool Tensor::is_row_sparse() const { return impl_ != nullptr && impl_->is_row_sparse(); }

const TensorView& Tensor::view() const {
  static const NeverDestroyed<NoView> none;
  return impl_ == nullptr ? none.value : impl_->view();
}

const Tensor& Tensor::ids() const {
  if (!is_row_sparse()) ThrowIfError(Status::FailedPrecondition("a dense tensor has no row ids"));
  return impl_->ids();
}

const Tensor& Tensor::values() const {
  if (!is_row_sparse()) ThrowIfError(Status::FailedPrecondition("a dense tensor has no values of rows"));
  return impl_->values();
}

void* Tensor::Data() const {
  if (is_none()) return nullptr;
  if (is_row_sparse()) {
    static_cast<void>(impl_->ids().Data());
    return impl_->values().Data();
  }
  ThrowIfError(impl_->Await());
  return view().data;
}

void Tensor::CopyTo(void* host) const {
  if (is_none()) return;
  if (is_row_sparse()) return CopyRowsTo(*this, host);
  const void* const data = Data();
  if (view().bytes() != 0) impl_->device()->Copy(host, data, view().bytes());
}

void Tensor::CopyFrom(const void* host) {
  if (is_none()) ThrowIfError(Status::FailedPrecondition("a tensor without memory can not be written"));
  if (is_row_sparse())
    ThrowIfError(Status::FailedPrecondition(
        "of a row-sparse tensor the values are written, not the whole of " + Describe(view())));
  ThrowIfError(impl_->Await());
  if (view().bytes() != 0) impl_->device()->Copy(view().data, host, view().bytes());
}

void Tensor::SetWrite(std::shared_ptr<PendingWrite> write) {
  if (is_none()) ThrowIfError(Status::FailedPrecondition("a tensor without memory can not be written"));
  is_row_sparse() ? impl_->values().impl_->SetWrite(std::move(write)) : impl_->SetWrite(std::move(write));
}

}  // namespace ps
