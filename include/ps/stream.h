// Stream: work that a device does in order, beside the caller.
#ifndef PS_STREAM_H_
#define PS_STREAM_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "ps/device_id.h"
#include "ps/status.h"

namespace ps {

// A point of a stream. Any thread.
class Event {
 public:
  virtual ~Event() = default;
  // Whether the stream has come to it.
  virtual bool Done() = 0;
  // Returns when it has: Ok, or the first thing that has failed on the stream before it.
  virtual Status Wait() = 0;
};

// Everything is done in the order of the calls, after they have returned. Memory must stay, and stay
// unchanged, until then. What fails is kept and given to who waits; what follows it is still done. Any
// thread, though two that use one stream at a time do not know whose work comes first.
class Stream {
 public:
  // Returns when everything is done.
  virtual ~Stream() = default;

  virtual DeviceId device() const = 0;
  // cudaStream_t of a CUDA device; null for the CPU.
  virtual void* native() const = 0;
  // Between memory of this device, of another one of its kind, and the processor's, in any direction. No
  // overlap.
  virtual void Copy(void* to, const void* from, std::size_t bytes) = 0;
  // Runs code of the processor in order with the rest, on a thread of the stream. It must not use the stream.
  virtual void Run(std::function<void()> code) = 0;
  virtual std::shared_ptr<Event> Record() = 0;
  // What follows on this stream is done after an event of another one.
  virtual void After(const std::shared_ptr<Event>& event) = 0;
  // Returns when all that was asked for is done, with the first failure since the last call.
  virtual Status Synchronize() = 0;
};

}  // namespace ps

#endif  // PS_STREAM_H_
