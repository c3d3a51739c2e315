// Part of transport_conformance.h: addresses, peers that come and go.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_LIFE_H_
#define PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_LIFE_H_

#include <memory>
#include <string>

#include "tests/support/transport_conformance.h"

namespace ps {

TYPED_TEST_P(TransportConformance, FreePortIsReadBack) {
  Address first, second;
  const auto one = this->MakeListener(&first);
  const auto two = this->MakeListener(&second);
  EXPECT_EQ(first.host, this->fabric_.AnyPort().host);
  EXPECT_GT(first.port, 0);
  EXPECT_GT(second.port, 0);
  EXPECT_NE(first.port, second.port);
}

TYPED_TEST_P(TransportConformance, TakenAddressIsNamedInTheError) {
  Address address;
  const auto holder = this->MakeListener(&address);
  const auto late = this->MakeEndpoint();
  const Result<Address> bound = (*late)->Bind(address);
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(bound.status().message().find(address.ToString()), std::string::npos) << bound.status();
  EXPECT_NE(bound.status().message().find("Address already in use"), std::string::npos) << bound.status();
  // It may try elsewhere.
  EXPECT_TRUE((*late)->Bind(this->fabric_.AnyPort()).ok());
}

TYPED_TEST_P(TransportConformance, WhatIsNoAddressIsRefused) {
  Address address;
  const auto endpoint = this->MakeListener(&address);
  for (const Address& bad : {Address{"", 4711}, Address{address.host, 0}, Address{address.host, 70000},
                             Address{address.host, -1}}) {
    EXPECT_EQ((*endpoint)->Connect(bad).status().code(), StatusCode::kInvalidArgument) << bad.ToString();
  }
  EXPECT_FALSE((*endpoint)->Bind(this->fabric_.AnyPort()).ok()) << "bound twice";
  const auto other = this->MakeEndpoint();
  EXPECT_EQ((*other)->Bind(Address{address.host, 70000}).status().code(), StatusCode::kInvalidArgument);
}

TYPED_TEST_P(TransportConformance, FramesWaitForAPeerThatIsNotThereYet) {
  const Address address = this->VacantAddress();
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  for (uint64_t i = 0; i < 10; ++i)
    ASSERT_EQ(link->TrySend(NumberedFrame(i, Pattern(100))), SendResult::kSent);
  const auto receiver = this->MakeEndpoint();
  receiver->Listen(address);
  ASSERT_EQ(link->TrySend(NumberedFrame(10)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(11));
  for (uint64_t i = 0; i < 11; ++i) EXPECT_EQ(receiver->frames[i].number(), i);
}

TYPED_TEST_P(TransportConformance, DeadPeerNeitherBlocksNorFails) {
  Address address;
  auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  ASSERT_EQ(link->TrySend(NumberedFrame(0)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(1));
  receiver.reset();
  const SArray<char> payload = Pattern(20000);
  const int64_t before_ms = Clock::Real().NowMs();
  for (uint64_t i = 0; i < 1000; ++i)
    EXPECT_NE(link->TrySend(NumberedFrame(i, payload)), SendResult::kClosed);
  EXPECT_LT(Clock::Real().NowMs() - before_ms, 5000);
  link->Close();
  EXPECT_TRUE(sender->PollUntil([&] { return link->unreleased() == 0; }));
}

TYPED_TEST_P(TransportConformance, PeerComesBackAtTheSameAddress) {
  Address address;
  auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  for (uint64_t round = 0; round < 3; ++round) {
    uint64_t number = round * 1000;
    // What was under way when the peer went may be lost, so one frame proves nothing: send until one arrives.
    EXPECT_TRUE(receiver->PollUntil([&] {
      link->TrySend(NumberedFrame(number++, Pattern(10)));
      return !receiver->frames.empty() && receiver->frames.back().number() >= round * 1000;
    }));
    for (size_t i = 1; i < receiver->frames.size(); ++i) {
      EXPECT_LT(receiver->frames[i - 1].number(), receiver->frames[i].number()) << "doubled or out of order";
    }
    receiver.reset();
    receiver = this->MakeEndpoint();
    receiver->Listen(address);
  }
}

TYPED_TEST_P(TransportConformance, ProbeTellsNobodyFromSomebody) {
  Address address;
  const auto listener = this->MakeListener(&address);
  const auto other = this->MakeEndpoint();
  const std::string somebody = (*other)->Probe(address);
  EXPECT_EQ(somebody.rfind(kAcceptsButDoesNotAnswer, 0), 0u) << somebody;
  const std::string nobody = (*other)->Probe(this->VacantAddress());
  EXPECT_EQ(nobody.find(kAcceptsButDoesNotAnswer), std::string::npos) << nobody;
  EXPECT_FALSE(nobody.empty());
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_LIFE_H_
