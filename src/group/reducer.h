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
// array is always memory of its own: nothing that the caller has is aliased. Arrays of the processor's memory
// are read where they lie, those of other devices are copied to the owner at the same time. Any thread; sums
// of one key that compresses take turns.
class Reducer {
 public:
  struct Options {
    bool on_device = false;     // sums are made on a device; else in the processor's memory
    int num_threads = 4;        // of the processor, for one large sum
    std::size_t big = 1000000;  // elements from which a sum uses them
    // on_device: every device's part goes through a codec with a residual of its own.
    bool compresses = false;
    bool is_two_bit = true;  // else 1 bit
    float threshold = 0.5F;
    // on_device: values of several devices are added up by NCCL, on the first of them.
    bool uses_nccl = false;
    // For tests: `cpu:1` and so on are devices with memory of their own, reached through streams.
    bool cpus_are_apart = false;
  };
  explicit Reducer(const Options& options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  // Says which device sums a key: `bytes` is its size. Keys are placed when the first of them is summed, the
  // largest first, on the one of its devices that has least so far (lowest index first); a key that was not
  // placed is summed where its first value lies. Throws Error: kInvalidArgument, no devices.
  void Place(std::uint64_t key, std::size_t bytes, const std::vector<DeviceId>& devices);

  // The sum of `values` (at least one, of equal shape, dtype and storage; dense, or row-sparse: all rows of
  // any), in their order, in memory of its own; done when it returns. Dense: at most four are added at a
  // time, b0 += ((b1 + b2) + b3) + b4; rows one after the other. The same bits with any number of threads.
  // Throws Error: kInvalidArgument (what differs, named; a dtype without sums; where it compresses: another
  // dtype than f32, row-sparse, another size than before, a value that is not finite), a value whose write
  // has failed, kResourceExhausted.
  Tensor Sum(std::uint64_t key, const std::vector<Tensor>& values);
  // Copies `from` (dense) to every one of `to`, converted to its dtype; done when it returns. It waits for
  // what writes `from`, but not for what writes `to`, which may be the caller. Throws Error: `operands shape
  // mismatch ...`, a row-sparse tensor, the failed write of `from`.
  void Broadcast(std::uint64_t key, const Tensor& from, const std::vector<Tensor>& to);
  // Forgets what is kept for a key: residuals, its place.
  void Forget(std::uint64_t key);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace ps

#endif  // PS_GROUP_REDUCER_H_
