// Part of transport_conformance.h: closing links and transports.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_CLOSE_H_
#define PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_CLOSE_H_

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/transport_conformance.h"

namespace ps {

TYPED_TEST_P(TransportConformance, ClosedLinkAndTransportRefuse) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto closed = sender->ConnectTo(address);
  const auto open = sender->ConnectTo(address);
  closed->Close();
  closed->Close();
  EXPECT_EQ(closed->TrySend(NumberedFrame(1)), SendResult::kClosed);
  ASSERT_EQ(open->TrySend(NumberedFrame(2)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(1));
  EXPECT_EQ(receiver->frames[0].number(), 2u);
  (*sender)->Close(0);
  EXPECT_EQ(open->TrySend(NumberedFrame(3)), SendResult::kClosed);
  EXPECT_EQ(open->TrySend(NumberedFrame(4, Pattern(100000))), SendResult::kClosed);
  EXPECT_FALSE((*sender)->Connect(address).ok());
  EXPECT_FALSE((*sender)->Bind(this->fabric_.AnyPort()).ok());
  EXPECT_EQ((*sender)->Reply(receiver->frames[0].from, NumberedFrame(5)).code(), StatusCode::kCancelled);
  EXPECT_EQ(sender->transport().Poll(sender.get(), -1), 0);
}

TYPED_TEST_P(TransportConformance, CloseIsIdempotentAndLinksOutliveIt) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  (*sender)->Close(10);
  (*sender)->Close(0);
  (*sender)->Wake();
  sender.reset();
  EXPECT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kClosed);
  EXPECT_EQ(link->unreleased(), 0u);
  link->Close();
}

TYPED_TEST_P(TransportConformance, CloseUnderLoad) {
  for (int round = 0; round < 10; ++round) {
    Address address;
    auto receiver = this->MakeListener(&address);
    const auto sender = this->MakeEndpoint();
    std::atomic<int> released{0};
    (*sender)->set_release_callback([&] { ++released; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      const std::shared_ptr<Link> link = sender->ConnectTo(address);
      threads.emplace_back([&, i, link] {
        const SArray<char> payload = Pattern(i == 0 ? 50 : 30000);
        while (link->TrySend(NumberedFrame(1, payload)) != SendResult::kClosed) std::this_thread::yield();
      });
    }
    receiver->PollFor(20);
    if (round % 2 == 0) receiver.reset();
    (*sender)->Close(0);
    const int calls = released;
    for (std::thread& thread : threads) thread.join();
    receiver.reset();
    EXPECT_EQ(released, calls) << "a release callback ran after Close";
  }
}

TYPED_TEST_P(TransportConformance, CloseWithLingerDelivers) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  auto sender = this->MakeEndpoint();
  auto link = sender->ConnectTo(address);
  size_t sent = 0;
  const SArray<char> large = Pattern(500000);
  for (; sent < 5; ++sent) ASSERT_EQ(link->TrySend(NumberedFrame(sent, large)), SendResult::kSent);
  for (; sent < 30; ++sent) ASSERT_EQ(link->TrySend(NumberedFrame(sent, Pattern(30))), SendResult::kSent);
  std::thread closer([&] { (*sender)->Close(10000); });
  EXPECT_TRUE(receiver->PollFor(sent));
  closer.join();
  for (size_t i = 0; i < receiver->frames.size(); ++i) EXPECT_EQ(receiver->frames[i].number(), i);
}

TYPED_TEST_P(TransportConformance, ClosedLinkLetsGoOfMemory) {
  const Address address = this->VacantAddress();
  const auto sender = this->MakeEndpoint();
  const SArray<char> payload = Pattern(100000);
  {
    const auto link = sender->ConnectTo(address);
    for (uint64_t i = 0; i < 3; ++i) ASSERT_EQ(link->TrySend(NumberedFrame(i, payload)), SendResult::kSent);
    EXPECT_GT(payload.ptr().use_count(), 1);
  }
  EXPECT_TRUE(sender->PollUntil([&] { return payload.ptr().use_count() == 1; })) << payload.ptr().use_count();
}

TYPED_TEST_P(TransportConformance, ClosedTransportLetsGoOfMemory) {
  Address listening;
  const auto receiver = this->MakeListener(&listening);
  const Address vacant = this->VacantAddress();
  const SArray<char> payload = Pattern(100000);
  auto sender = this->MakeEndpoint();
  const auto waiting = sender->ConnectTo(vacant);
  const auto delivered = sender->ConnectTo(listening);
  ASSERT_EQ(waiting->TrySend(NumberedFrame(1, payload)), SendResult::kSent);
  ASSERT_EQ(delivered->TrySend(NumberedFrame(2, payload)), SendResult::kSent);
  (*sender)->Close(20);
  EXPECT_EQ(payload.ptr().use_count(), 1);
  EXPECT_EQ(waiting->unreleased() + delivered->unreleased(), 0u);
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_CLOSE_H_
