#include "collective/packet.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

Packet Values() {
  Packet packet;
  packet.id = {0x1234567890abcdefULL, "layer 3", 7};
  packet.signature = {CollectiveKind::kBroadcast, ReduceOp::kMax, DType::kBF16, 5, 1ULL << 40};
  packet.round = 3;
  packet.begin = 1ULL << 39;
  packet.answered = true;
  return packet;
}

TEST(PacketTest, ComesBackAsItWas) {
  const Packet packet = Values();
  const Packet back = DecodePacket(EncodePacket(packet)).value();
  EXPECT_EQ(back.kind, Packet::kValues);
  EXPECT_EQ(back.id, packet.id);
  EXPECT_EQ(back.signature, packet.signature);
  EXPECT_EQ(back.round, 3u);
  EXPECT_EQ(back.begin, packet.begin);
  EXPECT_TRUE(back.answered);
  EXPECT_TRUE(back.status.ok());
}

TEST(PacketTest, AnEndSaysWhy) {
  Packet packet = Values();
  packet.kind = Packet::kEnd;
  packet.status = Status::DeadlineExceeded("worker 1 has not come");
  EXPECT_EQ(DecodePacket(EncodePacket(packet)).value().status, packet.status);
}

TEST(PacketTest, OperationsWithoutANameHaveANumber) {
  EXPECT_EQ((OperationId{1, "", 3}).ToString(), "number 3");
  EXPECT_EQ((OperationId{1, "a", 3}).ToString(), "\"a\"");
}

TEST(PacketTest, IdsAreOrderedByAllTheyHave) {
  const OperationId id{1, "b", 2};
  EXPECT_LT(id, (OperationId{2, "a", 1}));
  EXPECT_LT(id, (OperationId{1, "a", 3}));
  EXPECT_LT(id, (OperationId{1, "c", 2}));
  EXPECT_FALSE(id < id);
}

TEST(PacketTest, TruncatedOnesAreRefused) {
  const std::string bytes = EncodePacket(Values());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(DecodePacket(bytes.substr(0, size)).status().code(), StatusCode::kInvalidArgument) << size;
  EXPECT_FALSE(DecodePacket(bytes + "x").ok());
}

TEST(PacketTest, UnknownValuesAreRefused) {
  // Of the bytes in front: version, kind, answered, status, operation, reduction, element type, nothing.
  for (std::size_t at = 0; at < 8; ++at) {
    std::string bytes = EncodePacket(Values());
    bytes[at] = static_cast<char>(0xff);
    EXPECT_FALSE(DecodePacket(bytes).ok()) << at;
  }
}

TEST(PacketTest, AnEndWithoutAReasonIsRefused) {
  std::string bytes = EncodePacket(Values());
  bytes[1] = Packet::kEnd;
  EXPECT_FALSE(DecodePacket(bytes).ok());
}

TEST(PacketTest, NamesThatAreTooLongAreRefused) {
  Packet packet = Values();
  packet.id.name = std::string(kMostNameBytes, 'n');
  EXPECT_TRUE(DecodePacket(EncodePacket(packet)).ok());
  packet.id.name += 'n';
  EXPECT_FALSE(DecodePacket(EncodePacket(packet)).ok());
}

}  // namespace
}  // namespace ps
