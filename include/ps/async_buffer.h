// AsyncBuffer: double buffering, a thread that fills one buffer while the other is in use.
#ifndef PS_ASYNC_BUFFER_H_
#define PS_ASYNC_BUFFER_H_

#include <functional>
#include <memory>
#include <utility>

namespace ps {

// The thread of an AsyncBuffer: fills one of two buffers at a time. For one caller's thread.
class AsyncFiller {
 public:
  // `fill`: buffer 0 or 1; runs on the thread.
  explicit AsyncFiller(std::function<void(int buffer)> fill);
  ~AsyncFiller();  // = Stop()
  AsyncFiller(const AsyncFiller&) = delete;
  AsyncFiller& operator=(const AsyncFiller&) = delete;

  // See AsyncBuffer.
  int Get();
  void Stop();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

// Two buffers. A thread of its own fills one, as `fill` says, while the caller uses the other: reads of the
// next rows go on beside the work on these. After Multiverso's ASyncBuffer. For one thread of the caller's.
//
//     ps::AsyncBuffer<std::vector<float>> rows([&](std::vector<float>* to) { table.Get(next(), to); });
//     while (...) Use(*rows.Get());
template <typename Buffer>
class AsyncBuffer {
 public:
  using Fill = std::function<void(Buffer* buffer)>;

  // Begins to fill the first one at once. `fill` may wait, and throw; it is called once at a time.
  explicit AsyncBuffer(Fill fill) : AsyncBuffer(&own_[0], &own_[1], std::move(fill)) {}
  // The caller's own buffers, which outlive this.
  AsyncBuffer(Buffer* first, Buffer* second, Fill fill)
      : buffers_{first, second}, fill_(std::move(fill)), filler_([this](int i) { fill_(buffers_[i]); }) {}

  // Waits until the buffer under way is full, begins to fill the other one, and returns the full one, which
  // is the caller's until the next Get. Throws what `fill` has thrown; nothing is being filled then, and the
  // next Get tries again. Throws Error(kFailedPrecondition) after Stop.
  Buffer* Get() { return buffers_[filler_.Get()]; }
  // Waits for the fill under way and ends the thread; so does the destructor. Idempotent.
  void Stop() { filler_.Stop(); }

 private:
  Buffer own_[2];
  Buffer* const buffers_[2];
  const Fill fill_;
  AsyncFiller filler_;  // last: its thread uses the others
};

}  // namespace ps

#endif  // PS_ASYNC_BUFFER_H_
