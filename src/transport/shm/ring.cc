#include "transport/shm/ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/copy.h"

namespace ps {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kSizeBytes = sizeof(uint64_t);
// Of fresh memory that is asked for at a time, at most: what a reader of it is given in one go.
constexpr uint64_t kMostFreshBytes = 64 << 10;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kHasLoans = uint64_t{1} << 63;

// The other side may write it at any time, so it is read as one word.
std::atomic<uint64_t>* SizeWord(char* record) { return reinterpret_cast<std::atomic<uint64_t>*>(record); }

// Those of the loans, and of what is not lent.
uint64_t BytesWithLoans(const Frame& frame, const Loans& loans) {
  uint64_t bytes = loans.bytes.size();
  for (int i = 0; i < kNumBlocks; ++i) {
    if ((loans.lent >> i & 1) == 0) bytes += frame.parts[i].size();
  }
  return bytes;
}

}  // namespace

// Sleeping and waiting are flags that one side sets before it looks at the other's position, and that the
// other side reads after it has moved its own. Both in one order for all (seq_cst), so that one of the two
// sees the other.
bool RingWriter::SeesRoom(uint64_t bytes) {
  const uint64_t tail = memory_.control->tail.load();
  if (head_ - tail > head_ - known_tail_) {  // beyond head_, or behind where it was
    is_broken_ = true;
    return false;
  }
  known_tail_ = tail;
  return memory_.capacity - (head_ - known_tail_) >= bytes;
}

RingWriter::Outcome RingWriter::TryWrite(const Frame& frame, const Loans* loans) {
  const uint8_t lent = loans == nullptr ? 0 : loans->lent;
  const uint64_t payload_bytes = lent == 0 ? frame.payload_bytes() : BytesWithLoans(frame, *loans);
  const uint64_t bytes = RecordBytes(payload_bytes);
  if (payload_bytes > memory_.capacity || bytes > memory_.capacity) return Outcome::kTooLarge;
  if (!is_broken_ && !HasRoom(bytes)) {
    memory_.control->writer_waits.store(1);
    if (!is_broken_ && !HasRoom(bytes)) return is_broken_ ? Outcome::kBroken : Outcome::kFull;
    memory_.control->writer_waits.store(0);
  }
  if (is_broken_) return Outcome::kBroken;
  if (head_ + bytes > fresh_from_) Freshen(head_ + bytes);
  Copy(frame, lent, loans, payload_bytes);
  head_ += bytes;
  memory_.control->head.store(head_);
  return Outcome::kWritten;
}

// In the first round the ring's pages are fresh. Each of them would stop the writer, then the reader; several
// at a time stop them once. As many as there were so far, so that a ring of few records stays small. An older
// kernel (before Linux 5.14) does it page by page.
void RingWriter::Freshen(uint64_t end) {
  if (fresh_from_ >= memory_.capacity) return;
  const uint64_t step = std::clamp(fresh_from_, kPage, kMostFreshBytes);
  end = std::min((end + step - 1) / step * step, memory_.capacity);
#if defined(MADV_POPULATE_WRITE)
  (void)madvise(memory_.data + fresh_from_, end - fresh_from_, MADV_POPULATE_WRITE);
#endif
  fresh_from_ = end;
}

void RingWriter::Copy(const Frame& frame, uint8_t lent, const Loans* loans, uint64_t payload_bytes) {
  char* const record = memory_.data + (head_ & (memory_.capacity - 1));
  SizeWord(record)->store(payload_bytes | (lent == 0 ? 0 : kHasLoans), std::memory_order_relaxed);
  std::memcpy(record + kSizeBytes, frame.head.data(), kHeaderBytes);
  char* to = record + PayloadOffset(payload_bytes);
  if (lent != 0) {
    std::memcpy(to, loans->bytes.data(), loans->bytes.size());
    to += loans->bytes.size();
  }
  for (int i = 0; i < kNumBlocks; ++i) {
    const SArray<char>& part = frame.parts[i];
    if (part.empty() || (lent >> i & 1) != 0) continue;
    CopyBytes(to, part.data(), part.size());
    to += part.size();
  }
}

Sleeper RingWriter::Wake() {
  std::atomic<uint32_t>& sleeper = memory_.control->sleeper;
  if (sleeper.load() == 0) return Sleeper::kNobody;
  const uint32_t taken = sleeper.exchange(0);
  if (taken == static_cast<uint32_t>(Sleeper::kOnWord)) Bell::WakeWord(&sleeper);
  return static_cast<Sleeper>(taken);
}

bool RingWriter::ReaderHasLeft() const {
  return memory_.control->reader_left.load(std::memory_order_relaxed) != 0;
}

// False if the writer claims what can not be.
bool RingReader::SeeHead() {
  if (is_fixed_) return true;
  const uint64_t head = memory_.control->head.load();
  const bool is_sane = head - position_ <= memory_.capacity - unreleased() && head % kAlignment == 0;
  if (is_sane) known_head_ = head;
  return is_sane;
}

RingReader::Outcome RingReader::Next(Record* record) {
  if (position_ == known_head_ && !SeeHead()) return Outcome::kMalformed;
  const uint64_t available = known_head_ - position_;
  if (available == 0) return Outcome::kEmpty;
  if (available < RecordBytes(0)) return Outcome::kMalformed;
  char* const at = memory_.data + (position_ & (memory_.capacity - 1));
  const uint64_t word = SizeWord(at)->load(std::memory_order_relaxed);
  const uint64_t payload_bytes = word & ~kHasLoans;
  record->has_loans = (word & kHasLoans) != 0;
  if (record->has_loans && payload_bytes < sizeof(Loans::bytes)) return Outcome::kMalformed;
  if (payload_bytes > available || RecordBytes(payload_bytes) > available) return Outcome::kMalformed;
  std::memcpy(record->head.data(), at + kSizeBytes, kHeaderBytes);
  record->payload = at + PayloadOffset(payload_bytes);
  record->payload_bytes = payload_bytes;
  position_ += RecordBytes(payload_bytes);
  return Outcome::kRecord;
}

bool RingReader::HasMore() const {
  if (position_ != known_head_) return true;
  return !is_fixed_ && memory_.control->head.load() != position_;
}

bool RingReader::Release() {
  if (position_ == released_) return false;
  released_ = position_;
  memory_.control->tail.store(position_);
  if (memory_.control->writer_waits.load() == 0) return false;
  if (memory_.control->head.load() - position_ > memory_.capacity / 2) return false;
  return memory_.control->writer_waits.exchange(0) != 0;
}

void RingReader::BeginSleep(Sleeper sleeper) {
  memory_.control->sleeper.store(static_cast<uint32_t>(sleeper));
}

void RingReader::EndSleep() { memory_.control->sleeper.store(0, std::memory_order_relaxed); }

void RingReader::ArmPoll() {
  uint32_t awake = 0;
  memory_.control->sleeper.compare_exchange_strong(awake, static_cast<uint32_t>(Sleeper::kInPoll));
}

Bell::Word RingReader::word() const {
  return {&memory_.control->sleeper, static_cast<uint32_t>(Sleeper::kOnWord)};
}

void RingReader::FixEnd() {
  // A claim that can not be is left out: what was read so far is the end.
  (void)SeeHead();
  is_fixed_ = true;
}

void RingReader::Leave() { memory_.control->reader_left.store(1); }

}  // namespace ps
