#include "transport/zmq/batch.h"

#include <array>
#include <cstring>

namespace ps {
namespace {

constexpr std::array<char, 4> kMark = {'C', 'R', 'V', 'B'};
constexpr size_t kSizeBytes = 4;

std::array<char, kSizeBytes> BytesOfSize(size_t size) {
  std::array<char, kSizeBytes> bytes;
  for (size_t i = 0; i < kSizeBytes; ++i) bytes[i] = static_cast<char>(size >> (8 * i) & 0xff);
  return bytes;
}

size_t SizeOfBytes(const char* bytes) {
  size_t size = 0;
  for (size_t i = 0; i < kSizeBytes; ++i) size |= size_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return size;
}

}  // namespace

bool FrameBatch::HasRoomFor(const Frame& frame) const {
  if (empty()) return true;
  return num_frames_ < kMaxFramesTogether &&
         used_ + kSizeBytes + kHeaderBytes + frame.payload_bytes() <= max_bytes_;
}

void FrameBatch::Append(const void* bytes, size_t size) {
  std::memcpy(bytes_.data() + used_, bytes, size);
  used_ += size;
}

void FrameBatch::Add(const Frame& frame) {
  const size_t payload = frame.payload_bytes();
  const size_t needed = used_ + kMark.size() + kSizeBytes + kHeaderBytes + payload;
  if (bytes_.size() < needed) bytes_.resize(2 * needed);
  if (empty()) Append(kMark.data(), kMark.size());
  Append(BytesOfSize(payload).data(), kSizeBytes);
  Append(frame.head.data(), kHeaderBytes);
  for (const SArray<char>& part : frame.parts) {
    if (!part.empty()) Append(part.data(), part.size());
  }
  ++num_frames_;
}

SArray<char> FrameBatch::Take() {
  const size_t begin = num_frames_ == 1 ? kMark.size() + kSizeBytes : 0;
  SArray<char> part = SArray<char>::Uninitialized(used_ - begin);
  std::memcpy(part.data(), bytes_.data() + begin, part.size());
  used_ = num_frames_ = 0;
  return part;
}

bool IsBatch(const char* bytes, size_t size) {
  return size >= kMark.size() && std::memcmp(bytes, kMark.data(), kMark.size()) == 0;
}

bool CutBatch(const SArray<char>& batch, std::vector<Frame>* frames) {
  const size_t before = frames->size();
  const char* const bytes = batch.data();
  bool well_formed = IsBatch(bytes, batch.size());
  size_t at = kMark.size();
  while (well_formed && at < batch.size()) {
    well_formed =
        frames->size() - before < kMaxFramesTogether && batch.size() - at >= kSizeBytes + kHeaderBytes;
    if (!well_formed) break;
    const size_t payload = SizeOfBytes(bytes + at);
    at += kSizeBytes;
    Frame& frame = frames->emplace_back();
    std::memcpy(frame.head.data(), bytes + at, kHeaderBytes);
    at += kHeaderBytes;
    well_formed = payload <= batch.size() - at;
    if (!well_formed) break;
    if (payload > 0) frame.parts[0] = batch.segment(at, at + payload);
    at += payload;
  }
  well_formed = well_formed && frames->size() > before;
  if (!well_formed) frames->resize(before);
  return well_formed;
}

}  // namespace ps
