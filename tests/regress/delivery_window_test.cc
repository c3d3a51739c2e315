// The window of delivery in bytes; the rest of its rules is in delivery_test.cc.
#include <gtest/gtest.h>

#include "van/delivery.h"

namespace ps {
namespace {

Frame FrameOf(size_t bytes) {
  Frame frame;
  frame.parts[0] = SArray<char>(bytes);
  return frame;
}

constexpr size_t kQuarter = kDeliveryWindowBytes / 4;

TEST(DeliveryWindowTest, ASenderStopsAtTheWindowAndGoesOnWhenItIsAcknowledged) {
  DeliverySender sender(1000);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(sender.HasRoom()) << i;
    sender.Keep(FrameOf(kQuarter), 0);
  }
  EXPECT_FALSE(sender.HasRoom());
  EXPECT_TRUE(sender.Acknowledge(1));
  EXPECT_TRUE(sender.HasRoom());
}

TEST(DeliveryWindowTest, OneLargerFrameMayGoAlone) {
  DeliverySender sender(1000);
  ASSERT_TRUE(sender.HasRoom());
  sender.Keep(FrameOf(2 * kDeliveryWindowBytes), 0);
  EXPECT_FALSE(sender.HasRoom());
  EXPECT_TRUE(sender.Acknowledge(1));
  EXPECT_TRUE(sender.HasRoom());
}

TEST(DeliveryWindowTest, AReceiverTellsAtAQuarterOfTheWindow) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  receiver.Accept(1, FrameOf(kQuarter - 1), &ready);
  EXPECT_FALSE(receiver.AckDue());
  receiver.Accept(2, FrameOf(1), &ready);
  EXPECT_TRUE(receiver.AckDue());
  receiver.Told();
  EXPECT_FALSE(receiver.AckDue());
}

TEST(DeliveryWindowTest, WhatCameEarlyCountsWhenItIsInSequence) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  receiver.Accept(2, FrameOf(kQuarter), &ready);
  EXPECT_FALSE(receiver.AckDue());
  receiver.Accept(1, FrameOf(0), &ready);
  EXPECT_EQ(ready.size(), 2u);
  EXPECT_TRUE(receiver.AckDue());
}

TEST(DeliveryWindowTest, WhatCameEarlyIsBoundedInBytesAndWhatIsNextIsTaken) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  for (uint64_t sequence = 2; sequence < 6; ++sequence) {
    EXPECT_EQ(receiver.Accept(sequence, FrameOf(kQuarter), &ready), DeliveryReceiver::Verdict::kEarly);
  }
  EXPECT_EQ(receiver.Accept(6, FrameOf(1), &ready), DeliveryReceiver::Verdict::kBeyondWindow);
  EXPECT_EQ(receiver.Accept(5, FrameOf(kQuarter), &ready), DeliveryReceiver::Verdict::kDuplicate);
  EXPECT_EQ(receiver.Accept(1, FrameOf(kQuarter), &ready), DeliveryReceiver::Verdict::kReady);
  EXPECT_EQ(ready.size(), 5u);
  EXPECT_EQ(receiver.Accept(7, FrameOf(1), &ready), DeliveryReceiver::Verdict::kEarly);
  EXPECT_EQ(receiver.Accept(6, FrameOf(1), &ready), DeliveryReceiver::Verdict::kReady);
}

TEST(DeliveryWindowTest, TheShortWayIsForTheNextOneWhileNoneCameEarly) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  EXPECT_TRUE(receiver.AcceptNext(1, 10));
  EXPECT_FALSE(receiver.AcceptNext(1, 10));
  EXPECT_FALSE(receiver.AcceptNext(3, 10));
  EXPECT_EQ(receiver.acknowledged(), 1u);
  EXPECT_EQ(receiver.Accept(3, Frame(), &ready), DeliveryReceiver::Verdict::kEarly);
  EXPECT_FALSE(receiver.AcceptNext(2, 10)) << "the early one has to follow it";
  EXPECT_EQ(receiver.Accept(2, Frame(), &ready), DeliveryReceiver::Verdict::kReady);
  EXPECT_TRUE(receiver.AcceptNext(4, kDeliveryWindowBytes));
  EXPECT_TRUE(receiver.AckDue());
}

}  // namespace
}  // namespace ps
