#include "transport/shm/inlets.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/support/watchdog.h"
#include "tests/transport/shm/handed_over.h"

namespace ps {
namespace {

class InletsTest : public testing::Test {
 protected:
  // A peer whose ring has the tag.
  std::unique_ptr<Outlet> Add(uint64_t tag, bool is_reply = false) {
    HandedOver ring(is_reply);
    EXPECT_TRUE(inlets_.Add(tag, std::move(*ring.guest)).ok());
    return std::move(ring.outlet);
  }
  static void Write(Outlet* peer, uint64_t number) {
    ASSERT_EQ(peer->writer.TryWrite(NumberedFrame(number)), RingWriter::Outcome::kWritten);
  }
  std::vector<uint64_t> Numbers() const {
    std::vector<uint64_t> numbers;
    for (const ReceivedFrame& frame : sink_.frames) numbers.push_back(frame.number());
    return numbers;
  }
  std::vector<uint64_t> ReadyTags() {
    PollSet::Ready ready;
    poll_set_->Wait(0, &ready);
    return ready.tags;
  }

  Watchdog watchdog_;
  std::shared_ptr<PollSet> poll_set_ = PollSet::Make().value();
  Inlets inlets_{poll_set_};
  CollectingSink sink_;
};

TEST_F(InletsTest, EveryPeerHasItsTurn) {
  const auto first = Add(10), second = Add(11);
  for (uint64_t i = 0; i < 4; ++i) {
    Write(first.get(), 100 + i);
    Write(second.get(), 200 + i);
  }
  EXPECT_TRUE(inlets_.HasMore());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(inlets_.Drain(&sink_, 2), 2);
  EXPECT_EQ(inlets_.Drain(&sink_, 2), 0);
  EXPECT_EQ(Numbers(), (std::vector<uint64_t>{100, 101, 200, 201, 102, 103, 202, 203}));
}

TEST_F(InletsTest, PeersThatAreGoneAreToldBehindTheirFramesAndForgotten) {
  auto going = Add(10);
  const auto staying = Add(11);
  Write(going.get(), 1);
  const ReturnPath path = inlets_.Find(10)->path();
  going = nullptr;
  EXPECT_EQ(ReadyTags(), std::vector<uint64_t>{10});
  inlets_.Find(10)->OnBell();
  EXPECT_EQ(inlets_.Drain(&sink_, 32), 1);
  EXPECT_EQ(sink_.closed, std::vector<ReturnPath>{path});
  EXPECT_EQ(inlets_.Find(10), nullptr);
  EXPECT_NE(inlets_.Find(11), nullptr);
  EXPECT_TRUE(ReadyTags().empty());
}

TEST_F(InletsTest, EndOfAnAnswersRingIsNotTold) {
  auto answers = Add(10, true);
  answers = nullptr;
  inlets_.Find(10)->OnBell();
  EXPECT_EQ(inlets_.Drain(&sink_, 32), 0);
  EXPECT_TRUE(sink_.closed.empty());
  EXPECT_TRUE(inlets_.empty());
}

TEST_F(InletsTest, NobodySleepsWhenSomethingHasCome) {
  const auto first = Add(10), second = Add(11);
  EXPECT_TRUE(inlets_.BeginSleep(Sleeper::kInPoll));
  Write(second.get(), 1);
  EXPECT_EQ(second->writer.Wake(), Sleeper::kInPoll);
  inlets_.EndSleep();
  EXPECT_FALSE(inlets_.BeginSleep(Sleeper::kInPoll));
  inlets_.EndSleep();
  EXPECT_EQ(second->writer.Wake(), Sleeper::kNobody);
  EXPECT_EQ(first->writer.Wake(), Sleeper::kNobody);
}

}  // namespace
}  // namespace ps
