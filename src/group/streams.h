#ifndef PS_GROUP_STREAMS_H_
#define PS_GROUP_STREAMS_H_

#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "ps/stream.h"

namespace ps {

// Streams of the devices that take part in merges. Each merge has streams of its own while it lasts, so that
// two at a time neither wait for one another nor hear of each other's failures; they are used again
// afterwards. Any thread.
class Streams {
 public:
  // One stream for each device. Made when it is first asked for.
  using Set = std::vector<std::pair<DeviceId, std::unique_ptr<Stream>>>;
  // What one merge has; one thread. Its end waits for the streams.
  class Lease {
   public:
    explicit Lease(Streams* owner);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    // Throws Error: kUnavailable, no such device.
    Stream* On(const DeviceId& device);
    // Waits for all that was asked for; the first failure.
    Status Finish();

   private:
    Streams* const owner_;
    Set set_;
    std::vector<Stream*> used_;  // since Finish
  };

  Streams() = default;
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

 private:
  Set Take() PS_EXCLUDES(mutex_);
  void Give(Set set) PS_EXCLUDES(mutex_);

  Mutex mutex_;
  std::vector<Set> free_ PS_GUARDED_BY(mutex_);
};

}  // namespace ps

#endif  // PS_GROUP_STREAMS_H_
