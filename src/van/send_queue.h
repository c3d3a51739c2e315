#ifndef PS_VAN_SEND_QUEUE_H_
#define PS_VAN_SEND_QUEUE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "base/priority_queue.h"
#include "transport/transport.h"

namespace ps {

// A message waiting to be sent: its header without ids and numbers, and its blocks by reference.
struct Outgoing {
  Header header;  // block_bytes set; chunk, sequence, ack and credits not yet
  std::array<SArray<char>, kNumBlocks> blocks;
  int64_t queued_ms = 0;

  bool is_request() const { return header.kind == FrameKind::kData && (header.flags & kFlagRequest) != 0; }
  uint64_t bytes() const { return header.total_bytes(); }
};

// What waits for one peer: a lane for control messages, before everything else, and a first-in-first-out
// queue per priority. Hands out chunks of at most `chunk_bytes`, so that a higher priority overtakes between
// two chunks of a large message. Within a priority messages never overtake each other. Pure.
class SendQueue {
 public:
  explicit SendQueue(uint64_t chunk_bytes) : chunk_bytes_(chunk_bytes), piece_bytes_(chunk_bytes) {}

  // From the next chunk on they have at most so many bytes, if that is less: what the link likes best.
  uint64_t piece_bytes() const { return piece_bytes_; }
  void set_piece_bytes(uint64_t piece_bytes) { piece_bytes_ = std::min(chunk_bytes_, piece_bytes); }

  bool empty() const { return control_.empty() && data_.empty(); }
  size_t size() const;                                         // messages
  uint64_t response_bytes() const { return response_bytes_; }  // of responses not handed out yet

  void Push(Outgoing message);

  // The next chunk: a header with chunk_offset and chunk_length set, and its pieces (segments of the blocks,
  // no copy). Needs !empty().
  struct Chunk {
    Header header;
    std::array<SArray<char>, kNumBlocks> parts;
    bool last = false;  // of its message
  };
  Chunk Next() const;
  // The chunk Next() returned was sent.
  void Advance();

  // Visits the messages of which a part has been sent, at most one per lane; `visit` may replace the blocks
  // by copies.
  void ForEachBegun(const std::function<void(Outgoing&)>& visit);

  // Takes out the messages of which nothing has been sent and which match; for failing requests and for a
  // lost peer.
  std::vector<Outgoing> Remove(const std::function<bool(const Outgoing&)>& match);

 private:
  struct Entry {
    Outgoing message;
    uint64_t sent_bytes = 0;
  };

  const Entry& Head() const;
  uint64_t NextLength() const;

  const uint64_t chunk_bytes_;
  uint64_t piece_bytes_;
  std::deque<Entry> control_;
  PriorityQueue<Entry> data_;
  uint64_t response_bytes_ = 0;
};

}  // namespace ps
#endif  // PS_VAN_SEND_QUEUE_H_
