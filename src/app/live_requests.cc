#include "app/live_requests.h"

namespace ps {
namespace {

constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kKeptSlots = 1024;  // with no request left
constexpr int kHashBits = 32;

}  // namespace

LiveRequest* LiveRequests::Insert(int timestamp) {
  if (first_free_ == kNone) Grow();
  const uint32_t slot = first_free_;
  LiveRequest& request = slots_[slot];
  first_free_ = request.chain;
  uint32_t& bucket = buckets_[BucketOf(timestamp)];
  request.chain = bucket;
  bucket = slot;
  request.timestamp = timestamp;
  request.num_answers = 0;
  request.num_claims = 0;
  request.done = false;
  request.previous = last_open_;
  request.next = kNone;
  (last_open_ == kNone ? first_open_ : slots_[last_open_].next) = slot;
  last_open_ = slot;
  ++num_;
  return &request;
}

void LiveRequests::TakeFromOpen(LiveRequest* request) {
  (request->previous == kNone ? first_open_ : slots_[request->previous].next) = request->next;
  (request->next == kNone ? last_open_ : slots_[request->next].previous) = request->previous;
}

void LiveRequests::Erase(LiveRequest* request) {
  const uint32_t slot = static_cast<uint32_t>(request - slots_.data());
  uint32_t* link = &buckets_[BucketOf(request->timestamp)];
  while (*link != slot) link = &slots_[*link].chain;
  *link = request->chain;
  request->waiting.Clear();
  request->sink.reset();
  request->failure = Status();
  request->chain = first_free_;
  first_free_ = slot;
  if (--num_ == 0 && slots_.size() > kKeptSlots) *this = LiveRequests();
}

void LiveRequests::Grow() {
  const std::size_t old_size = slots_.size();
  const std::size_t size = old_size == 0 ? kFirstSlots : 2 * old_size;
  slots_.resize(size);
  buckets_.assign(size, kNone);
  shift_ = kHashBits;
  for (std::size_t left = size; left > 1; left /= 2) --shift_;
  for (std::size_t slot = 0; slot < old_size; ++slot) {  // all in use
    uint32_t& bucket = buckets_[BucketOf(slots_[slot].timestamp)];
    slots_[slot].chain = bucket;
    bucket = static_cast<uint32_t>(slot);
  }
  for (std::size_t slot = size; slot > old_size; --slot) {
    slots_[slot - 1].chain = first_free_;
    first_free_ = static_cast<uint32_t>(slot - 1);
  }
}

}  // namespace ps
