#include "transport/inproc/pipe.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class PipeTest : public testing::Test {
 protected:
  std::shared_ptr<Pipe> MakePipe() {
    const auto window =
        std::make_shared<SendWindow>(SendWindow::Limits{4, 1 << 20}, std::make_shared<ReleaseHook>());
    return std::make_shared<Pipe>(hub_, peer_, "me", window);
  }

  // Frames in the inbox; all of it is taken.
  size_t Count(Inbox* inbox) {
    std::vector<Parcel> taken;
    inbox->Take(100, &taken);
    size_t frames = 0;
    for (const Parcel& parcel : taken) ++(parcel.last ? closed_ : frames);
    return frames;
  }

  Watchdog watchdog_;
  size_t closed_ = 0;  // words of a closed pipe that Count has seen
  const Address peer_{"peer", 5};
  std::shared_ptr<Hub> hub_ = std::make_shared<Hub>();
};

TEST_F(PipeTest, WaitsForAPeerAndFollowsTheAddress) {
  const auto pipe = MakePipe();
  EXPECT_EQ(pipe->TrySend(NumberedFrame(1)), SendResult::kSent);
  EXPECT_EQ(pipe->TrySend(NumberedFrame(2)), SendResult::kSent);
  const auto first = std::make_shared<Inbox>();
  ASSERT_TRUE(hub_->Bind(peer_, first).ok());
  EXPECT_EQ(Count(first.get()), 2u);
  hub_->Unbind(peer_);
  first->Close();
  EXPECT_EQ(pipe->TrySend(NumberedFrame(3)), SendResult::kSent);
  const auto second = std::make_shared<Inbox>();
  ASSERT_TRUE(hub_->Bind(peer_, second).ok());
  EXPECT_EQ(Count(second.get()), 1u);
}

TEST_F(PipeTest, FramesThatWaitAreBoundedToo) {
  const auto pipe = MakePipe();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(pipe->TrySend(NumberedFrame(i)), SendResult::kSent);
  EXPECT_EQ(pipe->TrySend(NumberedFrame(4)), SendResult::kFull);
  EXPECT_EQ(pipe->unreleased(), 4u);
}

TEST_F(PipeTest, CloseDropsWhatWaitsAndIsNotFlushedLater) {
  const auto pipe = MakePipe();
  EXPECT_EQ(pipe->TrySend(NumberedFrame(1)), SendResult::kSent);
  pipe->Close(false);
  EXPECT_EQ(pipe->unreleased(), 0u);
  EXPECT_EQ(pipe->TrySend(NumberedFrame(2)), SendResult::kClosed);
  const auto inbox = std::make_shared<Inbox>();
  ASSERT_TRUE(hub_->Bind(peer_, inbox).ok());
  EXPECT_EQ(Count(inbox.get()), 0u);
}

TEST_F(PipeTest, CloseTakesBackOrLeavesCopies) {
  const auto inbox = std::make_shared<Inbox>();
  ASSERT_TRUE(hub_->Bind(peer_, inbox).ok());
  for (const bool keep : {false, true}) {
    const auto pipe = MakePipe();
    EXPECT_EQ(pipe->TrySend(NumberedFrame(1, Pattern(9))), SendResult::kSent);
    pipe->Close(keep);
    EXPECT_EQ(pipe->unreleased(), 0u);
    EXPECT_EQ(Count(inbox.get()), keep ? 1u : 0u);
  }
}

TEST_F(PipeTest, CloseIsToldOnceAndOnlyToWhomItHasSpokenTo) {
  const auto inbox = std::make_shared<Inbox>();
  ASSERT_TRUE(hub_->Bind(peer_, inbox).ok());
  MakePipe()->Close(false);
  EXPECT_EQ(Count(inbox.get()) + closed_, 0u);
  const auto pipe = MakePipe();
  EXPECT_EQ(pipe->TrySend(NumberedFrame(1)), SendResult::kSent);
  pipe->Close(false);
  pipe->Close(true);
  EXPECT_EQ(Count(inbox.get()), 0u);
  EXPECT_EQ(closed_, 1u);
}

TEST_F(PipeTest, WaitDeliveredEndsAtItsDeadline) {
  const auto pipe = MakePipe();
  pipe->WaitDelivered(CondVar::kNever);  // nothing waits
  EXPECT_EQ(pipe->TrySend(NumberedFrame(1)), SendResult::kSent);
  pipe->WaitDelivered(Clock::Real().NowMs() + 5);
  EXPECT_EQ(pipe->unreleased(), 1u);
}

TEST_F(PipeTest, WaitDeliveredDoesNotWaitForAPeerThatHasLeft) {
  const auto pipe = MakePipe();
  const auto inbox = std::make_shared<Inbox>();
  ASSERT_TRUE(hub_->Bind(peer_, inbox).ok());
  EXPECT_EQ(pipe->TrySend(NumberedFrame(1)), SendResult::kSent);
  hub_->Unbind(peer_);
  inbox->Close();
  EXPECT_EQ(pipe->TrySend(NumberedFrame(2)), SendResult::kSent);
  pipe->WaitDelivered(CondVar::kNever);
  EXPECT_EQ(pipe->unreleased(), 1u);
}

}  // namespace
}  // namespace ps
