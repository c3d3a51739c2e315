#include "device/squares.h"

#include <algorithm>

#include "device/half.h"
#include "device/launch.h"
#include "device/rules/norm.h"
#include "ps/half.h"

namespace ps {
namespace {

// Elements whose squares are summed by themselves; the sums of blocks are added one after the other.
constexpr std::size_t kBlock = 4096;

template <typename T>
struct SquaresBody {
  const T* values;
  std::size_t size;
  double* sum;

  PS_ALWAYS_INLINE void operator()() const {
    *sum = rules::SquaresOf(size, [this](std::size_t i) { return static_cast<double>(values[i]); });
  }
};

template <typename T>
double BlockOf(const T* values, std::size_t size) {
  double sum = 0;
  RunWide(SquaresBody<T>{values, size, &sum});
  return sum;
}

template <typename T>
double BlockOfHalves(const T* values, std::size_t size) {
  float floats[kBlock];
  Convert(values, size, floats);
  return BlockOf(static_cast<const float*>(floats), size);
}

double BlockOf(DType dtype, const void* values, std::size_t size) {
  switch (dtype) {
    case DType::kF64: return BlockOf(static_cast<const double*>(values), size);
    case DType::kF16: return BlockOfHalves(static_cast<const Half*>(values), size);
    case DType::kBF16: return BlockOfHalves(static_cast<const BFloat16*>(values), size);
    default: return BlockOf(static_cast<const float*>(values), size);
  }
}

}  // namespace

double SumOfSquares(DType dtype, const void* values, std::size_t size) {
  double sum = 0;
  for (std::size_t at = 0; at < size; at += kBlock) {
    const char* const block = static_cast<const char*>(values) + at * SizeOf(dtype);
    sum += BlockOf(dtype, block, std::min(kBlock, size - at));
  }
  return sum;
}

}  // namespace ps
