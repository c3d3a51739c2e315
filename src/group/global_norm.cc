#include "group/global_norm.h"

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

#include "device/devices.h"
#include "device/kernels.h"
#include "device/shape.h"
#include "device/squares.h"
#include "group/caller_stream.h"

namespace ps {
namespace {

// The elements of a tensor: of a row-sparse one, those that are there.
const Tensor& ElementsOf(const Tensor& tensor) { return tensor.is_row_sparse() ? tensor.values() : tensor; }

double SquaresOf(const Tensor& tensor) {
  const Tensor& elements = ElementsOf(tensor);
  const void* const data = elements.Data();
  const auto size = static_cast<std::size_t>(elements.view().size());
  if (elements.view().device.kind == DeviceId::kCpu) return SumOfSquares(elements.view().dtype, data, size);
  std::vector<char> host(elements.view().bytes());
  elements.CopyTo(host.data());
  return SumOfSquares(elements.view().dtype, host.data(), size);
}

void Check(const std::vector<Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].is_none())
      ThrowIfError(Status::InvalidArgument("tensor " + std::to_string(i) + " has no memory and no norm"));
    if (!IsFloat(tensors[i].view().dtype))
      ThrowIfError(Status::InvalidArgument("norms are of floats, but tensor " + std::to_string(i) + " is " +
                                           Describe(tensors[i].view())));
  }
}

void ScaleBy(const Tensor& tensor, double factor) {
  const TensorView& view = ElementsOf(tensor).view();
  if (view.device.kind == DeviceId::kCpu) {
    CallerStream stream(view.device);
    ThrowIfError(Scale(&stream, view, factor));
    ThrowIfError(stream.Synchronize());
    return;
  }
  const std::unique_ptr<Stream> stream = FindDevice(view.device).value()->NewStream();
  ThrowIfError(Scale(stream.get(), view, factor));
  ThrowIfError(stream->Synchronize());
}

}  // namespace

double GlobalNorm(const std::vector<Tensor>& tensors) {
  Check(tensors);
  double sum = 0;
  for (const Tensor& tensor : tensors) sum += SquaresOf(tensor);
  return std::sqrt(sum);
}

double ClipByGlobalNorm(std::vector<Tensor>* tensors, double max_norm) {
  if (!(max_norm > 0))
    ThrowIfError(Status::InvalidArgument("a norm can not be at most " + std::to_string(max_norm)));
  const double norm = GlobalNorm(*tensors);
  if (!std::isfinite(norm))
    ThrowIfError(Status::InvalidArgument("the norm of " + std::to_string(tensors->size()) + " tensors is " +
                                         std::to_string(norm) + " and can not be made " +
                                         std::to_string(max_norm)));
  if (norm <= max_norm) return norm;
  for (const Tensor& tensor : *tensors) ScaleBy(tensor, max_norm / norm);
  return norm;
}

}  // namespace ps
