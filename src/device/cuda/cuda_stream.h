#ifndef PS_DEVICE_CUDA_CUDA_STREAM_H_
#define PS_DEVICE_CUDA_CUDA_STREAM_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/mutex.h"
#include "base/queue.h"
#include "base/thread.h"
#include "device/cuda/staging.h"
#include "device/stream_failures.h"
#include "ps/stream.h"

namespace ps::cuda {

// cuStreamWaitValue32, which only the driver has. Null: not there.
using WaitValue = int (*)(void* stream, unsigned long long address, std::uint32_t value, unsigned flags);
WaitValue FindWaitValue();

// A cudaStream_t, which `native` shares with who knows CUDA. Code of the processor runs on a thread beside it
// (`ps-dev-<device>`): that waits until the stream has come there, and the stream waits until a word of
// pinned memory says that it is done. (CUDA's own host functions run one at a time for all streams, and may
// call nothing of CUDA: what one waits for could never happen.)
class CudaStream final : public Stream {
 public:
  // Null: CUDA can not make one. `pool` is the device's and outlives the stream.
  static std::unique_ptr<CudaStream> Make(int device, cudaMemPool_t pool);
  // The same of a stream that is somebody else's, and stays so.
  static std::unique_ptr<CudaStream> Borrow(int device, cudaMemPool_t pool, cudaStream_t stream);
  ~CudaStream() override;

  DeviceId device() const override { return DeviceId::Cuda(device_); }
  void* native() const override { return stream_; }
  // Pageable memory goes through pinned memory, on the thread, so that the caller does not wait for it.
  void Copy(void* to, const void* from, std::size_t bytes) override;
  void Run(std::function<void()> code) override;
  std::shared_ptr<Event> Record() override;
  void After(const std::shared_ptr<Event>& event) override;
  // On the stream's own thread: kFailedPrecondition, it would never end.
  Status Synchronize() override;

  cudaStream_t stream() const { return stream_; }
  cudaMemPool_t pool() const { return pool_; }
  // What an asynchronous call of CUDA gave back: an error is a failure of the stream.
  void Note(cudaError_t error, const char* what);

 private:
  struct Handle {
    cudaStream_t stream = nullptr;
    bool is_own = false;
  };
  CudaStream(int device, cudaMemPool_t pool, const Handle& handle, std::uint32_t* done);
  static std::unique_ptr<CudaStream> Of(int device, cudaMemPool_t pool, const Handle& handle);
  bool HasRunCode();
  // Where failures of the work go that is asked for now, and its number.
  std::shared_ptr<StreamFailures> failures(std::uint64_t* number);

  const int device_;
  const cudaMemPool_t pool_;
  const cudaStream_t stream_;
  const bool is_own_;
  const WaitValue wait_value_;
  Staging staging_;                     // for the thread
  volatile std::uint32_t* const done_;  // pinned: the number of the code that was run last
  Mutex mutex_;
  std::uint64_t num_asked_ PS_GUARDED_BY(mutex_) = 0;               // all that was asked for
  std::uint32_t num_codes_ PS_GUARDED_BY(mutex_) = 0;               // calls of Run; wraps around
  std::shared_ptr<StreamFailures> failures_ PS_GUARDED_BY(mutex_);  // shared with events and code
  BlockingQueue<std::function<void()>> work_;
  Thread thread_;  // last: it uses the others
};

// Memory of a stream's device for the work that is asked for while this lives.
class Scratch {
 public:
  Scratch(CudaStream* stream, std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // False: the stream has the failure.
  bool ok() const { return data_ != nullptr; }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  CudaStream* const stream_;
  const std::size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace ps::cuda

#endif  // PS_DEVICE_CUDA_CUDA_STREAM_H_
