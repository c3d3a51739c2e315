#ifndef PS_GROUP_BIT_SUM_H_
#define PS_GROUP_BIT_SUM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/mutex.h"
#include "device/kernels.h"
#include "group/resources.h"
#include "ps/tensor.h"

namespace ps {

// Sums of one key whose parts are made codes of 1 or 2 bits on the device where they lie, so that only these
// go to the owner. What a code does not carry stays in a residual, one per device (and, where a device gives
// several parts at once, per place among them). Any thread, one sum at a time.
class BitSum {
 public:
  BitSum(Resources* resources, std::uint64_t key, const BitRule& rule);

  // The sum of what the codes of `values` mean, in memory of its own on `owner`; done when it returns. Dense
  // f32 tensors of equal shape, at least one. Throws Error; kInvalidArgument: another size than before, and a
  // value that is not finite (by its place): then residuals stay as they were where the processor makes the
  // codes, while those of other devices have taken up the finite ones.
  Tensor Sum(const DeviceId& owner, const std::vector<Tensor>& values) PS_EXCLUDES(mutex_);

 private:
  using Name = std::tuple<int, int, std::size_t>;  // kind and index of the device, place among its parts
  struct Part {
    TensorView gradient;
    float* residual;
  };

  std::vector<Part> PartsOf(const std::vector<Tensor>& values) PS_REQUIRES(mutex_);
  float* Residual(const TensorView& gradient, std::size_t place) PS_REQUIRES(mutex_);
  // What the processor reaches, in pieces.
  void SumOnHost(const TensorView& sum, const std::vector<Part>& parts) const;
  void SumPiece(const TensorView& sum, const std::vector<Part>& parts, std::size_t begin) const;
  // Before anything is changed.
  void CheckFinite(const std::vector<Part>& parts) const;
  void SumOnStreams(const TensorView& sum, const std::vector<Part>& parts) const;
  Error Refusal(const Part& part, const std::string& why) const;

  Resources* const resources_;
  const std::uint64_t key_;
  const BitRule rule_;
  Mutex mutex_;
  std::map<Name, Tensor> residuals_ PS_GUARDED_BY(mutex_);  // f32, of the size of the values
};

}  // namespace ps

#endif  // PS_GROUP_BIT_SUM_H_
