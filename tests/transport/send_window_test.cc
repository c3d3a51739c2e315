#include "transport/send_window.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace ps {
namespace {

class SendWindowTest : public testing::Test {
 protected:
  SendWindowTest() {
    hook_->Set([this] { ++calls_; });
  }

  int calls_ = 0;
  std::shared_ptr<ReleaseHook> hook_ = std::make_shared<ReleaseHook>();
  std::shared_ptr<SendWindow> window_ = std::make_shared<SendWindow>(SendWindow::Limits{4, 1000}, hook_);
};

TEST_F(SendWindowTest, RefusesBeyondTheNumberOfFrames) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(window_->TryTake(1));
  EXPECT_FALSE(window_->TryTake(0));
  EXPECT_EQ(window_->frames(), 4u);
}

TEST_F(SendWindowTest, RefusesBeyondTheBytesButOneLargeFrameGoesAlone) {
  EXPECT_TRUE(window_->TryTake(5000));
  EXPECT_FALSE(window_->TryTake(1));
  window_->Release(5000);
  EXPECT_TRUE(window_->TryTake(600));
  EXPECT_FALSE(window_->TryTake(401));
  EXPECT_FALSE(window_->TryTake(~uint64_t{0}));
  EXPECT_TRUE(window_->TryTake(400));
}

TEST_F(SendWindowTest, CallsOnceWhenHalfIsFreeAgain) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(window_->TryTake(1));
  EXPECT_FALSE(window_->TryTake(1));
  EXPECT_FALSE(window_->TryTake(1));
  window_->Release(1);
  EXPECT_EQ(calls_, 0);
  window_->Release(1);
  EXPECT_EQ(calls_, 1);
  window_->Release(1);
  window_->Release(1);
  EXPECT_EQ(calls_, 1);
}

TEST_F(SendWindowTest, DoesNotCallWhoWasNotRefused) {
  EXPECT_TRUE(window_->TryTake(900));
  window_->Release(900);
  EXPECT_EQ(calls_, 0);
}

TEST_F(SendWindowTest, DoesNotCallWhoHasSucceededSince) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(window_->TryTake(1));
  EXPECT_FALSE(window_->TryTake(1));
  window_->Release(1);
  EXPECT_TRUE(window_->TryTake(1));
  for (int i = 0; i < 4; ++i) window_->Release(1);
  EXPECT_EQ(calls_, 0);
}

TEST_F(SendWindowTest, ClaimsGiveBackOnceAndMove) {
  ASSERT_TRUE(window_->TryTake(10));
  ASSERT_TRUE(window_->TryTake(20));
  SendClaim first(window_, 10);
  {
    SendClaim moved = std::move(first);
    EXPECT_EQ(window_->frames(), 2u);
  }
  EXPECT_EQ(window_->frames(), 1u);
  SendClaim second(window_, 20);
  second = SendClaim();
  EXPECT_EQ(window_->frames(), 0u);
  first.Release();
  EXPECT_EQ(window_->frames(), 0u);
}

TEST_F(SendWindowTest, OfAClosedLinkTheLastReleaseIsTold) {
  ASSERT_TRUE(window_->TryTake(10));
  ASSERT_TRUE(window_->TryTake(10));
  window_->Release(10);
  EXPECT_EQ(calls_, 0);
  window_->CallWhenEmpty();
  EXPECT_EQ(calls_, 0);
  window_->Release(10);
  EXPECT_EQ(calls_, 1);
}

TEST_F(SendWindowTest, ClaimsOutliveWhoeverMadeThem) {
  ASSERT_TRUE(window_->TryTake(10));
  auto claim = std::make_unique<SendClaim>(window_, 10);
  const std::weak_ptr<SendWindow> weak = window_;
  window_.reset();
  EXPECT_FALSE(weak.expired());
  claim.reset();
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace ps
