#ifndef PS_GROUP_CALLER_STREAM_H_
#define PS_GROUP_CALLER_STREAM_H_

#include <functional>
#include <memory>

#include "ps/stream.h"

namespace ps {

// A stream of the processor without a thread: everything is done by whoever calls, before the call returns.
// For kernels over a piece of an array, on a thread that waits for it anyway. One thread.
class CallerStream final : public Stream {
 public:
  explicit CallerStream(const DeviceId& device = {}) : device_(device) {}

  DeviceId device() const override { return device_; }
  void* native() const override { return nullptr; }
  void Copy(void* to, const void* from, std::size_t bytes) override;
  // What `code` throws is a failure of the stream.
  void Run(std::function<void()> code) override;
  std::shared_ptr<Event> Record() override;
  // Waits for it.
  void After(const std::shared_ptr<Event>& event) override;
  Status Synchronize() override;

 private:
  const DeviceId device_;
  Status failure_;  // the first
};

}  // namespace ps

#endif  // PS_GROUP_CALLER_STREAM_H_
