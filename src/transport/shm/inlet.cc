#include "transport/shm/inlet.h"

#include <utility>
#include <vector>

#include "base/fork.h"

namespace ps {
namespace {

constexpr char kRingMark = 'S';
// Room is given back in pieces: a writer of large frames goes on while others are read.
constexpr uint64_t kPiecesOfRing = 8;

SArray<char> WholeOf(const std::shared_ptr<Segment>& segment) {
  SArray<char> whole;
  const RingMemory& memory = segment->memory();
  whole.reset(memory.data, 2 * memory.capacity, [segment](char*) {});
  return whole;
}

}  // namespace

ReturnPath RingReturnPath(uint64_t tag) { return NumberedPath(kRingMark, tag); }

uint64_t TagOfRingPath(const ReturnPath& path) { return NumberOfPath(kRingMark, path); }

Inlet::Inlet(uint64_t tag, Reception::Guest guest)
    : tag_(tag),
      hello_(guest.hello),
      path_(RingReturnPath(tag)),
      ring_(WholeOf(guest.segment)),
      capacity_(guest.hello.capacity),
      doorbell_(std::make_shared<Doorbell>(std::move(guest.doorbell))),
      borrower_(guest.segment, doorbell_),
      reader_(guest.segment->memory()) {}

Inlet::~Inlet() {
  // In a child of fork() the ring is the parent's.
  if (!IsForked()) reader_.Leave();
}

void Inlet::Release() {
  if (reader_.Release()) doorbell_->Ring();
}

void Inlet::AddWord(Words* words) const {
  words->words.push_back(reader_.word());
  words->memory.push_back(ring_.ptr());
}

bool Inlet::Read(const RingReader::Record& record, Frame* frame) {
  frame->head = record.head;
  // Not counted: the ring outlives the call.
  frame->parts[0] = SArray<char>(record.payload, record.payload_bytes);
  if (!record.has_loans) return true;
  const SArray<char> payload = std::move(frame->parts[0]);
  const Borrower::Outcome outcome = borrower_.Read(payload, frame);
  is_given_up_ = outcome == Borrower::Outcome::kMalformed;
  return outcome == Borrower::Outcome::kRead;
}

int Inlet::Drain(FrameSink* sink, int most) {
  if (is_given_up_) return 0;
  int count = 0;
  RingReader::Record record;
  Frame frame;  // of which nothing is left in the next one but its first part
  RingReader::Outcome outcome = RingReader::Outcome::kRecord;
  while (count < most && !is_given_up_ && (outcome = reader_.Next(&record)) == RingReader::Outcome::kRecord) {
    ++count;
    if (Read(record, &frame)) sink->OnFrame(std::move(frame), path_);
    if (record.has_loans) frame = Frame();
    if (reader_.unreleased() >= capacity_ / kPiecesOfRing) Release();
  }
  Release();
  if (outcome == RingReader::Outcome::kMalformed || is_given_up_) {
    is_given_up_ = true;
    sink->OnDropped(Counter::kRejectedMalformed);
  }
  return count;
}

void Inlet::OnBell() {
  if (is_peer_gone_) return;
  std::vector<Announcement> announced;
  const Doorbell::State state = doorbell_->Look(&announced);
  borrower_.Hear(announced);
  if (state != Doorbell::State::kPeerGone) return;
  // What it wrote before it went is there, and nothing more is waited for.
  is_peer_gone_ = true;
  reader_.FixEnd();
}

}  // namespace ps
