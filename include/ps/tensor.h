// TensorView: an array that somebody else owns.
#ifndef PS_TENSOR_H_
#define PS_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ps/dtype.h"

namespace ps {

// Where an array lies. The kinds have DLPack's numbers.
struct DeviceId {
  enum Kind : std::uint8_t { kCpu = 1, kCuda = 2 };
  Kind kind = kCpu;
  int index = 0;
};
inline bool operator==(const DeviceId& a, const DeviceId& b) {
  return a.kind == b.kind && a.index == b.index;
}
inline bool operator!=(const DeviceId& a, const DeviceId& b) { return !(a == b); }
// `cpu:0`, `cuda:1`.
std::string ToString(const DeviceId& id);

// A dense array, last dimension fastest, without gaps. A plain value that borrows `data`: whoever keeps a
// view sees to it that the memory stays.
struct TensorView {
  void* data = nullptr;             // aligned for its elements; may be null if there are none
  std::vector<std::int64_t> shape;  // lengths of the dimensions, none below 0; no dimensions: one element
  DType dtype = DType::kF32;
  DeviceId device;

  // Elements.
  std::int64_t size() const {
    std::int64_t product = 1;
    for (const std::int64_t length : shape) product *= length;
    return product;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * SizeOf(dtype); }
};

}  // namespace ps

#endif  // PS_TENSOR_H_
