#ifndef PS_GROUP_REDUCER_H_
#define PS_GROUP_REDUCER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ps/status.h"
#include "ps/tensor.h"

namespace ps {

// Merges what several devices of this process have for one key, and gives them the result back. The merged
// array is always memory of its own: nothing that the caller has is aliased.
class Reducer {
 public:
  struct Options {
    bool on_device = false;     // sums are made on a device; else in the processor's memory
    int num_threads = 4;        // of the processor, for one large sum
    std::size_t big = 1000000;  // elements from which a sum uses them
    bool compresses =
        false;               // on_device: every device's part goes through a codec with a residual of its own
    bool is_two_bit = true;  // else 1 bit
    float threshold = 0.5F;
  };
  explicit Reducer(const Options& options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  // Says which device sums a key: `bytes` is its size. Keys are placed largest first on the device that has
  // least so far (lowest index first), as they are known; a key that is not placed goes where its first value
  // lies.
  void Place(std::uint64_t key, std::size_t bytes, const std::vector<DeviceId>& devices);

  // The sum of `values` (equal shape, dtype and storage; dense, or row-sparse: the union of the rows), in
  // their order; done when it returns. Throws Error: shapes or types that differ, named; a value whose write
  // failed.
  Tensor Sum(std::uint64_t key, const std::vector<Tensor>& values);
  // Copies `from` (dense) to every one of `to`, converted to its dtype; done when it returns.
  void Broadcast(std::uint64_t key, const Tensor& from, const std::vector<Tensor>& to);
  // Forgets what is kept for a key: buffers, residuals, its place.
  void Forget(std::uint64_t key);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace ps

#endif  // PS_GROUP_REDUCER_H_
