#include "transport/shm/lending.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ps/alloc.h"
#include "tests/support/watchdog.h"
#include "tests/transport/shm/handed_over.h"
#include "transport/shm/inlet.h"

namespace ps {
namespace {

constexpr size_t kLarge = 100000;  // more than the ring has

int NumArenasMapped() {
  std::ifstream maps("/proc/self/maps");
  int number = 0;
  for (std::string line; std::getline(maps, line);) number += line.find("caravan-arena") != std::string::npos;
  return number;
}

class LendingTest : public testing::Test {
 protected:
  LendingTest() {
    HandedOver ring;
    segment_ = ring.outlet->segment;
    inlet_ = std::make_unique<Inlet>(9, std::move(*ring.guest));
    end_ = std::make_unique<ShmLinkEnd>(5, std::move(ring.outlet), nullptr, poll_set_);
    EXPECT_TRUE(end_->Watch().ok());
    sink_.on_view = [this](const Frame& frame) {
      views_.push_back(frame);
      for (int i = 0; i < kNumBlocks; ++i) {
        if ((frame.lent >> i & 1) == 0) views_.back().parts[i].clear();
      }
    };
  }
  static SArray<char> Shared(size_t bytes = kLarge, char fill = 's') {
    SArray<char> array = Alloc(bytes);
    std::fill(array.begin(), array.end(), fill);
    return array;
  }
  SendResult Send(const SArray<char>& large) {
    Frame frame = NumberedFrame(1, SArray<char>());
    frame.parts = {Pattern(10), large, SArray<char>(), SArray<char>()};
    return end_->TrySend(frame);
  }
  int Drain() { return inlet_->Drain(&sink_, 1000); }

  Watchdog watchdog_;
  std::shared_ptr<PollSet> poll_set_ = PollSet::Make().value();
  std::shared_ptr<Segment> segment_;
  std::unique_ptr<Inlet> inlet_;
  std::unique_ptr<ShmLinkEnd> end_;
  CollectingSink sink_;
  std::vector<Frame> views_;  // what was lent of the frames that came
};

TEST_F(LendingTest, WhatLiesInAnArenaIsSeenThereAndKeptUntilTheReaderLetsGo) {
  SArray<char> memory = Shared();
  ASSERT_EQ(Send(memory), SendResult::kSent);
  EXPECT_EQ(end_->unreleased(), 1u);
  ASSERT_EQ(Drain(), 1);
  EXPECT_TRUE(sink_.frames[0].payload == Text(Pattern(10)) + std::string(kLarge, 's'));
  ASSERT_EQ(views_[0].lent, 2);
  memory[77] = 'w';
  EXPECT_EQ(views_[0].parts[1][77], 'w') << "the very memory";
  EXPECT_NE(views_[0].parts[1].data(), memory.data()) << "mapped to be read";
  char* const place = memory.data();
  memory.clear();
  EXPECT_NE(Shared().data(), place) << "the reader has it yet";
  EXPECT_EQ(end_->unreleased(), 1u);
  views_.clear();
  EXPECT_EQ(end_->unreleased(), 0u);
  EXPECT_EQ(Shared().data(), place);
}

TEST_F(LendingTest, SmallOnesAndOrdinaryMemoryAreCopied) {
  ASSERT_EQ(Send(Shared(Lender::kSmallestBytes - 1)), SendResult::kSent);
  ASSERT_EQ(Send(SArray<char>(30000, 'o')), SendResult::kSent);
  EXPECT_EQ(end_->unreleased(), 0u);
  ASSERT_EQ(Drain(), 2);
  EXPECT_EQ(views_[0].lent | views_[1].lent, 0);
  EXPECT_EQ(sink_.frames[1].payload.size(), 30010u);
}

TEST_F(LendingTest, TheEndOfAnArrayIsLentLikeItsBeginning) {
  const SArray<char> memory = Shared();
  ASSERT_EQ(Send(memory.segment(0, kLarge - 10)), SendResult::kSent);
  ASSERT_EQ(Send(memory.segment(kLarge - 10, kLarge)), SendResult::kSent);
  ASSERT_EQ(Drain(), 2);
  EXPECT_EQ(views_[1].parts[1].data(), views_[0].parts[1].end());
}

TEST_F(LendingTest, AFrameThatFoundNoRoomIsLentLater) {
  while (end_->TrySend(NumberedFrame(1, Pattern(10))) == SendResult::kSent) {
  }
  const SArray<char> memory = Shared();
  EXPECT_EQ(Send(memory), SendResult::kFull);
  EXPECT_EQ(end_->unreleased(), 0u);
  Drain();
  views_.clear();
  EXPECT_EQ(Send(memory), SendResult::kSent);
  EXPECT_EQ(Drain(), 1);
  ASSERT_EQ(views_.size(), 1u);
  EXPECT_EQ(views_[0].parts[1].size(), kLarge);
}

TEST_F(LendingTest, MoreThanThereAreWordsForIsCopied) {
  const SArray<char> memory = Shared(Lender::kSmallestBytes);
  int num_lent = 0;
  for (uint32_t i = 0; i < RingControl::kLoans + 2; ++i) {
    ASSERT_EQ(Send(memory), SendResult::kSent) << i;
    ASSERT_EQ(Drain(), 1);
    num_lent += views_.back().lent != 0;
  }
  EXPECT_EQ(num_lent, static_cast<int>(RingControl::kLoans));
  views_.clear();
  EXPECT_EQ(end_->unreleased(), 0u);
}

TEST_F(LendingTest, ClosingTakesBackWhatTheReaderHasNotSeen) {
  SArray<char> memory = Shared();
  ASSERT_EQ(Send(memory), SendResult::kSent);
  ASSERT_EQ(end_->TrySend(NumberedFrame(2, Pattern(20))), SendResult::kSent);
  end_->Close();
  EXPECT_EQ(end_->unreleased(), 0u);
  inlet_->OnBell();
  Drain();
  ASSERT_EQ(sink_.frames.size(), 1u) << "the frame is left out, and those behind it are read";
  EXPECT_EQ(sink_.frames[0].payload, Text(Pattern(20)));
  EXPECT_TRUE(sink_.dropped.empty());
}

TEST_F(LendingTest, WhatTheReaderHasIsNotWaitedForAfterTheEndButNotUsedAgain) {
  SArray<char> memory = Shared();
  char* const place = memory.data();
  ASSERT_EQ(Send(memory), SendResult::kSent);
  memory.clear();
  ASSERT_EQ(Drain(), 1);
  end_->Close();
  EXPECT_EQ(end_->unreleased(), 0u);
  inlet_->OnBell();
  EXPECT_TRUE(inlet_->is_done());
  inlet_ = nullptr;
  EXPECT_NE(Shared().data(), place) << "a view outlives the inlet";
}

TEST_F(LendingTest, AReaderThatIsGoneHasNothingAnyMore) {
  ASSERT_EQ(Send(Shared()), SendResult::kSent);
  ASSERT_EQ(Drain(), 1);
  shutdown(inlet_->fd(), SHUT_RDWR);  // as the system does when it was killed
  end_->Close();
  EXPECT_EQ(end_->unreleased(), 0u);
}

TEST_F(LendingTest, MemoryThatIsReadIsNotUsedAgainAlthoughTheLinkIsGone) {
  SArray<char> memory = Shared();
  char* const place = memory.data();
  const std::weak_ptr<char> kept = memory.ptr();
  ASSERT_EQ(Send(memory), SendResult::kSent);
  ASSERT_EQ(Drain(), 1);
  memory.clear();
  end_ = nullptr;
  const SArray<char> other = Shared(kLarge, 'x');
  EXPECT_NE(other.data(), place);
  EXPECT_EQ(views_[0].parts[1][5], 's');
  SweepClosedRings();
  EXPECT_FALSE(kept.expired());
  views_.clear();
  SweepClosedRings();
  EXPECT_TRUE(kept.expired()) << "the reader has given it back";
}

TEST_F(LendingTest, WordsThatTheReaderSpoilsCostOnlyTheReader) {
  const SArray<char> memory = Shared();
  for (auto& word : segment_->memory().control->loans) word.store(0xffffffff);
  ASSERT_EQ(Send(memory), SendResult::kSent);
  segment_->memory().control->loans[0].store(0x12345678);
  EXPECT_EQ(end_->unreleased(), 1u);
  Drain();
  EXPECT_TRUE(sink_.frames.empty());
  shutdown(inlet_->fd(), SHUT_RDWR);
  end_->Close();
  EXPECT_EQ(end_->unreleased(), 0u);
}

TEST_F(LendingTest, WhatTheReaderCanNotSeeIsGivenBackAndAfterwardsCopied) {
  const SArray<char> memory = Shared(20000);
  ASSERT_EQ(Send(memory), SendResult::kSent);
  // The announcement is lost, as when the reader has no descriptor left.
  std::array<char, 64> announcement;
  ASSERT_GT(recv(inlet_->fd(), announcement.data(), announcement.size(), MSG_DONTWAIT), 0);
  Drain();
  EXPECT_TRUE(sink_.frames.empty());
  EXPECT_EQ(end_->unreleased(), 0u) << "not kept for ever";
  ASSERT_EQ(Send(memory), SendResult::kSent);
  ASSERT_EQ(Drain(), 1);
  ASSERT_EQ(views_.size(), 1u);
  EXPECT_EQ(views_[0].lent, 0);
}

TEST_F(LendingTest, NoMoreArenasAreLentThanTheReaderMaps) {
  std::vector<SArray<char>> arenas;
  for (size_t i = 0; i < Lender::kMostArenas + 3; ++i) {
    arenas.push_back(Alloc(ArenaHeap::kUsualBytes + 1));  // each in one of its own; nothing touches them
    ASSERT_EQ(Send(arenas.back().segment(0, 20000)), SendResult::kSent) << i;
    ASSERT_EQ(Drain(), 1) << i;
    EXPECT_EQ(views_.back().lent != 0, i < Lender::kMostArenas) << i;
    views_.clear();
    sink_.frames.clear();
  }
}

TEST_F(LendingTest, ArenasThatAreGoneAreNotKeptMapped) {
  const SArray<char> usual = Shared();
  const int mapped = NumArenasMapped();
  SArray<char> large = Shared(ArenaHeap::kUsualBytes + 1);
  ASSERT_EQ(Send(large), SendResult::kSent);
  ASSERT_EQ(Drain(), 1);
  EXPECT_EQ(NumArenasMapped(), mapped + 2);
  views_.clear();
  sink_.frames.clear();
  EXPECT_EQ(end_->unreleased(), 0u);
  large.clear();
  EXPECT_EQ(end_->TrySend(NumberedFrame(2, Pattern(20))), SendResult::kSent);
  inlet_->OnBell();
  EXPECT_EQ(NumArenasMapped(), mapped);
}

TEST_F(LendingTest, ThatAnArenaIsGoneIsToldLaterWhenTheSocketIsFull) {
  const SArray<char> usual = Shared();
  const int mapped = NumArenasMapped();
  SArray<char> large = Shared(ArenaHeap::kUsualBytes + 1);
  ASSERT_EQ(Send(large), SendResult::kSent);
  ASSERT_EQ(Drain(), 1);
  views_.clear();
  EXPECT_EQ(end_->unreleased(), 0u);
  for (int i = 0; i < 2000; ++i) {
    inlet_->BeginSleep(Sleeper::kInPoll);
    ASSERT_EQ(end_->TrySend(NumberedFrame(2, Pattern(20))), SendResult::kSent);
    Drain();
  }
  large.clear();
  ASSERT_EQ(end_->TrySend(NumberedFrame(2, Pattern(20))), SendResult::kSent);
  for (int i = 0; i < 100; ++i) inlet_->OnBell();
  EXPECT_EQ(NumArenasMapped(), mapped + 1);
  ASSERT_EQ(end_->TrySend(NumberedFrame(2, Pattern(20))), SendResult::kSent);
  inlet_->OnBell();
  EXPECT_EQ(NumArenasMapped(), mapped);
}

}  // namespace
}  // namespace ps
