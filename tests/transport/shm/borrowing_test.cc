#include "transport/shm/borrowing.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>

#include "tests/transport/shm/handed_over.h"

namespace ps {
namespace {

constexpr size_t kArena = 1 << 16;

// A writer that says what it likes.
class BorrowingTest : public testing::Test {
 protected:
  BorrowingTest() : arena_(Arena::Create(7, kArena)) {
    for (size_t i = 0; i < kArena; ++i) arena_->base()[i] = static_cast<char>(i / 256);
    borrower_ = std::make_unique<Borrower>(ring_.guest->segment,
                                           std::make_shared<Doorbell>(std::move(ring_.guest->doorbell)));
  }
  bool Announce(uint64_t id = 7, uint64_t bytes = kArena) {
    return ring_.outlet->doorbell.Announce({id, bytes, Descriptor(dup(arena_->memfd().fd()))});
  }
  std::atomic<uint32_t>& Word(uint32_t slot) { return ring_.outlet->segment->memory().control->loans[slot]; }
  // A record with this loan, and `inlined` bytes that are not lent.
  Borrower::Outcome Read(const Loan& loan, size_t inlined = 0, size_t claimed = 0) {
    if (loan.slot < RingControl::kLoans) Word(loan.slot).store(LoanWord(loan.turn, LoanState::kPending));
    LoanTable table;
    table[0].bytes = claimed;
    table[1] = loan;
    SArray<char> payload(sizeof(table) + inlined, 'i');
    std::memcpy(payload.data(), table.data(), sizeof(table));
    frame_ = Frame();
    return borrower_->Read(payload, &frame_);
  }

  HandedOver ring_;
  std::shared_ptr<Arena> arena_;
  std::unique_ptr<Borrower> borrower_;
  Frame frame_;
};

TEST_F(BorrowingTest, WhatIsLentAndWhatIsNot) {
  ASSERT_TRUE(Announce());
  ASSERT_EQ(Read({1000, 7, 512, 3, 9}, 5, 5), Borrower::Outcome::kRead);
  EXPECT_EQ(frame_.parts[0].size(), 5u);
  EXPECT_EQ(frame_.parts[1].size(), 1000u);
  EXPECT_EQ(frame_.parts[1][0], 2);
  EXPECT_EQ(frame_.lent, 2);
  EXPECT_EQ(Word(3).load(), LoanWord(9, LoanState::kTaken));
  frame_ = Frame();
  EXPECT_EQ(Word(3).load(), LoanWord(9, LoanState::kGivenBack));
}

TEST_F(BorrowingTest, WhatWasTakenBackIsLeftOut) {
  ASSERT_TRUE(Announce());
  Word(3).store(LoanWord(9, LoanState::kFree));
  Loan loan{1000, 7, 512, 3, 9};
  ASSERT_EQ(Read(loan), Borrower::Outcome::kRead);
  // The next turn of the same word is another loan.
  Word(3).store(LoanWord(10, LoanState::kPending));
  LoanTable table;
  table[1] = loan;
  SArray<char> payload(sizeof(table));
  std::memcpy(payload.data(), table.data(), sizeof(table));
  EXPECT_EQ(borrower_->Read(payload, &frame_), Borrower::Outcome::kWithdrawn);
  EXPECT_EQ(Word(3).load(), LoanWord(10, LoanState::kPending));
}

TEST_F(BorrowingTest, NothingBeyondTheArenaIsTouched) {
  ASSERT_TRUE(Announce());
  EXPECT_EQ(Read({1, 7, kArena - 1, 3, 9}), Borrower::Outcome::kRead);
  for (const Loan& loan :
       {Loan{1, 7, kArena, 3, 9}, Loan{2, 7, kArena - 1, 3, 9}, Loan{kArena + 1, 7, 0, 3, 9},
        Loan{8, 7, ~uint64_t{0} - 3, 3, 9}, Loan{~uint64_t{0}, 7, 8, 3, 9}}) {
    EXPECT_EQ(Read(loan), Borrower::Outcome::kWithdrawn);
  }
}

TEST_F(BorrowingTest, WhatIsNotAnnouncedOrIsNoArenaIsLeftOut) {
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}), Borrower::Outcome::kWithdrawn);
  ASSERT_TRUE(Announce(7, kArena / 2));
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}), Borrower::Outcome::kWithdrawn) << "of another size";
  ASSERT_TRUE(Announce());
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}), Borrower::Outcome::kRead);
  ASSERT_TRUE(ring_.outlet->doorbell.Announce({7, 0, Descriptor()}));
  EXPECT_EQ(Read({1000, 8, 0, 3, 9}), Borrower::Outcome::kWithdrawn) << "which hears what was said meanwhile";
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}), Borrower::Outcome::kWithdrawn) << "gone";
}

TEST_F(BorrowingTest, RecordsThatDoNotHoldTogetherAreMalformed) {
  ASSERT_TRUE(Announce());
  EXPECT_EQ(Read({1000, 7, 0, RingControl::kLoans, 9}), Borrower::Outcome::kMalformed);
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}, 5, 6), Borrower::Outcome::kMalformed);
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}, 5, ~size_t{0}), Borrower::Outcome::kMalformed);
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}, 6, 5), Borrower::Outcome::kMalformed) << "bytes of nothing";
  EXPECT_EQ(borrower_->Read(SArray<char>(100, '\1'), &frame_), Borrower::Outcome::kMalformed);
}

TEST_F(BorrowingTest, WhatIsSaidInPiecesOrAmongBellsIsHeard) {
  Announcement whole{7, kArena, Descriptor(dup(arena_->memfd().fd()))};
  ring_.outlet->doorbell.Ring();
  ASSERT_TRUE(ring_.outlet->doorbell.Announce(whole));
  ring_.outlet->doorbell.Ring();
  EXPECT_EQ(Read({1000, 7, 0, 3, 9}), Borrower::Outcome::kRead);
}

TEST_F(BorrowingTest, ThousandsOfArenasAreNotMapped) {
  for (uint64_t id = 1; id <= Borrower::kMostArenas + 10; ++id) {
    ASSERT_TRUE(Announce(id));
    (void)Read({1000, id, 0, 3, 9});
  }
  EXPECT_EQ(Read({1000, Borrower::kMostArenas, 0, 3, 9}), Borrower::Outcome::kRead);
  EXPECT_EQ(Read({1000, Borrower::kMostArenas + 5, 0, 3, 9}), Borrower::Outcome::kWithdrawn);
}

}  // namespace
}  // namespace ps
