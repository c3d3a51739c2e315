#include "van/send_queue.h"

#include "base/test_point.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ps {
namespace {

bool IsResponse(const Header& header) {
  return header.kind == FrameKind::kData && (header.flags & kFlagRequest) == 0;
}

}  // namespace

size_t SendQueue::size() const { return control_.size() + data_.size(); }

void SendQueue::Push(Outgoing message) {
  if (IsResponse(message.header)) response_bytes_ += message.bytes();
  const int priority = message.header.priority;
  if (message.header.kind == FrameKind::kData) {
    data_.Push(priority, Entry{std::move(message), 0});
  } else {
    control_.push_back(Entry{std::move(message), 0});
  }
}

const SendQueue::Entry& SendQueue::Head() const {
  return control_.empty() ? data_.Front() : control_.front();
}

uint64_t SendQueue::NextLength() const {
  constexpr uint64_t kMostPerFrame = std::numeric_limits<uint32_t>::max();
  const uint64_t most = std::min(std::max<uint64_t>(piece_bytes_, 1), kMostPerFrame);
  return std::min(most, Head().message.bytes() - Head().sent_bytes);
}

SendQueue::Chunk SendQueue::Next() const {
  const Entry& entry = Head();
  PS_TEST_POINT(control_.empty() ? "data.before_send" : "control.before_send");
  Chunk chunk;
  chunk.header = entry.message.header;
  chunk.header.chunk_offset = entry.sent_bytes;
  chunk.header.chunk_length = static_cast<uint32_t>(NextLength());
  const uint64_t end = entry.sent_bytes + NextLength();
  chunk.last = end == entry.message.bytes();
  uint64_t block_begin = 0;
  for (int i = 0; i < kNumBlocks; ++i) {
    const SArray<char>& block = entry.message.blocks[i];
    const uint64_t block_end = block_begin + block.size();
    const uint64_t from = std::max(entry.sent_bytes, block_begin);
    const uint64_t to = std::min(end, block_end);
    if (from < to) chunk.parts[i] = block.segment(from - block_begin, to - block_begin);
    block_begin = block_end;
  }
  return chunk;
}

void SendQueue::Advance() {
  const uint64_t length = NextLength();
  Entry& entry = control_.empty() ? data_.Front() : control_.front();
  entry.sent_bytes += length;
  PS_TEST_POINT(entry.sent_bytes < entry.message.bytes() ? "chunk.after_send"
                : control_.empty()                       ? "data.after_send"
                                                         : "control.after_send");
  if (IsResponse(entry.message.header)) response_bytes_ -= length;
  if (entry.sent_bytes < entry.message.bytes()) return;
  if (control_.empty()) {
    data_.Pop();
  } else {
    control_.pop_front();
  }
}

void SendQueue::ForEachBegun(const std::function<void(Outgoing&)>& visit) {
  const auto visit_begun = [&](Entry& entry) {
    if (entry.sent_bytes != 0) visit(entry.message);
  };
  std::for_each(control_.begin(), control_.end(), visit_begun);
  data_.for_each(visit_begun);
}

std::vector<Outgoing> SendQueue::Remove(const std::function<bool(const Outgoing&)>& match) {
  std::vector<Outgoing> removed;
  const auto take = [&](const Entry& entry) {
    if (entry.sent_bytes != 0 || !match(entry.message)) return false;
    if (IsResponse(entry.message.header)) response_bytes_ -= entry.message.bytes();
    removed.push_back(entry.message);
    return true;
  };
  control_.erase(std::remove_if(control_.begin(), control_.end(), take), control_.end());
  data_.RemoveIf(take);
  return removed;
}

}  // namespace ps
