#include "transport/shm/borrowing.h"

#include <algorithm>
#include <atomic>

namespace ps {
namespace {

constexpr int kMostLooks = 64;  // at a peer that rings without end

}  // namespace

// What gives a piece back.
struct Borrower::View {
  std::shared_ptr<Segment> segment;
  std::shared_ptr<Doorbell> doorbell;
  std::shared_ptr<Arena> arena;
  std::atomic<uint32_t>* word;
  uint32_t turn;

  void operator()(char*) const {
    uint32_t taken = LoanWord(turn, LoanState::kTaken);
    word->compare_exchange_strong(taken, LoanWord(turn, LoanState::kGivenBack));
  }
};

void Borrower::Hear(const std::vector<Announcement>& announced) {
  for (const Announcement& announcement : announced) {
    arenas_.erase(announcement.arena);
    if (announcement.bytes == 0 || arenas_.size() >= kMostArenas) continue;
    std::shared_ptr<Arena> arena = Arena::Open(announcement.memfd, announcement.arena, announcement.bytes);
    if (arena != nullptr) arenas_[announcement.arena] = std::move(arena);
  }
}

// A writer announces an arena before it lends of it: what it has said is there by now.
std::shared_ptr<Arena> Borrower::Find(uint64_t arena) {
  auto found = arenas_.find(arena);
  for (int i = 0; i < kMostLooks && found == arenas_.end(); ++i) {
    std::vector<Announcement> announced;
    // Its end is seen again by who waits for it.
    if (doorbell_->Look(&announced) != Doorbell::State::kRung) break;
    Hear(announced);
    found = arenas_.find(arena);
  }
  return found == arenas_.end() ? nullptr : found->second;
}

bool Borrower::MakeView(const Loan& loan, SArray<char>* view) {
  RingControl* const control = segment_->memory().control;
  std::atomic<uint32_t>& word = control->loans[loan.slot];
  uint32_t pending = LoanWord(loan.turn, LoanState::kPending);
  if (!word.compare_exchange_strong(pending, LoanWord(loan.turn, LoanState::kTaken))) return false;
  const View taken{segment_, doorbell_, Find(loan.arena), &word, loan.turn};
  const Arena* const arena = taken.arena.get();
  if (arena == nullptr || loan.offset > arena->bytes() || loan.bytes > arena->bytes() - loan.offset) {
    taken(nullptr);
    control->refuses_loans.store(1);
    return false;
  }
  view->reset(arena->base() + loan.offset, loan.bytes, taken);
  return true;
}

Borrower::Outcome Borrower::Read(const SArray<char>& payload, Frame* frame) {
  Loans loans;  // a copy: the writer may change the record
  if (payload.size() < loans.bytes.size()) return Outcome::kMalformed;
  std::copy_n(payload.data(), loans.bytes.size(), loans.bytes.begin());
  size_t at = loans.bytes.size();
  const LoanTable table = LoansOf(loans.bytes);
  Outcome outcome = Outcome::kRead;
  for (int i = 0; i < kNumBlocks; ++i) {
    const Loan& loan = table[i];
    if (loan.arena != 0) {
      if (loan.slot >= RingControl::kLoans) return Outcome::kMalformed;
      // The others are given back with the frame.
      if (!MakeView(loan, &frame->parts[i])) outcome = Outcome::kWithdrawn;
      frame->lent = static_cast<uint8_t>(frame->lent | 1u << i);
    } else {
      if (loan.bytes > payload.size() - at) return Outcome::kMalformed;
      frame->parts[i] = payload.segment(at, at + loan.bytes);
      at += loan.bytes;
    }
  }
  return at == payload.size() ? outcome : Outcome::kMalformed;
}

}  // namespace ps
