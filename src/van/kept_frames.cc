#include "van/kept_frames.h"

#include <algorithm>
#include <utility>

namespace ps {
namespace {

constexpr size_t kFewestPlaces = 16;

}  // namespace

void KeptFrames::Grow() {
  std::vector<Kept> places(std::max(kFewestPlaces, 2 * places_.size()));
  for (uint64_t number = first(); number < next(); ++number)
    places[number & (places.size() - 1)] = std::move((*this)[number]);
  places_.swap(places);
}

Frame* KeptFrames::Place() {
  if (size_ == places_.size()) Grow();
  return &(*this)[next()].frame;
}

void KeptFrames::Add(uint64_t payload_bytes, int64_t now_ms) {
  Kept& kept = (*this)[next()];
  kept.first_sent_ms = kept.sent_ms = now_ms;
  bytes_ += payload_bytes;
  ++size_;
}

void KeptFrames::DropThrough(uint64_t last) {
  for (; first_ <= last; ++first_, --size_) {
    for (SArray<char>& part : (*this)[first_].frame.parts) {
      bytes_ -= part.size();
      if (part.ptr() != nullptr) part.clear();
    }
  }
}

}  // namespace ps
