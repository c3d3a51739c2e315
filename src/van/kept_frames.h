#ifndef PS_VAN_KEPT_FRAMES_H_
#define PS_VAN_KEPT_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/transport.h"

namespace ps {

// Frames with consecutive numbers, from 1 on: new ones come behind the last, old ones go in front. A ring, so
// that places are used again without being made anew. Pure.
class KeptFrames {
 public:
  struct Kept {
    Frame frame;
    int64_t first_sent_ms = 0;
    int64_t sent_ms = 0;  // last
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  uint64_t bytes() const { return bytes_; }         // of their payloads
  uint64_t first() const { return first_; }         // the number of the first one; next() if there is none
  uint64_t next() const { return first_ + size_; }  // the number of the next one to come
  // Needs first() <= number < next(). Good until the next Place.
  Kept& operator[](uint64_t number) { return places_[number & (places_.size() - 1)]; }
  const Kept& operator[](uint64_t number) const { return places_[number & (places_.size() - 1)]; }

  // Where the next one goes, a frame without parts; whoever fills it and does not Add it takes the parts out
  // again.
  Frame* Place();
  // What is in its place, with so many bytes of payload, belongs to the frames now; it was sent at `now_ms`.
  void Add(uint64_t payload_bytes, int64_t now_ms);
  // Those up to `last` go, and what they refer to is let go. Needs first() <= last < next().
  void DropThrough(uint64_t last);

 private:
  void Grow();

  std::vector<Kept> places_;  // as many as a power of two, each found by the last bits of its number
  uint64_t first_ = 1;
  size_t size_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace ps
#endif  // PS_VAN_KEPT_FRAMES_H_
