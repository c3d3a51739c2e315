#include "transport/shm/lending.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ps {

LoanTable LoansOf(const std::array<char, kNumBlocks * kLoanBytes>& bytes) {
  LoanTable table;
  std::memcpy(table.data(), bytes.data(), bytes.size());
  return table;
}

// The end of an array whose beginning is lent, too: the reader takes it in one piece or not at all.
bool Lender::MayLend(const SArray<char>& part) const {
  return part.size() >= kSmallestBytes || (!part.empty() && part.data() == lent_end_);
}

const Loans* Lender::Offer(const Frame& frame, Doorbell* doorbell) {
  TellGone(doorbell);
  if (!kept_.empty()) Collect();
  if (control_->refuses_loans.load(std::memory_order_relaxed) != 0) return nullptr;
  const auto may_lend = [this](const SArray<char>& part) { return MayLend(part); };
  if (std::none_of(frame.parts.begin(), frame.parts.end(), may_lend)) return nullptr;
  LoanTable table;
  offered_.lent = 0;
  for (int i = 0; i < kNumBlocks; ++i) {
    const SArray<char>& part = frame.parts[i];
    table[i].bytes = part.size();
    if (!MayLend(part)) continue;
    const std::shared_ptr<Arena> arena = ArenaHeap::Shared().Find(part.data(), part.size());
    if (arena == nullptr || !Announce(arena, doorbell) || !TakeSlot(&table[i])) continue;
    table[i].arena = arena->id();
    table[i].offset = static_cast<uint64_t>(part.data() - arena->base());
    offered_.lent = static_cast<uint8_t>(offered_.lent | 1u << i);
  }
  if (offered_.lent == 0) return nullptr;
  std::memcpy(offered_.bytes.data(), table.data(), offered_.bytes.size());
  return &offered_;
}

bool Lender::Announce(const std::shared_ptr<Arena>& arena, Doorbell* doorbell) {
  if (announced_.count(arena->id()) != 0) return true;
  if (announced_.size() >= kMostArenas) return false;
  const Announcement announcement{arena->id(), arena->bytes(), Descriptor(dup(arena->memfd().fd()))};
  if (!announcement.memfd.is_open() || !doorbell->Announce(announcement)) return false;
  announced_[arena->id()] = arena;
  return true;
}

void Lender::TellGone(Doorbell* doorbell) {
  const uint64_t num_gone = ArenaHeap::Shared().num_gone();
  if (announced_.empty() || num_gone_ == num_gone) return;
  bool all_are_told = true;
  for (auto at = announced_.begin(); at != announced_.end();) {
    const bool is_gone = at->second.expired();
    const bool is_told = is_gone && doorbell->Announce({at->first, 0, Descriptor()});
    all_are_told = all_are_told && is_told == is_gone;
    at = is_told ? announced_.erase(at) : std::next(at);
  }
  if (all_are_told) num_gone_ = num_gone;
}

bool Lender::TakeSlot(Loan* loan) {
  for (uint32_t i = 0; i < RingControl::kLoans; ++i) {
    const uint32_t slot = (next_slot_ + i) % RingControl::kLoans;
    if (in_use_[slot]) continue;
    next_slot_ = slot + 1;
    in_use_[slot] = true;
    loan->slot = slot;
    loan->turn = turns_[slot] = (turns_[slot] + 1) & (LoanWord(~0u, LoanState::kFree) >> 2);
    control_->loans[slot].store(LoanWord(loan->turn, LoanState::kPending));
    return true;
  }
  return false;
}

void Lender::Keep(const Frame& frame, const Loans& loans) {
  const LoanTable table = LoansOf(loans.bytes);
  for (int i = 0; i < kNumBlocks; ++i) {
    if ((loans.lent >> i & 1) == 0) continue;
    kept_.push_back({table[i].slot, table[i].turn, frame.parts[i]});
    lent_end_ = frame.parts[i].end();
  }
}

void Lender::Withdraw(const Loans& loans) {
  const LoanTable table = LoansOf(loans.bytes);
  for (int i = 0; i < kNumBlocks; ++i) {
    if ((loans.lent >> i & 1) == 0) continue;
    control_->loans[table[i].slot].store(LoanWord(table[i].turn, LoanState::kFree));
    in_use_[table[i].slot] = false;
  }
}

// A word that says what can not be counts as taken: only its reader suffers.
void Lender::Collect() {
  const auto is_back = [this](const Kept& kept) {
    const bool back = State(kept.slot) == LoanWord(kept.turn, LoanState::kGivenBack);
    if (back) in_use_[kept.slot] = false;
    return back;
  };
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(), is_back), kept_.end());
}

void Lender::TakeBack() {
  const auto takes_back = [this](const Kept& kept) {
    uint32_t pending = LoanWord(kept.turn, LoanState::kPending);
    const bool back =
        control_->loans[kept.slot].compare_exchange_strong(pending, LoanWord(kept.turn, LoanState::kFree));
    if (back) in_use_[kept.slot] = false;
    return back;
  };
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(), takes_back), kept_.end());
}

size_t Lender::Outstanding() {
  if (!kept_.empty()) Collect();
  return kept_.size();
}

}  // namespace ps
