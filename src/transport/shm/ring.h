#ifndef PS_TRANSPORT_SHM_RING_H_
#define PS_TRANSPORT_SHM_RING_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bell.h"
#include "transport/transport.h"

namespace ps {

// Who has to be woken when something was written.
enum class Sleeper : uint32_t {
  kNobody = 0,  // somebody looks at the ring
  kInPoll = 1,  // by the doorbell
  kOnWord = 2,  // sleeps on the word that says so (Bell)
};

// What two processes tell each other about a ring. Fresh memory of zeros is a valid one. Each word has a pair
// of cache lines of its own (processors fetch lines in pairs), so that neither side waits for the other's
// stores without need.
struct RingControl {
  static constexpr size_t kLine = 128;

  alignas(kLine) std::atomic<uint64_t> head{0};           // bytes ever written
  alignas(kLine) std::atomic<uint64_t> tail{0};           // bytes ever given back; never beyond head
  alignas(kLine) std::atomic<uint32_t> sleeper{0};        // a Sleeper; whoever writes takes it and wakes
  alignas(kLine) std::atomic<uint32_t> writer_waits{0};   // 1: whoever makes room takes it and rings
  alignas(kLine) std::atomic<uint32_t> reader_left{0};    // 1: nobody reads any more
  alignas(kLine) std::atomic<uint32_t> refuses_loans{0};  // 1: the reader can not see lent memory
  // Memory that is lent instead of being copied: a word for each piece (transport/shm/lending.h).
  static constexpr uint32_t kLoans = 512;
  alignas(kLine) std::array<std::atomic<uint32_t>, kLoans> loans{};
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free,
              "locks do not work between processes");

// The memory of a ring. `data` has `capacity` bytes (a power of two) and appears twice, back to back, so that
// a record is in one piece wherever it begins.
struct RingMemory {
  RingControl* control = nullptr;
  char* data = nullptr;
  uint64_t capacity = 0;
};

// Which parts of a frame are lent (bit i: parts[i]), and what the record says of them instead.
constexpr size_t kLoanBytes = 32;  // of each part
struct Loans {
  uint8_t lent = 0;
  std::array<char, kNumBlocks * kLoanBytes> bytes{};
};

// One writer, one reader; neither trusts the other: whatever the other side writes into the shared memory,
// positions and records are read once, checked, and refused. A record is a size word (its highest bit: has
// loans), the header and the payload, in multiples of 64 bytes.
//
// A payload of more than kUnalignedPayload bytes begins at such a multiple, as its source mostly does: copies
// between places that differ by a few bytes modulo 4096 are many times slower.
constexpr uint64_t kUnalignedPayload = 4096;
// Where it begins in its record, and the bytes of the ring that a frame of this payload takes.
constexpr uint64_t PayloadOffset(uint64_t payload_bytes) {
  constexpr uint64_t kBehindHeader = sizeof(uint64_t) + kHeaderBytes;
  return payload_bytes <= kUnalignedPayload ? kBehindHeader : (kBehindHeader + 63) / 64 * 64;
}
constexpr uint64_t RecordBytes(uint64_t payload_bytes) {
  return (PayloadOffset(payload_bytes) + payload_bytes + 63) / 64 * 64;
}

// The writing half, of a ring that is empty yet. One thread at a time.
class RingWriter {
 public:
  explicit RingWriter(const RingMemory& memory) : memory_(memory) {}

  enum class Outcome {
    kWritten,
    kFull,      // the reader rings when half of the ring is free
    kTooLarge,  // can never fit
    kBroken,    // the reader does not keep to the rules; nothing more is written
  };
  // Copies the frame into the ring, where the reader sees it at once. With `loans` (not null: some are lent)
  // the payload is their bytes, and behind them the parts that are not lent.
  Outcome TryWrite(const Frame& frame, const Loans* loans = nullptr);
  // After kWritten: who sleeps, and has to be woken after this very call: kInPoll by the doorbell; who slept
  // on the word has been woken.
  Sleeper Wake();
  bool ReaderHasLeft() const;

 private:
  bool HasRoom(uint64_t bytes) {
    return memory_.capacity - (head_ - known_tail_) >= bytes || SeesRoom(bytes);
  }
  bool SeesRoom(uint64_t bytes);
  void Freshen(uint64_t end);
  void Copy(const Frame& frame, uint8_t lent, const Loans* loans, uint64_t payload_bytes);

  const RingMemory memory_;
  uint64_t head_ = 0;        // own copy of the position
  uint64_t known_tail_ = 0;  // the reader's, as last seen; checked
  uint64_t fresh_from_ = 0;  // pages beyond it were not touched yet
  bool is_broken_ = false;
};

// The reading half, from the first record on. One thread at a time.
class RingReader {
 public:
  explicit RingReader(const RingMemory& memory) : memory_(memory) {}

  // The payload lies in the ring until Release, and a writer that breaks the rules may change it meanwhile.
  struct Record {
    HeaderBytes head{};
    char* payload = nullptr;
    uint64_t payload_bytes = 0;
    bool has_loans = false;  // the payload begins with the bytes of Loans
  };
  enum class Outcome { kRecord, kEmpty, kMalformed };
  Outcome Next(Record* record);
  // Whether Next would find something (or something wrong).
  bool HasMore() const;

  // Gives back the room of all records so far. True: the writer waits for room, and this call is the one that
  // has to wake it.
  bool Release();
  uint64_t unreleased() const { return position_ - released_; }

  // From now on the writer wakes `sleeper`; HasMore has to be asked afterwards, before sleeping.
  void BeginSleep(Sleeper sleeper);
  void EndSleep();
  // BeginSleep(kInPoll) where nobody sleeps; who sleeps on the word still does.
  void ArmPoll();
  // What one sleeps on after BeginSleep(kOnWord).
  Bell::Word word() const;

  // The writer is gone: what it writes from now on is not read.
  void FixEnd();
  // Tells the writer that nobody reads any more.
  void Leave();

 private:
  bool SeeHead();

  const RingMemory memory_;
  uint64_t position_ = 0;    // of the next record
  uint64_t released_ = 0;    // what the writer was told
  uint64_t known_head_ = 0;  // the writer's, as last seen; checked
  bool is_fixed_ = false;
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_RING_H_
