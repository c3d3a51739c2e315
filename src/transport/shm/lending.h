#ifndef PS_TRANSPORT_SHM_LENDING_H_
#define PS_TRANSPORT_SHM_LENDING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "ps/sarray.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/ring.h"

namespace ps {

// A piece of an arena instead of its bytes, as it stands in a record.
struct Loan {
  uint64_t bytes = 0;
  uint64_t arena = 0;  // 0: it is not lent, its bytes are behind the loans
  uint64_t offset = 0;
  uint32_t slot = 0;  // the word in RingControl::loans
  uint32_t turn = 0;  // of that word
};
static_assert(sizeof(Loan) == kLoanBytes);

using LoanTable = std::array<Loan, kNumBlocks>;
LoanTable LoansOf(const std::array<char, kNumBlocks * kLoanBytes>& bytes);

// A word of RingControl::loans: whose turn it is, and how far that one has come. The writer makes it pending
// and, once it was given back, takes it for the next one; the reader takes it, then gives it back. Taking and
// taking back meet in one compare-and-swap, so that one of the two sees the other.
enum class LoanState : uint32_t { kFree = 0, kPending = 1, kTaken = 2, kGivenBack = 3 };
constexpr uint32_t LoanWord(uint32_t turn, LoanState state) {
  return turn << 2 | static_cast<uint32_t>(state);
}

// The writer's half: which parts of frames are lent to the reader of a ring, and what of them it still has.
// Keeps them alive until they are given back. One thread at a time.
class Lender {
 public:
  // What is smaller is copied.
  static constexpr size_t kSmallestBytes = 16 << 10;
  // Readers map no more; what lies in others is copied.
  static constexpr size_t kMostArenas = 256;

  explicit Lender(RingControl* control) : control_(control) {}
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

  // Whether Offer has anything to do for a frame of so many bytes; mostly not.
  bool MayOffer(uint64_t payload_bytes) const {
    return payload_bytes >= kSmallestBytes || !announced_.empty();
  }
  // The parts that lie in arenas, ready for the reader, who hears of new arenas by `doorbell`; null when
  // there are none. Followed by Keep when they are written, else by Withdraw. Valid until the next call.
  const Loans* Offer(const Frame& frame, Doorbell* doorbell);
  void Keep(const Frame& frame, const Loans& loans);
  void Withdraw(const Loans& loans);

  // Takes back what the reader has not taken yet: it will never see it.
  void TakeBack();
  // How many the reader has, or may take.
  size_t Outstanding();
  // The reader is gone.
  void ForgetAll() { kept_.clear(); }

 private:
  struct Kept {
    uint32_t slot;
    uint32_t turn;
    SArray<char> part;
  };

  bool MayLend(const SArray<char>& part) const;
  bool Announce(const std::shared_ptr<Arena>& arena, Doorbell* doorbell);
  void TellGone(Doorbell* doorbell);
  // False if all are in use.
  bool TakeSlot(Loan* loan);
  void Collect();
  uint32_t State(uint32_t slot) const { return control_->loans[slot].load(std::memory_order_acquire); }

  RingControl* const control_;
  std::array<uint32_t, RingControl::kLoans> turns_{};  // own copies: the words are the reader's to spoil
  std::array<bool, RingControl::kLoans> in_use_{};
  uint32_t next_slot_ = 0;
  std::vector<Kept> kept_;
  const char* lent_end_ = nullptr;  // of the last part
  Loans offered_;
  std::map<uint64_t, std::weak_ptr<Arena>> announced_;
  uint64_t num_gone_ = 0;  // of the heap, when TellGone looked last
};

}  // namespace ps
#endif  // PS_TRANSPORT_SHM_LENDING_H_
