#include "transport/zmq/multipart.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// Two sockets of one context, joined inside the process: no network, and what was sent is there at once.
class MultipartTest : public testing::Test {
 protected:
  MultipartTest() {
    EXPECT_EQ(left_->Bind("inproc://pair"), 0);
    EXPECT_EQ(right_->Connect("inproc://pair"), 0);
  }

  void SendRaw(const std::string& bytes, bool more) {
    ZmqMessage message(bytes.data(), bytes.size());
    EXPECT_EQ(left_->Send(&message, more), IoResult::kDone);
  }

  // One frame at most.
  ReadResult Read(RouterPeer* from, Frame* frame) {
    std::vector<Frame> frames;
    const ReadResult result = ReadFrames(right_.get(), from, &frames);
    EXPECT_EQ(frames.size(), result == ReadResult::kFrames ? 1u : 0u);
    if (!frames.empty()) *frame = frames[0];
    return result;
  }

  Watchdog watchdog_;
  std::shared_ptr<ZmqContext> context_ = ZmqContext::Make(1).value();
  std::unique_ptr<ZmqSocket> left_ = ZmqSocket::Open(*context_, ZMQ_PAIR).value();
  std::unique_ptr<ZmqSocket> right_ = ZmqSocket::Open(*context_, ZMQ_PAIR).value();
  const std::string head_ = std::string(kHeaderBytes, 'h');
};

TEST_F(MultipartTest, SmallPayloadTravelsWithTheHeader) {
  Frame frame = NumberedFrame(1, Pattern(kMaxInlinePayload - 1));
  frame.parts[3] = Pattern(1);
  EXPECT_FALSE(IsLent(frame));
  ASSERT_EQ(WriteFrame(left_.get(), nullptr, frame, nullptr), IoResult::kDone);
  ZmqMessage message;
  ASSERT_EQ(right_->Receive(&message), IoResult::kDone);
  EXPECT_FALSE(message.more());
  EXPECT_EQ(message.size(), kHeaderBytes + kMaxInlinePayload);
}

TEST_F(MultipartTest, LargePayloadTravelsInPiecesThatAreNotCopied) {
  Frame frame = NumberedFrame(1, Pattern(kMaxInlinePayload));
  frame.parts[3] = Pattern(1);
  EXPECT_TRUE(IsLent(frame));
  ASSERT_EQ(WriteFrame(left_.get(), nullptr, frame, std::make_shared<SendClaim>()), IoResult::kDone);
  Frame received;
  ASSERT_EQ(Read(nullptr, &received), ReadResult::kFrames);
  EXPECT_EQ(received.head, frame.head);
  EXPECT_EQ(received.parts[0].data(), frame.parts[1].data());
  EXPECT_EQ(received.parts[1].size(), 1u);
  EXPECT_EQ(Read(nullptr, &received), ReadResult::kNothing);
}

TEST_F(MultipartTest, WithoutAClaimPiecesAreCopied) {
  const Frame frame = NumberedFrame(1, Pattern(10000));
  ASSERT_EQ(WriteFrame(left_.get(), nullptr, frame, nullptr), IoResult::kDone);
  EXPECT_EQ(frame.parts[1].ptr().use_count(), 1);
  Frame received;
  ASSERT_EQ(Read(nullptr, &received), ReadResult::kFrames);
  EXPECT_EQ(Text(received.parts[0]), Text(frame.parts[1]));
}

TEST_F(MultipartTest, RouteStandsInFront) {
  const std::string route = "route";
  ASSERT_EQ(WriteFrame(left_.get(), &route, NumberedFrame(1), nullptr), IoResult::kDone);
  RouterPeer from;
  Frame received;
  ASSERT_EQ(Read(&from, &received), ReadResult::kFrames);
  EXPECT_EQ(from.route, route);
  EXPECT_EQ(from.fd, -1) << "no connection inside a process";
}

TEST_F(MultipartTest, WhatIsNoFrameIsReadToItsEnd) {
  SendRaw(head_.substr(1), true);
  SendRaw("payload", false);
  SendRaw(head_, true);
  for (int i = 0; i < 5; ++i) SendRaw("piece", i < 4);
  SendRaw(head_ + "inline", true);
  for (int i = 0; i < 4; ++i) SendRaw("piece", i < 3);
  SendRaw(head_, true);
  for (int i = 0; i < 4; ++i) SendRaw("good", i < 3);
  for (int i = 0; i < 3; ++i) {
    Frame frame;
    EXPECT_EQ(Read(nullptr, &frame), ReadResult::kMalformed) << i;
  }
  Frame frame;
  EXPECT_EQ(Read(nullptr, &frame), ReadResult::kFrames);
  EXPECT_EQ(frame.payload_bytes(), 16u);
}

TEST_F(MultipartTest, FramesThatTravelTogetherAreTakenApart) {
  FrameBatch batch(4096);
  for (uint64_t i = 1; i <= 3; ++i) batch.Add(NumberedFrame(i, Pattern(i)));
  const SArray<char> together = batch.Take();
  const std::string bytes(together.data(), together.size());
  SendRaw(bytes, false);
  SendRaw(bytes.substr(0, bytes.size() - 1), false);
  SendRaw(bytes, true);
  SendRaw("piece", false);
  std::vector<Frame> frames;
  EXPECT_EQ(ReadFrames(right_.get(), nullptr, &frames), ReadResult::kFrames);
  ASSERT_EQ(frames.size(), 3u);
  for (uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(Text(frames[i - 1].parts[0]), Text(Pattern(i)));
  EXPECT_EQ(ReadFrames(right_.get(), nullptr, &frames), ReadResult::kMalformed) << "cut";
  EXPECT_EQ(frames.size(), 3u);
  // A batch is one part; with others behind it the mark is what a header begins with, which nobody knows.
  EXPECT_EQ(ReadFrames(right_.get(), nullptr, &frames), ReadResult::kFrames);
  EXPECT_EQ(frames.size(), 4u);
  EXPECT_EQ(ReadFrames(right_.get(), nullptr, &frames), ReadResult::kNothing);
}

TEST_F(MultipartTest, RouteAloneIsNoFrame) {
  SendRaw("route", false);
  RouterPeer from;
  Frame frame;
  EXPECT_EQ(Read(&from, &frame), ReadResult::kMalformed);
  EXPECT_EQ(Read(&from, &frame), ReadResult::kNothing);
}

TEST_F(MultipartTest, NobodyToSendToTakesNothing) {
  const auto lonely = ZmqSocket::Open(*context_, ZMQ_DEALER).value();
  const Frame frame = NumberedFrame(1, Pattern(10000));
  EXPECT_EQ(WriteFrame(lonely.get(), nullptr, frame, std::make_shared<SendClaim>()), IoResult::kNothing);
  EXPECT_EQ(frame.parts[1].ptr().use_count(), 1);
}

}  // namespace
}  // namespace ps
