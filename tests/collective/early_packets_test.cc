#include "collective/early_packets.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ps {
namespace {

ArrivedPacket Values(std::uint64_t group, std::uint64_t number, std::size_t bytes, int node = 9) {
  ArrivedPacket arrived;
  arrived.node = node;
  arrived.packet.id = {group, "", number};
  arrived.values = SArray<char>(bytes);
  return arrived;
}

ArrivedPacket End(std::uint64_t group, std::uint64_t number, int node = 9) {
  ArrivedPacket arrived = Values(group, number, 0, node);
  arrived.packet.kind = Packet::kEnd;
  arrived.packet.status = Status::Internal(std::string(5000, 'x'));
  return arrived;
}

bool Keep(EarlyPackets* packets, ArrivedPacket arrived) { return packets->Keep(&arrived); }

TEST(EarlyPacketsTest, BoundsNumberAndBytes) {
  EarlyPackets packets({3, 100});
  EXPECT_TRUE(Keep(&packets, Values(1, 0, 60)));
  EXPECT_FALSE(Keep(&packets, Values(1, 1, 41)));
  EXPECT_TRUE(Keep(&packets, Values(1, 1, 40)));
  EXPECT_TRUE(Keep(&packets, Values(1, 2, 0)));
  EXPECT_FALSE(Keep(&packets, Values(1, 3, 0)));
  EXPECT_EQ(packets.Take({1, "", 0}).size(), 1u);
  EXPECT_EQ(packets.bytes(), 40u);
  EXPECT_TRUE(Keep(&packets, Values(1, 3, 60)));
}

TEST(EarlyPacketsTest, WhatIsRefusedIsAsItWas) {
  EarlyPackets packets({0, 100});
  ArrivedPacket arrived = Values(1, 7, 10);
  EXPECT_FALSE(packets.Keep(&arrived));
  EXPECT_EQ(arrived.packet.id.number, 7u);
  EXPECT_EQ(arrived.values.size(), 10u);
}

TEST(EarlyPacketsTest, EndsHaveRoomOfTheirOwnOnceForEachSender) {
  EarlyPackets packets({1, 10});
  EXPECT_TRUE(Keep(&packets, Values(1, 0, 10)));
  for (int i = 0; i < 3; ++i)
    for (const int node : {9, 11}) EXPECT_TRUE(Keep(&packets, End(1, 0, node)));
  const std::vector<ArrivedPacket> taken = packets.Take({1, "", 0});
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0].packet.kind, Packet::kEnd) << "they come first";
  EXPECT_EQ(taken[1].packet.kind, Packet::kEnd);
  EXPECT_LE(taken[0].packet.status.message().size(), EarlyPackets::kMostTextBytes + 3);
  EXPECT_TRUE(packets.empty());
}

TEST(EarlyPacketsTest, EndsAreBoundedToo) {
  EarlyPackets packets({1, 10});
  for (std::uint64_t i = 0; i < EarlyPackets::kMostEnds; ++i) ASSERT_TRUE(Keep(&packets, End(1, i)));
  EXPECT_FALSE(Keep(&packets, End(1, EarlyPackets::kMostEnds)));
  EXPECT_EQ(packets.TakeGroup(1).size(), EarlyPackets::kMostEnds);
  EXPECT_TRUE(Keep(&packets, End(1, 0)));
}

TEST(EarlyPacketsTest, GroupsAreTakenByTheirOwn) {
  EarlyPackets packets({10, 100});
  for (const std::uint64_t group : {5, 3, 4, 3}) EXPECT_TRUE(Keep(&packets, Values(group, 0, 10)));
  EXPECT_EQ(packets.oldest_group(), 5u);
  EXPECT_EQ(packets.TakeGroup(5).size(), 1u);
  EXPECT_EQ(packets.oldest_group(), 3u);
  EXPECT_EQ(packets.Take({3, "", 0}).size(), 2u);
  EXPECT_EQ(packets.oldest_group(), 4u);
  EXPECT_EQ(packets.TakeGroup(8).size(), 0u);
  EXPECT_EQ(packets.bytes(), 10u);
  EXPECT_EQ(packets.TakeAll().size(), 1u);
  EXPECT_EQ(packets.bytes(), 0u);
  EXPECT_TRUE(packets.empty());
}

}  // namespace
}  // namespace ps
