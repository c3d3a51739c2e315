#include "device/cuda/cuda_stream.h"

#include <cuda.h>

#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/copy.h"
#include "device/cuda/on_device.h"

namespace ps::cuda {
namespace {

class CudaEvent final : public Event {
 public:
  // `number`: of the work that is asked for next.
  CudaEvent(int device, std::shared_ptr<const StreamFailures> failures, std::uint64_t number)
      : device_(device), failures_(std::move(failures)), number_(number) {}
  ~CudaEvent() override {
    const OnDevice on(device_);
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  cudaError_t RecordOn(cudaStream_t stream) {
    const cudaError_t error =
        cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync);
    return error != cudaSuccess ? error : cudaEventRecord(event_, stream);
  }
  bool Done() override {
    const OnDevice on(device_);
    return event_ == nullptr || cudaEventQuery(event_) != cudaErrorNotReady;
  }
  Status Wait() override {
    const OnDevice on(device_);
    if (event_ != nullptr)
      PS_RETURN_IF_ERROR(StatusOf(device_, cudaEventSynchronize(event_), "waiting for an event"));
    return failures_->Before(number_);
  }
  // Null: it could not be recorded, which is a failure of the stream.
  cudaEvent_t event() const { return event_; }

 private:
  const int device_;
  const std::shared_ptr<const StreamFailures> failures_;  // shared with the stream, which may go before
  const std::uint64_t number_;
  cudaEvent_t event_ = nullptr;
};

bool IsPageable(const void* memory) {
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return true;
  }
  return attributes.type == cudaMemoryTypeUnregistered;
}

// Between devices it is said which: memory of a pool that the other one can not reach is only copied like
// this.
cudaError_t CopyPinned(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  cudaPointerAttributes of_to;
  cudaPointerAttributes of_from;
  if (cudaPointerGetAttributes(&of_to, to) == cudaSuccess &&
      cudaPointerGetAttributes(&of_from, from) == cudaSuccess && of_to.type == cudaMemoryTypeDevice &&
      of_from.type == cudaMemoryTypeDevice && of_to.device != of_from.device) {
    return cudaMemcpyPeerAsync(to, of_to.device, from, of_from.device, bytes, stream);
  }
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

Status Call(const std::function<void()>& code) {
  try {
    code();
  } catch (const Error& error) {
    return error.status();
  } catch (const std::exception& error) {
    return Status::Internal(std::string("on a stream: ") + error.what());
  }
  return Status::Ok();
}

}  // namespace

WaitValue FindWaitValue() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned kSince = 11070;  // the form that needs no leave of the driver
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &found, kSince, cudaEnableDefault, &result);
#else
  static_cast<void>(kSince);
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuStreamWaitValue32", &found, cudaEnableDefault, &result);
#endif
  if (error != cudaSuccess || result != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<WaitValue>(found);
}

std::unique_ptr<CudaStream> CudaStream::Make(int device, cudaMemPool_t pool) {
  const OnDevice on(device);
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return nullptr;
  std::unique_ptr<CudaStream> made = Of(device, pool, {stream, true});
  if (made == nullptr) cudaStreamDestroy(stream);
  return made;
}

std::unique_ptr<CudaStream> CudaStream::Borrow(int device, cudaMemPool_t pool, cudaStream_t stream) {
  const OnDevice on(device);
  return Of(device, pool, {stream, false});
}

std::unique_ptr<CudaStream> CudaStream::Of(int device, cudaMemPool_t pool, const Handle& handle) {
  void* done = nullptr;
  if (FindWaitValue() == nullptr) return nullptr;
  if (cudaHostAlloc(&done, sizeof(std::uint32_t), cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess)
    return nullptr;
  auto* const word = static_cast<std::uint32_t*>(done);
  *word = 0;
  return std::unique_ptr<CudaStream>(new CudaStream(device, pool, handle, word));
}

CudaStream::CudaStream(int device, cudaMemPool_t pool, const Handle& handle, std::uint32_t* done)
    : device_(device),
      pool_(pool),
      stream_(handle.stream),
      is_own_(handle.is_own),
      wait_value_(FindWaitValue()),
      staging_(device),
      done_(done),
      failures_(std::make_shared<StreamFailures>()),
      thread_("ps-dev-" + std::to_string(device), [this] {
        while (std::optional<std::function<void()>> next = work_.Pop()) (*next)();
      }) {}

CudaStream::~CudaStream() {
  const OnDevice on(device_);
  // Somebody else's may have gone before, unless code of the processor was asked for, which has to be over.
  if (is_own_ || HasRunCode()) cudaStreamSynchronize(stream_);
  work_.Close();
  thread_.Join();
  if (is_own_) cudaStreamDestroy(stream_);
  cudaFreeHost(const_cast<std::uint32_t*>(done_));
}

std::shared_ptr<StreamFailures> CudaStream::failures(std::uint64_t* number) {
  MutexLock lock(mutex_);
  *number = num_asked_++;
  return failures_;
}

bool CudaStream::HasRunCode() {
  MutexLock lock(mutex_);
  return num_codes_ > 0;
}

void CudaStream::Note(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::uint64_t number = 0;
  const std::shared_ptr<StreamFailures> failures = this->failures(&number);
  failures->Add(number, StatusOf(device_, error, what));
}

void CudaStream::Copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const OnDevice on(device_);
  const bool is_to_pageable = IsPageable(to);
  const bool is_from_pageable = IsPageable(from);
  if (!is_to_pageable && !is_from_pageable) return Note(CopyPinned(to, from, bytes, stream_), "a copy");
  Run([=] {
    if (is_to_pageable && is_from_pageable) return CopyBytes(to, from, bytes);
    ThrowIfError(StatusOf(
        device_, is_to_pageable ? staging_.FromDevice(to, from, bytes) : staging_.ToDevice(to, from, bytes),
        "a copy of pageable memory"));
  });
}

void CudaStream::Run(std::function<void()> code) {
  const OnDevice on(device_);
  MutexLock lock(mutex_);
  const std::uint64_t asked = num_asked_++;
  const std::uint32_t number = ++num_codes_;
  const std::shared_ptr<StreamFailures> failures = failures_;
  cudaEvent_t here = nullptr;
  cudaError_t error = cudaEventCreateWithFlags(&here, cudaEventDisableTiming | cudaEventBlockingSync);
  if (error == cudaSuccess) error = cudaEventRecord(here, stream_);
  failures->Add(asked, StatusOf(device_, error, "an event before code of the processor"));
  work_.Push([this, asked, failures, here, number, code = std::move(code)]() mutable {
    const OnDevice on_device(device_);
    if (here != nullptr) {
      failures->Add(asked,
                    StatusOf(device_, cudaEventSynchronize(here), "waiting to run code of the processor"));
      cudaEventDestroy(here);
    }
    failures->Add(asked, Call(code));
    code = nullptr;  // what it holds is let go before anybody learns that it is done
    std::atomic_thread_fence(std::memory_order_release);
    *done_ = number;
  });
  constexpr unsigned kAtLeast = CU_STREAM_WAIT_VALUE_GEQ;  // in the order of numbers that wrap around
  const auto address = reinterpret_cast<std::uintptr_t>(const_cast<std::uint32_t*>(done_));
  if (wait_value_(stream_, address, number, kAtLeast) != CUDA_SUCCESS)
    failures->Add(asked, Status::Internal(ToString(device()) + ": a stream can not wait for the processor"));
}

std::shared_ptr<Event> CudaStream::Record() {
  const OnDevice on(device_);
  std::uint64_t number = 0;
  const std::shared_ptr<StreamFailures> failures = this->failures(&number);
  auto event = std::make_shared<CudaEvent>(device_, failures, number + 1);
  failures->Add(number, StatusOf(device_, event->RecordOn(stream_), "an event"));
  return event;
}

void CudaStream::After(const std::shared_ptr<Event>& event) {
  const OnDevice on(device_);
  const auto* const of_cuda = dynamic_cast<const CudaEvent*>(event.get());
  // Who follows a failure does its own work all the same: the other stream tells of it.
  if (of_cuda == nullptr) return Run([event] { static_cast<void>(event->Wait()); });
  if (of_cuda->event() != nullptr)
    Note(cudaStreamWaitEvent(stream_, of_cuda->event(), 0), "waiting for an event of another stream");
}

Status CudaStream::Synchronize() {
  if (thread_.IsCurrent()) {
    return Status::FailedPrecondition("waiting for a stream of " + ToString(device()) +
                                      " on its own thread would never end");
  }
  const OnDevice on(device_);
  Note(cudaStreamSynchronize(stream_), "waiting for a stream");
  MutexLock lock(mutex_);
  const std::shared_ptr<StreamFailures> failures =
      std::exchange(failures_, std::make_shared<StreamFailures>());
  return failures->Before(num_asked_);
}

Scratch::Scratch(CudaStream* stream, std::size_t bytes) : stream_(stream), bytes_(bytes) {
  const OnDevice on(stream->device().index);
  stream->Note(cudaMallocFromPoolAsync(&data_, bytes == 0 ? 1 : bytes, stream->pool(), stream->stream()),
               "memory for a kernel");
}

Scratch::~Scratch() {
  const OnDevice on(stream_->device().index);
  if (data_ != nullptr) stream_->Note(cudaFreeAsync(data_, stream_->stream()), "memory of a kernel");
}

}  // namespace ps::cuda
