// Part of transport_conformance.h: answers without a link, and both directions at once.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_REPLY_H_
#define PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_REPLY_H_

#include <thread>

#include "tests/support/transport_conformance.h"

namespace ps {

TYPED_TEST_P(TransportConformance, ReplyReachesTheAskerWithoutALink) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto asker = this->MakeEndpoint();
  const auto other = this->MakeEndpoint();
  const auto link = asker->ConnectTo(address);
  const auto other_link = other->ConnectTo(address);
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(1));
  for (const size_t size : {size_t{0}, size_t{50}, size_t{300000}}) {
    ASSERT_TRUE((*receiver)->Reply(receiver->frames[0].from, NumberedFrame(2, Pattern(size))).ok());
  }
  ASSERT_TRUE(asker->PollFor(3));
  EXPECT_EQ(asker->frames[0].number(), 2u);
  EXPECT_EQ(asker->frames[1].payload, Text(Pattern(50)));
  EXPECT_EQ(asker->frames[2].payload, Text(Pattern(300000)));
  EXPECT_EQ(other->transport().Poll(other.get(), 0), 0);
}

TYPED_TEST_P(TransportConformance, ReplyMayBeSentFromTheSink) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto asker = this->MakeEndpoint();
  const auto link = asker->ConnectTo(address);
  receiver->on_frame = [&](const ReceivedFrame& frame) {
    EXPECT_TRUE((*receiver)->Reply(frame.from, NumberedFrame(frame.number() + 100)).ok());
  };
  for (uint64_t i = 0; i < 50; ++i) ASSERT_EQ(link->TrySend(NumberedFrame(i)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(50));
  ASSERT_TRUE(asker->PollFor(50));
  for (uint64_t i = 0; i < 50; ++i) EXPECT_EQ(asker->frames[i].number(), i + 100);
  // The asker can answer the answer the same way.
  receiver->on_frame = nullptr;
  ASSERT_TRUE((*asker)->Reply(asker->frames[0].from, NumberedFrame(777)).ok());
  ASSERT_TRUE(receiver->PollFor(51));
  EXPECT_EQ(receiver->frames[50].number(), 777u);
}

TYPED_TEST_P(TransportConformance, ReplyToNobodyIsHarmless) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  for (const ReturnPath& path : {ReturnPath(), ReturnPath("?"), ReturnPath(300, 'x'), ReturnPath(5, '\0')}) {
    EXPECT_EQ((*receiver)->Reply(path, NumberedFrame(1)).code(), StatusCode::kInvalidArgument);
  }
  auto asker = this->MakeEndpoint();
  auto link = asker->ConnectTo(address);
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(1));
  link.reset();
  asker.reset();
  for (int i = 0; i < 100; ++i) {
    const Status status = (*receiver)->Reply(receiver->frames[0].from, NumberedFrame(2, Pattern(5000)));
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kUnavailable) << status;
  }
}

TYPED_TEST_P(TransportConformance, BothDirectionsAtOnce) {
  constexpr uint64_t kFrames = 2000;
  Address left_address, right_address;
  const auto left = this->MakeListener(&left_address);
  const auto right = this->MakeListener(&right_address);
  const auto pump = [](Endpoint* from, const Address& to) {
    const auto link = from->ConnectTo(to);
    for (uint64_t i = 0; i < kFrames; ++i)
      EXPECT_EQ(Endpoint::SendFully(link.get(), NumberedFrame(i, Pattern(200)), from), SendResult::kSent);
    EXPECT_TRUE(from->PollUntil([&] { return from->frames.size() >= kFrames && link->unreleased() == 0; }));
    // The last frames may be in the socket's hands, so a link goes only when the peer says that it has
    // everything.
    EXPECT_EQ(Endpoint::SendFully(link.get(), NumberedFrame(kFrames), from), SendResult::kSent);
    EXPECT_TRUE(from->PollFor(kFrames + 1));
    EXPECT_TRUE(from->PollUntil([&] { return link->unreleased() == 0; }));
    from->transport().Close(2000);
  };
  std::thread other([&] { pump(right.get(), left_address); });
  pump(left.get(), right_address);
  other.join();
  for (uint64_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(left->frames[i].number(), i);
    ASSERT_EQ(right->frames[i].number(), i);
  }
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_REPLY_H_
