// Part of transport_conformance.h: what is told of a peer that goes, and what can be asked about an address.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_PEER_H_
#define PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_PEER_H_

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/transport_conformance.h"

namespace ps {

TYPED_TEST_P(TransportConformance, PeerThatClosesItsLinkIsToldAndOneThatStaysIsNot) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto other = this->MakeEndpoint();
  const auto going = sender->ConnectTo(address);
  const auto staying = sender->ConnectTo(address);
  const auto stranger = other->ConnectTo(address);
  std::vector<ReturnPath> from;
  for (Link* link : {going.get(), staying.get(), stranger.get()}) {
    ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
    ASSERT_TRUE(receiver->PollFor(from.size() + 1));
    from.push_back(receiver->frames.back().from);
  }
  EXPECT_EQ(std::set<ReturnPath>(from.begin(), from.end()).size(), 3u) << "a path is one connection";
  going->Close();
  EXPECT_TRUE(receiver->PollUntilClosed(from[0]));
  // Whoever stays is still heard, and nothing was said of it meanwhile.
  for (Link* link : {staying.get(), stranger.get()})
    ASSERT_EQ(link->TrySend(NumberedFrame(2)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(5));
  EXPECT_FALSE(receiver->HasClosed(from[1]));
  EXPECT_FALSE(receiver->HasClosed(from[2]));
  EXPECT_EQ(receiver->closed.size(), 1u);
}

TYPED_TEST_P(TransportConformance, PeerThatClosesItsTransportIsTold) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  auto sender = this->MakeEndpoint();
  const auto first = sender->ConnectTo(address);
  const auto second = sender->ConnectTo(address);
  ASSERT_EQ(first->TrySend(NumberedFrame(1)), SendResult::kSent);
  ASSERT_EQ(second->TrySend(NumberedFrame(2)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(2));
  sender.reset();
  EXPECT_TRUE(receiver->PollUntilClosed(receiver->frames[0].from));
  EXPECT_TRUE(receiver->PollUntilClosed(receiver->frames[1].from));
  EXPECT_EQ(receiver->closed.size(), 2u);
}

TYPED_TEST_P(TransportConformance, PeerIsToldBehindItsLastFrame) {
  constexpr uint64_t kFrames = 50;  // more than one Poll hands out
  Address address;
  const auto receiver = this->MakeListener(&address);
  auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  for (uint64_t i = 0; i < kFrames; ++i)
    ASSERT_EQ(link->TrySend(NumberedFrame(i, Pattern(100))), SendResult::kSent);
  std::thread closer([&] { (*sender)->Close(10000); });
  EXPECT_TRUE(receiver->PollUntil([&] { return !receiver->closed.empty(); }));
  closer.join();
  ASSERT_EQ(receiver->frames.size(), kFrames);
  EXPECT_EQ(receiver->closed[0].from, receiver->frames[0].from);
  EXPECT_EQ(receiver->closed[0].num_frames, kFrames);
}

TYPED_TEST_P(TransportConformance, PeerThatComesBackIsAnotherConnection) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  auto link = sender->ConnectTo(address);
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(1));
  link = sender->ConnectTo(address);
  ASSERT_EQ(link->TrySend(NumberedFrame(2)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(2));
  EXPECT_NE(receiver->frames[0].from, receiver->frames[1].from);
  EXPECT_TRUE(receiver->PollUntilClosed(receiver->frames[0].from));
  ASSERT_EQ(link->TrySend(NumberedFrame(3)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(3));
  EXPECT_EQ(receiver->frames[2].from, receiver->frames[1].from);
  EXPECT_FALSE(receiver->HasClosed(receiver->frames[1].from));
}

TYPED_TEST_P(TransportConformance, PeersThatComeAndGoAreEachToldOnce) {
  // What the system gives a new connection is what one that has just closed had.
  constexpr size_t kPeers = 100;
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  for (size_t i = 0; i < kPeers; ++i) {
    const auto link = sender->ConnectTo(address);
    ASSERT_EQ(link->TrySend(NumberedFrame(i)), SendResult::kSent);
    ASSERT_TRUE(receiver->PollFor(i + 1));
  }
  std::set<ReturnPath> expected;
  for (const ReceivedFrame& frame : receiver->frames) expected.insert(frame.from);
  ASSERT_EQ(expected.size(), kPeers);
  EXPECT_TRUE(receiver->PollUntil([&] { return receiver->closed.size() >= kPeers; }));
  std::set<ReturnPath> told;
  for (const auto& closing : receiver->closed) told.insert(closing.from);
  EXPECT_EQ(told, expected);
  EXPECT_EQ(receiver->closed.size(), kPeers);
}

// Looks until there is an answer.
inline ReachCheck::State Answer(Endpoint* asker, const Address& peer) {
  const std::unique_ptr<ReachCheck> check = asker->transport().StartCheck(peer);
  ReachCheck::State state = check->Look();
  asker->PollUntil([&] {
    state = check->Look();
    return state != ReachCheck::State::kPending;
  });
  EXPECT_EQ(check->Look(), state) << "an answer stays";
  return state;
}

TYPED_TEST_P(TransportConformance, CheckTellsRefusedFromAccepted) {
  Address address;
  auto listener = this->MakeListener(&address);
  const auto asker = this->MakeEndpoint();
  EXPECT_EQ(Answer(asker.get(), address), ReachCheck::State::kAccepts);
  EXPECT_EQ(Answer(asker.get(), address), ReachCheck::State::kAccepts);
  EXPECT_TRUE(listener->closed.empty()) << "nobody has spoken";
  listener.reset();
  EXPECT_EQ(Answer(asker.get(), address), ReachCheck::State::kRefused);
  { const auto abandoned = asker->transport().StartCheck(address); }
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_PEER_H_
