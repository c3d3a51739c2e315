#include "transport/zmq/batch.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/transport_endpoint.h"

namespace ps {
namespace {

constexpr size_t kMaxBytes = 4096;

std::string PayloadText(const Frame& frame) {
  std::string text;
  for (const SArray<char>& part : frame.parts) text.append(part.data(), part.size());
  return text;
}

// `count` frames of ten bytes.
SArray<char> BatchOf(size_t count) {
  FrameBatch batch(kMaxBytes * 4);
  for (size_t i = 0; i < count; ++i) batch.Add(NumberedFrame(i, Pattern(10, i)));
  return batch.Take();
}

bool Cuts(const SArray<char>& bytes) {
  std::vector<Frame> frames(1);
  const bool cuts = CutBatch(bytes, &frames);
  EXPECT_EQ(frames.size() > 1, cuts);
  return cuts;
}

TEST(FrameBatchTest, OneAloneTravelsAsItIs) {
  FrameBatch batch(kMaxBytes);
  const Frame frame = NumberedFrame(7, Pattern(10));
  batch.Add(frame);
  const SArray<char> part = batch.Take();
  ASSERT_EQ(part.size(), kHeaderBytes + 10);
  EXPECT_FALSE(IsBatch(part.data(), part.size()));
  EXPECT_EQ(std::memcmp(part.data(), frame.head.data(), kHeaderBytes), 0);
  EXPECT_TRUE(batch.empty());
}

TEST(FrameBatchTest, WhatWasPutTogetherIsTakenApart) {
  std::mt19937 random(3);
  FrameBatch batch(kMaxBytes);
  for (int round = 0; round < 300; ++round) {
    std::vector<Frame> sent;
    while (true) {
      Frame frame = NumberedFrame(random());
      for (SArray<char>& part : frame.parts) part = Pattern(random() % 3 == 0 ? random() % 200 : 0, random());
      if (!batch.HasRoomFor(frame)) break;
      batch.Add(frame);
      sent.push_back(frame);
    }
    ASSERT_GE(sent.size(), 2u);
    ASSERT_LE(sent.size(), kMaxFramesTogether);
    const SArray<char> part = batch.Take();
    EXPECT_LE(part.size(), kMaxBytes);
    std::vector<Frame> received;
    ASSERT_TRUE(CutBatch(part, &received));
    ASSERT_EQ(received.size(), sent.size());
    for (size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(received[i].head, sent[i].head);
      EXPECT_EQ(PayloadText(received[i]), PayloadText(sent[i]));
    }
  }
}

TEST(FrameBatchTest, ALargeFrameHasRoomOnlyAlone) {
  FrameBatch batch(100);
  const Frame large = NumberedFrame(1, Pattern(5000));
  EXPECT_TRUE(batch.HasRoomFor(large));
  batch.Add(NumberedFrame(1));
  EXPECT_FALSE(batch.HasRoomFor(large));
  EXPECT_FALSE(batch.HasRoomFor(NumberedFrame(2)));
}

TEST(FrameBatchTest, WhatIsCutOrLongerOrCountsTooManyIsNone) {
  const SArray<char> good = BatchOf(3);
  EXPECT_TRUE(Cuts(good));
  for (size_t size = 0; size < good.size(); ++size) {
    // At the end of a frame it is a shorter batch.
    const bool is_shorter = size > 4 && (size - 4) % (4 + kHeaderBytes + 10) == 0;
    EXPECT_EQ(Cuts(good.segment(0, size)), is_shorter) << size;
  }
  SArray<char> longer;
  longer.CopyFrom(good);
  longer.push_back('x');
  EXPECT_FALSE(Cuts(longer));
  EXPECT_TRUE(Cuts(BatchOf(kMaxFramesTogether)));
  EXPECT_FALSE(Cuts(BatchOf(kMaxFramesTogether + 1)));
}

TEST(FrameBatchTest, AnyBytesAreReadWithinTheirBounds) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    SArray<char> bytes;
    bytes.CopyFrom(BatchOf(1 + random() % 4));
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
    std::vector<Frame> frames;
    if (!CutBatch(bytes, &frames)) continue;
    size_t total = 4;
    for (const Frame& frame : frames) total += 4 + kHeaderBytes + frame.payload_bytes();
    EXPECT_EQ(total, bytes.size());
  }
}

}  // namespace
}  // namespace ps
