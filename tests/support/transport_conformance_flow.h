// Part of transport_conformance.h: bounds, release and waking.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_FLOW_H_
#define PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_FLOW_H_

#include <atomic>
#include <thread>

#include "tests/support/transport_conformance.h"

namespace ps {

TYPED_TEST_P(TransportConformance, FullLinkCallsBackWhenThereIsRoom) {
  const Address address = this->VacantAddress();
  const auto sender = this->MakeEndpoint();
  std::atomic<int> released{0};
  (*sender)->set_release_callback([&] { ++released; });
  const auto link = sender->ConnectTo(address);
  const SArray<char> payload = Pattern(1 << 20);
  const size_t taken = this->Fill(link.get(), payload);
  EXPECT_GE(taken, 1u);
  EXPECT_EQ(link->unreleased(), taken);
  EXPECT_EQ(released, 0);

  const auto receiver = this->MakeEndpoint();
  receiver->Listen(address);
  ASSERT_TRUE(receiver->PollFor(taken));
  EXPECT_TRUE(receiver->PollUntil([&] { return released > 0; }));
  ASSERT_EQ(link->TrySend(NumberedFrame(taken, payload)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(taken + 1));
  for (size_t i = 0; i <= taken; ++i) EXPECT_EQ(receiver->frames[i].number(), i);
  EXPECT_TRUE(receiver->PollUntil([&] { return link->unreleased() == 0; }));
  EXPECT_LE(released, 2);
}

TYPED_TEST_P(TransportConformance, ReleaseCallbackNeverRunsInsideTrySend) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  std::atomic<bool> inside{false};
  std::atomic<int> inline_calls{0};
  const std::thread::id sending = std::this_thread::get_id();
  (*sender)->set_release_callback([&] {
    if (inside && std::this_thread::get_id() == sending) ++inline_calls;
  });
  const auto link = sender->ConnectTo(address);
  const SArray<char> payload = Pattern(200000);
  for (uint64_t i = 0; i < 500; ++i) {
    inside = true;
    const SendResult result = link->TrySend(NumberedFrame(i, payload));
    inside = false;
    if (result == SendResult::kFull) receiver->transport().Poll(receiver.get(), 1);
  }
  EXPECT_EQ(inline_calls, 0);
}

TYPED_TEST_P(TransportConformance, PollReturnsAtItsTimeOut) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  EXPECT_EQ(receiver->transport().Poll(receiver.get(), 0), 0);
  const int64_t before_ms = Clock::Real().NowMs();
  EXPECT_EQ(receiver->transport().Poll(receiver.get(), 30), 0);
  EXPECT_GE(Clock::Real().NowMs() - before_ms, 28);
}

TYPED_TEST_P(TransportConformance, WakeEndsPoll) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  std::atomic<int> returns{0};
  std::thread poller([&] {
    while (returns < 20) {
      EXPECT_EQ(receiver->transport().Poll(receiver.get(), -1), 0);
      ++returns;
    }
  });
  while (returns < 20) {
    (*receiver)->Wake();
    std::this_thread::yield();
  }
  poller.join();
}

TYPED_TEST_P(TransportConformance, WakeBeforePollIsKept) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  (*receiver)->Wake();
  EXPECT_EQ(receiver->transport().Poll(receiver.get(), -1), 0);
  // Consumed: the next one waits again.
  const int64_t before_ms = Clock::Real().NowMs();
  EXPECT_EQ(receiver->transport().Poll(receiver.get(), 20), 0);
  EXPECT_GE(Clock::Real().NowMs() - before_ms, 18);
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_FLOW_H_
