#ifndef PS_DEVICE_CPU_STREAM_H_
#define PS_DEVICE_CPU_STREAM_H_

#include <functional>
#include <memory>
#include <string>

#include "base/queue.h"
#include "base/thread.h"
#include "ps/stream.h"

namespace ps {

// Runs work of a stream of the processor. What it throws is a failure, which says where.
Status RunOn(const DeviceId& device, const std::function<void()>& code);

// A stream of the processor: a thread (`ps-dev-<device>`) that works beside the caller, as a device would.
class CpuStream final : public Stream {
 public:
  explicit CpuStream(const DeviceId& device);
  ~CpuStream() override;

  DeviceId device() const override { return device_; }
  void* native() const override { return nullptr; }
  void Copy(void* to, const void* from, std::size_t bytes) override;
  // What `code` throws is a failure of the stream.
  void Run(std::function<void()> code) override;
  std::shared_ptr<Event> Record() override;
  void After(const std::shared_ptr<Event>& event) override;
  // On the stream's own thread: kFailedPrecondition, it would never end.
  Status Synchronize() override;

 private:
  void Work(const std::function<void()>& code);
  std::shared_ptr<Event> RecordAnd(bool forgets_failure);

  const DeviceId device_;
  Status failure_;  // the first; for the stream's thread alone
  BlockingQueue<std::function<void()>> work_;
  Thread thread_;  // last: it uses the others
};

}  // namespace ps

#endif  // PS_DEVICE_CPU_STREAM_H_
