// Defects of messages and their order that the pure classes of the van decide.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "van/admission.h"
#include "van/assembler.h"
#include "van/barrier.h"
#include "van/control.h"
#include "van/delivery.h"
#include "van/send_queue.h"

namespace ps {
namespace {

Outgoing RequestOf(int timestamp, uint64_t bytes) {
  Outgoing message;
  message.header.flags = kFlagRequest | kFlagPush;
  message.header.timestamp = timestamp;
  message.blocks[kBlockVals] = SArray<char>(bytes);
  message.header.block_bytes[kBlockVals] = bytes;
  return message;
}

TEST(RegressB11, RequestsOfEqualPriorityLeaveInTheOrderTheyWereIssued) {
  SendQueue queue(1 << 20);
  for (int i = 0; i < 12; ++i) queue.Push(RequestOf(i, 8));
  std::vector<int> order;
  for (; !queue.empty(); queue.Advance()) order.push_back(queue.Next().header.timestamp);
  EXPECT_EQ(order, std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(RegressB17, ChunksOfABlockAboveTwoGibKeepTheirPlaces) {
  constexpr uint64_t kBytes = (uint64_t{2} << 30) + 8;
  // The memory is never touched: only the arithmetic matters.
  Outgoing message;
  message.header.flags = kFlagRequest;
  message.blocks[kBlockVals] = SArray<char>::Uninitialized(kBytes);
  message.header.block_bytes[kBlockVals] = kBytes;
  SendQueue queue(uint64_t{1} << 30);
  queue.Push(message);
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> lengths;
  for (; !queue.empty(); queue.Advance()) {
    offsets.push_back(queue.Next().header.chunk_offset);
    lengths.push_back(queue.Next().header.chunk_length);
  }
  EXPECT_EQ(offsets, std::vector<uint64_t>({0, uint64_t{1} << 30, uint64_t{2} << 30}));
  EXPECT_EQ(lengths, std::vector<uint64_t>({uint64_t{1} << 30, uint64_t{1} << 30, 8}));
}

TEST(RegressB17, ClaimsOfTwoToThe31AndMoreAreCountedInFull) {
  Assembler assembler(uint64_t{8} << 30);
  for (int bits = 34; bits < 63; ++bits) {
    Header header;
    header.sender = 9;
    header.block_bytes = {1, uint64_t{1} << bits, 0, 0};
    header.chunk_length = 1;
    header.priority = bits;
    Frame frame;
    frame.parts[0] = SArray<char>(1);
    EXPECT_EQ(assembler.Add(header, frame).status().code(), StatusCode::kResourceExhausted) << bits;
  }
  EXPECT_EQ(assembler.pending_bytes(), 0u);
}

TEST(RegressB22, CustomersAndFarIdsAreNeverTakenForDuplicates) {
  // Same app, same timestamp, other customer: only the sequence number tells a frame that was seen.
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  for (uint64_t sequence = 1; sequence <= 3; ++sequence) {
    Header header;
    header.timestamp = 7;
    header.customer_id = static_cast<int>(sequence);
    header.sequence = sequence;
    Frame frame;
    frame.head = EncodeHeader(header);
    EXPECT_EQ(receiver.Accept(sequence, frame, &ready), DeliveryReceiver::Verdict::kReady);
    EXPECT_EQ(receiver.Accept(sequence, frame, &ready), DeliveryReceiver::Verdict::kDuplicate);
  }
  EXPECT_EQ(ready.size(), 3u);
  // Ids 256 apart are different nodes.
  Admission admission(5);
  Roster roster;
  for (int id : {1, 9, 9 + 256}) {
    Node node;
    node.id = id;
    node.incarnation = static_cast<uint64_t>(id) + 1000;
    roster.nodes.push_back(node);
  }
  admission.SetRoster(roster);
  Header header;
  header.receiver_incarnation = 5;
  header.sender = 9 + 256;
  header.sender_incarnation = 1009;
  EXPECT_NE(admission.Judge(header).verdict, Admission::Verdict::kAccept);
  header.sender_incarnation = 1265;
  EXPECT_EQ(admission.Judge(header).verdict, Admission::Verdict::kAccept);
}

TEST(RegressB23, WithoutLossNothingIsSentAgainHoweverLateTheAcknowledgement) {
  DeliverySender sender(200);
  sender.Keep(Frame(), 0);
  for (int64_t now_ms = 200; now_ms < 100000; now_ms = sender.next_ask_ms()) {
    sender.Asked(now_ms);
    // The receiver has it in its window and is busy: it answers, it does not acknowledge.
    EXPECT_TRUE(sender.Missing(0, {{1, 1}}, now_ms + 1, sender.question()).empty());
  }
  EXPECT_TRUE(sender.Acknowledge(1));
  EXPECT_EQ(sender.next_ask_ms(), -1);
}

TEST(RegressB23, WhatIsAcknowledgedIsForgotten) {
  DeliverySender sender(200);
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  for (uint64_t i = 1; i <= 100000; ++i) {
    ASSERT_TRUE(sender.HasRoom());
    sender.Keep(Frame(), 0);
    receiver.Accept(i, Frame(), &ready);
    ready.clear();
    if (!receiver.AckDue()) continue;
    sender.Acknowledge(receiver.acknowledged());
    receiver.Told();
  }
  EXPECT_LE(sender.unacknowledged(), kDeliveryWindow / 2);
  EXPECT_TRUE(receiver.Held().empty());
}

TEST(RegressB23, TenLossesInARowEndNothing) {
  DeliverySender sender(200);
  sender.Keep(Frame(), 0);
  for (int i = 0; i < 1000; ++i) {
    const int64_t now_ms = sender.next_ask_ms();
    sender.Asked(now_ms);
    ASSERT_EQ(sender.Missing(0, {}, now_ms, sender.question()).size(), 1u);
  }
  EXPECT_TRUE(sender.Acknowledge(1));
}

TEST(RegressB70, AGroupOfAMillionIsAnErrorOfItsSender) {
  EXPECT_EQ(DecodeBarrier(EncodeBarrier({1000000, 1, 0, false, StatusCode::kOk, ""})).status().code(),
            StatusCode::kInvalidArgument);
  BarrierCounter counter;
  counter.SetMembers({1, 8, 9});
  EXPECT_NE(counter.Arrive(9, 1000000, 1).error, "");
}

TEST(RegressB70, GarbageAndEmptyBodiesAreErrors) {
  const SArray<char> garbage(std::vector<char>({'G', 'E', 'T', ' ', '/', '\r', '\n'}));
  for (const SArray<char>& bytes : {garbage, SArray<char>()}) {
    EXPECT_FALSE(DecodeRegistration(bytes).ok());
    EXPECT_FALSE(DecodeRoster(bytes).ok());
    EXPECT_FALSE(DecodeBarrier(bytes).ok());
    EXPECT_FALSE(DecodeDeparture(bytes).ok());
  }
}

TEST(RegressB70, TheIdOfALivingNodeAloneImpersonatesNobody) {
  Admission admission(5);
  Roster roster;
  Node node;
  node.id = 9;
  node.incarnation = 1009;
  roster.nodes = {node};
  admission.SetRoster(roster);
  Header forged;
  forged.kind = FrameKind::kControl;
  forged.head = Control::TERMINATE;
  forged.sender = 9;
  forged.sender_incarnation = 31337;
  forged.receiver_incarnation = 0;
  const Admission::Decision decision = admission.Judge(forged);
  EXPECT_EQ(decision.verdict, Admission::Verdict::kDrop);
  EXPECT_EQ(decision.reason, Counter::kRejectedStranger);
}

}  // namespace
}  // namespace ps
