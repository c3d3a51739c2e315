#include "van/outbox.h"

#include <gtest/gtest.h>

#include "tests/support/route_pair.h"

namespace ps {
namespace {

constexpr int kSelf = 9;
constexpr int kPeer = 8;

class OutboxTest : public testing::Test {
 protected:
  void Push(Outgoing message, int64_t now_ms) {
    message.queued_ms = now_ms;
    outbox_.queue().Push(std::move(message));
  }
  void SendChunk(int64_t now_ms) {
    SendQueue::Chunk chunk = outbox_.queue().Next();
    chunk.header.sequence = outbox_.sent().next_sequence();
    Frame frame;
    frame.head = EncodeHeader(chunk.header);
    frame.parts = std::move(chunk.parts);
    outbox_.sent().Keep(std::move(frame), now_ms);
    outbox_.queue().Advance();
  }
  Outbox::GivenUp ExpireAt(int64_t now_ms) {
    return outbox_.Expire(now_ms, 100, Status::DeadlineExceeded("late"), kSelf);
  }

  Outbox outbox_{100, 10, kPeer};
};

TEST_F(OutboxTest, IsDrainedOnlyWhenNothingWaitsAndAllIsAcknowledged) {
  EXPECT_TRUE(outbox_.drained());
  Push(RequestOf(1), 0);
  EXPECT_FALSE(outbox_.drained());
  SendChunk(0);
  EXPECT_FALSE(outbox_.drained());
  outbox_.sent().Acknowledge(1);
  EXPECT_TRUE(outbox_.drained());
}

TEST_F(OutboxTest, ExpiresWhatWaitedTooLongAndSaysHowMuchRoomThatFrees) {
  Push(RequestOf(1, "four"), 0);
  Push(RequestOf(2), 50);
  Push(ResponseOf(3), 0);
  const Outbox::GivenUp given_up = ExpireAt(100);
  ASSERT_EQ(given_up.reported.size(), 1u) << "an answer waits as long as the peer is there";
  EXPECT_EQ(given_up.reported[0].meta.timestamp, 1);
  EXPECT_EQ(given_up.reported[0].meta.sender, kSelf);
  EXPECT_EQ(given_up.reported[0].meta.recver, kPeer);
  EXPECT_EQ(given_up.withdrawn, (std::vector<uint64_t>{4})) << "a response takes no room";
  EXPECT_FALSE(given_up.copied);
  EXPECT_EQ(outbox_.queue().size(), 2u);
}

TEST_F(OutboxTest, SaysWhenTheNextOfWhatIsThereIsDue) {
  EXPECT_EQ(ExpireAt(10).next_ms, 110) << "what comes now";
  Push(RequestOf(1), 20);
  Push(RequestOf(2), 30);
  Push(ResponseOf(3), 5);
  EXPECT_EQ(ExpireAt(50).next_ms, 120);
  EXPECT_EQ(ExpireAt(120).next_ms, 130);
  SendChunk(125);
  EXPECT_EQ(ExpireAt(126).next_ms, 225) << "from when it was sent";
}

TEST_F(OutboxTest, AMessageOfManyChunksExpiresOnceAsAWhole) {
  Push(RequestOf(1, std::string(350, 'x')), 0);
  SendChunk(0);
  SendChunk(90);
  EXPECT_EQ(ExpireAt(99).reported.size(), 0u);
  const Outbox::GivenUp given_up = ExpireAt(100);
  EXPECT_EQ(given_up.reported.size(), 1u);
  EXPECT_TRUE(given_up.withdrawn.empty()) << "the peer will take it";
  EXPECT_TRUE(given_up.copied);
  SendChunk(150);
  EXPECT_EQ(ExpireAt(1000).reported.size(), 0u);
}

TEST_F(OutboxTest, ANameIsFreeAgainWhenEverythingIsThrough) {
  Push(RequestOf(1), 0);
  SendChunk(0);
  EXPECT_EQ(ExpireAt(200).reported.size(), 1u);
  outbox_.sent().Acknowledge(1);
  EXPECT_EQ(ExpireAt(300).reported.size(), 0u);
  Push(RequestOf(1), 300);
  SendChunk(300);
  EXPECT_EQ(ExpireAt(400).reported.size(), 1u);
}

TEST_F(OutboxTest, ControlIsNeverGivenUp) {
  Outgoing control = RequestOf(1);
  control.header.kind = FrameKind::kControl;
  Push(control, 0);
  Push(control, 0);
  SendChunk(0);
  EXPECT_TRUE(ExpireAt(1000).reported.empty());
  EXPECT_EQ(outbox_.queue().size(), 1u);
  EXPECT_TRUE(outbox_.Clear(Status::Unavailable("gone"), kSelf).empty());
  EXPECT_TRUE(outbox_.drained());
}

TEST_F(OutboxTest, ReleaseDropsTheUnsentAndCopiesTheSent) {
  LentMemory sent(250);
  LentMemory unsent(10);
  Push(DataOf(true, 1, sent.bytes), 0);
  Push(DataOf(true, 2, unsent.bytes), 0);
  Push(ResponseOf(1), 0);
  SendChunk(0);
  sent.bytes = unsent.bytes = SArray<char>();
  const Outbox::GivenUp given_up = outbox_.Release(3, 4);
  EXPECT_TRUE(given_up.reported.empty());
  EXPECT_EQ(given_up.withdrawn, (std::vector<uint64_t>{10}));
  EXPECT_TRUE(given_up.copied);
  EXPECT_FALSE(*sent.alive);
  EXPECT_FALSE(*unsent.alive);
  EXPECT_EQ(outbox_.queue().size(), 2u) << "the rest of the first, and the response";
}

TEST_F(OutboxTest, ClearReportsEachMessageOnceInOrder) {
  Push(RequestOf(1, std::string(250, 'x')), 0);
  Push(RequestOf(2), 0);
  SendChunk(0);
  SendChunk(0);
  const std::vector<Undelivered> undelivered = outbox_.Clear(Status::Unavailable("gone"), kSelf);
  ASSERT_EQ(undelivered.size(), 2u);
  EXPECT_EQ(undelivered[0].meta.timestamp, 1);
  EXPECT_EQ(undelivered[1].meta.timestamp, 2);
  EXPECT_EQ(undelivered[0].why.message(), "gone");
  EXPECT_TRUE(outbox_.drained());
}

TEST_F(OutboxTest, ClearReportsAMessageWhoseSentChunksAreAllAcknowledged) {
  Push(RequestOf(1, std::string(250, 'x')), 0);
  SendChunk(0);
  outbox_.sent().Acknowledge(1);
  EXPECT_EQ(outbox_.Clear(Status::Unavailable("gone"), kSelf).size(), 1u);
}

TEST_F(OutboxTest, ClearDoesNotRepeatWhatExpired) {
  Push(RequestOf(1), 0);
  SendChunk(0);
  ASSERT_EQ(ExpireAt(100).reported.size(), 1u);
  EXPECT_TRUE(outbox_.Clear(Status::Unavailable("gone"), kSelf).empty());
}

}  // namespace
}  // namespace ps
