#include "van/assembler.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/copy.h"
#include "base/test_point.h"
#include "message/node_id.h"

namespace ps {
namespace {

// The roster of the largest job.
constexpr uint64_t kMostControlBytes = 8 << 20;
// Messages of one sender that are begun. It begins another one only if its priority is higher than all of
// theirs, so that this many are no accident.
constexpr size_t kMostBegun = 1024;

// Control messages share one lane, whatever their priority.
std::pair<bool, int> LaneOf(const Header& header) {
  const bool control = header.kind != FrameKind::kData;
  return {control, control ? 0 : header.priority};
}

// What all chunks of a message have in common.
Header WithoutChunk(Header header) {
  header.sequence = header.ack = 0;
  header.credit_requests = 0;
  header.credit_bytes = 0;
  header.chunk_length = 0;
  header.chunk_offset = 0;
  return header;
}

// The sizes come from outside: their sum may not fit.
bool Exceeds(const Header& header, uint64_t limit) {
  for (uint64_t bytes : header.block_bytes) {
    if (bytes > limit) return true;
    limit -= bytes;
  }
  return false;
}

std::string Who(const Header& header) {
  return "message from " + DescribeNodeId(static_cast<int>(header.sender)) + ": ";
}

Status OutOfPlace(const Header& header, const std::string& why) {
  return Status::InvalidArgument(Who(header) + why);
}

// Up to so many bytes the blocks of a message share one allocation.
constexpr uint64_t kSmallBytes = 2048;
constexpr uint64_t kBlockAlignment = 64;

uint64_t Aligned(uint64_t bytes) { return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment; }

// Makes `*blocks`, which are empty.
void MakeBlocks(const Header& header, uint64_t total, bool with_values, Blocks* blocks) {
  const uint64_t most = *std::max_element(header.block_bytes.begin(), header.block_bytes.end());
  if (total > kSmallBytes || most == total || !with_values) {
    for (int i = 0; i < kNumBlocks; ++i) {
      const bool is_wanted = i != kBlockVals || with_values;
      if (is_wanted && header.block_bytes[i] > 0)
        (*blocks)[i] = SArray<char>::Uninitialized(header.block_bytes[i]);
    }
    return;
  }
  const SArray<char> whole = SArray<char>::Uninitialized(total + kNumBlocks * (kBlockAlignment - 1));
  uint64_t begin = 0;
  for (int i = 0; i < kNumBlocks; ++i) {
    if (header.block_bytes[i] == 0) continue;
    (*blocks)[i] = whole.segment(begin, begin + header.block_bytes[i]);
    begin = Aligned(begin + header.block_bytes[i]);
  }
}

// Writes a stream of bytes into the blocks laid end to end, from byte `offset` on.
class BlockWriter {
 public:
  BlockWriter(const Header& header, Blocks* blocks, uint64_t offset)
      : sizes_(header.block_bytes), blocks_(*blocks), offset_(offset) {
    SkipFull();
  }

  void Write(const char* bytes, uint64_t size) {
    while (size > 0 && block_ < kNumBlocks) {
      const uint64_t step = std::min<uint64_t>(size, sizes_[block_] - offset_);
      CopyFromPeer(blocks_[block_].data() + offset_, bytes, step);
      bytes += step;
      size -= step;
      offset_ += step;
      SkipFull();
    }
  }

 private:
  void SkipFull() {
    while (block_ < kNumBlocks && offset_ >= sizes_[block_]) offset_ -= sizes_[block_++];
  }

  const std::array<uint64_t, kNumBlocks>& sizes_;
  Blocks& blocks_;
  uint64_t offset_;  // in the block
  int block_ = 0;
};

// Whether the next `bytes` of the message have something of its values among them.
bool TouchesValues(const Header& header, uint64_t begin, uint64_t bytes) {
  const uint64_t values = header.block_bytes[kBlockKeys];
  return begin < values + header.block_bytes[kBlockVals] && begin + bytes > values;
}

}  // namespace

Status Assembler::CheckPlace(const Header& header, const Frame& frame, Open::const_iterator open) const {
  const uint64_t total = header.total_bytes();
  const uint64_t expected = open == open_.end() ? 0 : open->second.received;
  const uint64_t payload = frame.payload_bytes();
  if (payload != header.chunk_length) {
    return OutOfPlace(header, "the header says " + std::to_string(header.chunk_length) +
                                  " bytes, the frame has " + std::to_string(payload));
  }
  if (header.chunk_offset != expected) {
    return OutOfPlace(header, "a chunk at byte " + std::to_string(header.chunk_offset) + " instead of " +
                                  std::to_string(expected));
  }
  if (payload > total - expected || (payload == 0 && total != 0)) {
    return OutOfPlace(header, "a chunk of " + std::to_string(payload) + " bytes at byte " +
                                  std::to_string(expected) + " of " + std::to_string(total));
  }
  if (open != open_.end() && !(open->second.message.header == WithoutChunk(header))) {
    return OutOfPlace(header, "a chunk of another message at byte " + std::to_string(expected));
  }
  return Status::Ok();
}

Status Assembler::Allocate(const Header& header, const Frame& frame, Partial* partial) const {
  partial->message.header = WithoutChunk(header);
  partial->refused = true;
  const std::string size = std::to_string(header.total_bytes());
  // The user's bound is on data; a roster must always fit.
  const uint64_t limit = header.kind == FrameKind::kControl ? std::max(max_message_bytes_, kMostControlBytes)
                                                            : max_message_bytes_;
  if (Exceeds(header, limit)) {
    return Status::ResourceExhausted(Who(header) + size + " bytes are more than the " +
                                     std::to_string(max_message_bytes_) + " of PS_MAX_MESSAGE_BYTES");
  }
  try {
    partial->is_borrowing =
        frame.lent != 0 && header.block_bytes[kBlockVals] > 0 && borrows_ && borrows_(header);
    MakeBlocks(header, header.total_bytes(), !partial->is_borrowing, &partial->message.blocks);
  } catch (const std::bad_alloc&) {
    partial->message.blocks = {};
    return Status::ResourceExhausted(Who(header) + "no memory for its " + size + " bytes");
  }
  partial->refused = false;
  return Status::Ok();
}

Status Assembler::Take(const Frame& frame, Partial* partial) {
  const Header& header = partial->message.header;
  Status status;
  for (int i = 0; i < kNumBlocks; ++i) {
    const SArray<char>& part = frame.parts[i];
    if (part.empty()) continue;
    const bool may_borrow = partial->is_borrowing && TouchesValues(header, partial->received, part.size());
    const bool borrowed = may_borrow && Borrow(part, (frame.lent >> i & 1) != 0, partial);
    if (may_borrow && !borrowed) status = StopBorrowing(partial);
    if (!borrowed && !partial->refused) {
      BlockWriter(header, &partial->message.blocks, partial->received).Write(part.data(), part.size());
      copied_bytes_ += part.size();
    }
    partial->received += part.size();
  }
  return status;
}

bool Assembler::Borrow(const SArray<char>& part, bool is_lent, Partial* partial) {
  const Header& header = partial->message.header;
  const uint64_t offset = partial->received - header.block_bytes[kBlockKeys];  // huge in front of the values
  if (!is_lent || offset != partial->lent_bytes || part.size() > header.block_bytes[kBlockVals] - offset)
    return false;
  if (!partial->lent.empty() && part.data() != partial->lent.back().end()) return false;
  partial->lent.push_back(part);
  partial->lent_bytes += part.size();
  return true;
}

// What was lent so far is copied after all.
Status Assembler::StopBorrowing(Partial* partial) {
  partial->is_borrowing = false;
  Complete& message = partial->message;
  try {
    message.blocks[kBlockVals] = SArray<char>::Uninitialized(message.header.block_bytes[kBlockVals]);
  } catch (const std::bad_alloc&) {
    partial->refused = true;
    message.blocks = {};
    partial->lent.clear();
    return Status::ResourceExhausted(Who(message.header) + "no memory for its values");
  }
  char* to = message.blocks[kBlockVals].data();
  for (const SArray<char>& part : partial->lent) {
    CopyFromPeer(to, part.data(), part.size());
    to += part.size();
  }
  copied_bytes_ += partial->lent_bytes;
  partial->lent.clear();
  return Status::Ok();
}

Assembler::Complete Assembler::Finish(Partial* partial) {
  Complete message = std::move(partial->message);
  if (!partial->is_borrowing) return message;
  message.borrowed = true;
  if (partial->lent.size() == 1) {
    message.blocks[kBlockVals] = partial->lent.front();
  } else {
    char* const begin = partial->lent.front().data();
    message.blocks[kBlockVals].reset(begin, partial->lent_bytes,
                                     [keeps = std::move(partial->lent)](char*) {});
  }
  return message;
}

void Assembler::Forget(Open::iterator open) {
  if (!open->second.refused) pending_bytes_ -= open->second.message.header.total_bytes();
  open_.erase(open);
}

bool Assembler::TakeWhole(const Header& header, const Frame& frame, Blocks* blocks) {
  const uint64_t most = header.kind == FrameKind::kData ? max_message_bytes_ : kMostControlBytes;
  const uint64_t bytes = frame.payload_bytes();
  if (frame.lent != 0 || !open_.empty() || bytes != header.chunk_length || bytes != header.total_bytes() ||
      bytes > most)
    return false;
  if (bytes == 0) return true;
  try {
    MakeBlocks(header, bytes, true, blocks);
  } catch (const std::bad_alloc&) {
    *blocks = {};
    return false;
  }
  copied_bytes_ += bytes;
  if (frame.parts[0].size() == bytes) {  // in one piece, as it comes from shared memory
    const char* from = frame.parts[0].data();
    for (const SArray<char>& block : *blocks) {
      if (block.empty()) continue;
      CopyFromPeer(block.data(), from, block.size());
      from += block.size();
    }
    return true;
  }
  BlockWriter writer(header, blocks, 0);
  for (const SArray<char>& part : frame.parts) writer.Write(part.data(), part.size());
  return true;
}

Result<std::optional<Assembler::Complete>> Assembler::Begin(const Header& header, const Frame& frame) {
  const bool whole = header.chunk_length == header.total_bytes();
  Partial partial;
  Status status = Allocate(header, frame, &partial);
  const Status taken = Take(frame, &partial);
  if (status.ok()) status = taken;
  std::optional<Complete> complete;
  if (!whole) {
    if (status.ok()) pending_bytes_ += header.total_bytes();
    open_.emplace(LaneOf(header), std::move(partial));
  } else if (status.ok()) {
    complete = Finish(&partial);
  }
  if (!status.ok()) return status;
  return complete;
}

Result<std::optional<Assembler::Complete>> Assembler::Continue(Open::iterator open, const Frame& frame) {
  Partial& partial = open->second;
  const uint64_t total = partial.message.header.total_bytes();
  Status status = Take(frame, &partial);
  if (!status.ok()) pending_bytes_ -= total;
  PS_TEST_POINT("chunk.received");
  std::optional<Complete> complete;
  if (partial.received >= total) {
    if (!partial.refused) {
      pending_bytes_ -= total;
      complete = Finish(&partial);
    }
    open_.erase(open);
  }
  if (!status.ok()) return status;
  return complete;
}

Result<std::optional<Assembler::Complete>> Assembler::Add(const Header& header, const Frame& frame) {
  const auto open = open_.find(LaneOf(header));
  Status status = CheckPlace(header, frame, open);
  if (!status.ok()) {
    if (open != open_.end()) Forget(open);
    return status;
  }
  if (open != open_.end()) return Continue(open, frame);
  const bool whole = header.chunk_length == header.total_bytes();
  if (!whole && open_.size() >= kMostBegun) {
    return Status::ResourceExhausted(Who(header) + std::to_string(open_.size()) +
                                     " messages of other priorities are begun already");
  }
  return Begin(header, frame);
}

}  // namespace ps
