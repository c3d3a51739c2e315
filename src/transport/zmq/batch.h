#ifndef PS_TRANSPORT_ZMQ_BATCH_H_
#define PS_TRANSPORT_ZMQ_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/transport.h"

namespace ps {

// At most so many frames travel together.
constexpr size_t kMaxFramesTogether = 32;

// Small frames for one peer that travel in one part of a ZeroMQ message: a mark that no header begins with,
// then for each frame the size of its payload (4 bytes, little-endian), its header and its payload. One alone
// travels without mark and size. Pure.
class FrameBatch {
 public:
  // The part is no larger than `max_bytes`, unless one frame alone is.
  explicit FrameBatch(size_t max_bytes) : max_bytes_(max_bytes) {}

  bool empty() const { return num_frames_ == 0; }
  // An empty one has room for any frame.
  bool HasRoomFor(const Frame& frame) const;
  // Copies it. Needs HasRoomFor.
  void Add(const Frame& frame);
  // The part; the batch is empty afterwards.
  SArray<char> Take();

 private:
  void Append(const void* bytes, size_t size);

  const size_t max_bytes_;
  size_t num_frames_ = 0;
  std::vector<char> bytes_;  // as if there were several; keeps its memory
  size_t used_ = 0;          // of it
};

// Whether a part holds frames that travel together.
bool IsBatch(const char* bytes, size_t size);
// Appends its frames, whose payloads share its memory. False, and nothing is appended, if it is not what Take
// makes.
bool CutBatch(const SArray<char>& batch, std::vector<Frame>* frames);

}  // namespace ps
#endif  // PS_TRANSPORT_ZMQ_BATCH_H_
