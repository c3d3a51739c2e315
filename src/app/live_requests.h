#ifndef PS_APP_LIVE_REQUESTS_H_
#define PS_APP_LIVE_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/receivers.h"
#include "ps/status.h"

namespace ps {

class RequestSink;

// One request that is not finished.
struct LiveRequest {
  Receivers waiting;  // those that have not answered
  std::shared_ptr<RequestSink> sink;
  Status failure;
  int64_t issued_ms = 0;
  int64_t deadline_ms = 0;
  uint64_t sequence = 0;
  int timestamp = 0;
  int wanted = 0;
  int num_answers = 0;
  int num_claims = 0;
  bool lent = false;
  bool direct = false;
  bool done = false;

 private:
  friend class LiveRequests;
  uint32_t chain = 0;     // the next one in its bucket, or free
  uint32_t previous = 0;  // in the list of those that are open
  uint32_t next = 0;
};

// The requests that are not finished, by timestamp, and a list of those that are open, in order of issue.
// Slots are used again, so that a request costs no allocation; everything is O(1). Few stay allocated when no
// request is left. Pure: one thread.
class LiveRequests {
 public:
  // What is found stays where it is until the next Insert.
  LiveRequest* Find(int timestamp) {
    return const_cast<LiveRequest*>(static_cast<const LiveRequests*>(this)->Find(timestamp));
  }
  const LiveRequest* Find(int timestamp) const {
    if (num_ == 0) return nullptr;
    uint32_t slot = buckets_[BucketOf(timestamp)];
    while (slot != kNone && slots_[slot].timestamp != timestamp) slot = slots_[slot].chain;
    return slot == kNone ? nullptr : &slots_[slot];
  }
  // One with this timestamp, which is not among them; open, the last in the list.
  LiveRequest* Insert(int timestamp);
  // Takes it out of the list of open ones; once.
  void TakeFromOpen(LiveRequest* request);
  // Forgets a request that is not open. Its slot is used again.
  void Erase(LiveRequest* request);

  std::size_t size() const { return num_; }

  // The open ones in order of issue; null at the end.
  LiveRequest* first_open() { return At(first_open_); }
  const LiveRequest* first_open() const { return first_open_ == kNone ? nullptr : &slots_[first_open_]; }
  LiveRequest* NextOpen(const LiveRequest* request) { return At(request->next); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  LiveRequest* At(uint32_t slot) { return slot == kNone ? nullptr : &slots_[slot]; }
  // Timestamps count up: the multiplication spreads every regular distance between those that stay.
  std::size_t BucketOf(int timestamp) const {
    return (static_cast<uint32_t>(timestamp) * 0x9e3779b1u) >> shift_;
  }
  void Grow();

  std::vector<LiveRequest> slots_;  // a power of two, or none
  std::vector<uint32_t> buckets_;   // as many: the first slot of each chain
  int shift_ = 0;
  std::size_t num_ = 0;
  uint32_t first_free_ = kNone;
  uint32_t first_open_ = kNone;
  uint32_t last_open_ = kNone;
};

}  // namespace ps
#endif  // PS_APP_LIVE_REQUESTS_H_
