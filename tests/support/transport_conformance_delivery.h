// Part of transport_conformance.h: what is sent arrives, whole, once, in order.
#ifndef PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_DELIVERY_H_
#define PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_DELIVERY_H_

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/transport_conformance.h"

namespace ps {

TYPED_TEST_P(TransportConformance, FramesArriveInTheOrderSent) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  // Small and large ones take different ways inside a transport, but not past each other.
  const std::vector<size_t> sizes = {0, 1, 100, 4096, 4097, 70000};
  for (uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(Endpoint::SendFully(link.get(), NumberedFrame(i, Pattern(sizes[i % sizes.size()], i)),
                                  receiver.get()),
              SendResult::kSent);
  }
  ASSERT_TRUE(receiver->PollFor(300));
  for (uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(receiver->frames[i].number(), i);
    ASSERT_EQ(receiver->frames[i].payload, Text(Pattern(sizes[i % sizes.size()], i)));
    ASSERT_EQ(receiver->frames[i].head[127], 0xa5);
  }
}

TYPED_TEST_P(TransportConformance, LargePayloadArrivesWhole) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  const SArray<char> large = Pattern(8 << 20);
  ASSERT_EQ(link->TrySend(NumberedFrame(7, large)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(1));
  EXPECT_EQ(receiver->frames[0].payload, Text(large));
  EXPECT_TRUE(receiver->PollUntil([&] { return link->unreleased() == 0; }));
}

TYPED_TEST_P(TransportConformance, EmptyPayloadArrives) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  ASSERT_EQ(link->TrySend(NumberedFrame(3)), SendResult::kSent);
  ASSERT_TRUE(receiver->PollFor(1));
  EXPECT_EQ(receiver->frames[0].number(), 3u);
  EXPECT_EQ(receiver->frames[0].payload, "");
}

// A frame with the pieces that `mask` names; what is read at the other end in *stream.
inline Frame FrameOfPieces(unsigned mask, size_t size, std::string* stream) {
  Frame frame;
  stream->clear();
  for (unsigned i = 0; i < kNumBlocks; ++i) {
    if ((mask >> i & 1) == 0) continue;
    frame.parts[i] = Pattern(size + i, mask * 10 + i);
    *stream += Text(frame.parts[i]);
  }
  return frame;
}

TYPED_TEST_P(TransportConformance, EveryLayoutOfPartsIsOneStream) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  std::vector<std::string> expected;
  for (const size_t size : {size_t{5}, size_t{6000}}) {
    for (unsigned mask = 0; mask < 1u << kNumBlocks; ++mask) {
      std::string stream;
      const Frame frame = FrameOfPieces(mask, size, &stream);
      ASSERT_EQ(Endpoint::SendFully(link.get(), frame, receiver.get()), SendResult::kSent);
      expected.push_back(stream);
    }
  }
  ASSERT_TRUE(receiver->PollFor(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(receiver->frames[i].payload, expected[i]) << i;
}

TYPED_TEST_P(TransportConformance, TenThousandSmallFramesArrive) {
  Address address;
  const auto receiver = this->MakeListener(&address);
  const auto sender = this->MakeEndpoint();
  const auto link = sender->ConnectTo(address);
  for (uint64_t i = 0; i < 10000; ++i) {
    ASSERT_EQ(Endpoint::SendFully(link.get(), NumberedFrame(i, {1, 2, 3}), receiver.get()),
              SendResult::kSent);
  }
  ASSERT_TRUE(receiver->PollFor(10000));
  for (uint64_t i = 0; i < 10000; ++i) ASSERT_EQ(receiver->frames[i].number(), i);
  EXPECT_EQ(receiver->transport().Poll(receiver.get(), 0), 0);
}

TYPED_TEST_P(TransportConformance, SeveralSendersAreHeardExactlyOnceAndInOrder) {
  constexpr uint64_t kSenders = 4;
  constexpr uint64_t kFrames = 500;
  Address address;
  const auto receiver = this->MakeListener(&address);
  std::vector<std::unique_ptr<Endpoint>> senders;
  for (uint64_t i = 0; i < kSenders; ++i) senders.push_back(this->MakeEndpoint());
  std::vector<std::thread> threads;
  for (uint64_t sender = 0; sender < kSenders; ++sender) {
    threads.emplace_back([&, sender] {
      const auto link = senders[sender]->ConnectTo(address);
      for (uint64_t i = 0; i < kFrames; ++i) {
        const Frame frame = NumberedFrame(i, Pattern(i % 9 == 0 ? 10000 : 10, i), sender);
        while (link->TrySend(frame) == SendResult::kFull)
          senders[sender]->transport().Poll(senders[sender].get(), 1);
      }
      senders[sender]->PollUntil(
          [&] { return !senders[sender]->frames.empty(); });  // keeps the link until all has arrived
    });
  }
  std::map<uint64_t, uint64_t> next;
  EXPECT_TRUE(receiver->PollFor(kSenders * kFrames));
  for (const ReceivedFrame& frame : receiver->frames) {
    EXPECT_EQ(frame.number(), next[frame.sender()]++);
    if (frame.number() + 1 < kFrames) continue;
    EXPECT_TRUE((*receiver)->Reply(frame.from, NumberedFrame(0)).ok());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(receiver->frames.size(), kSenders * kFrames);
}

}  // namespace ps
#endif  // PS_TESTS_SUPPORT_TRANSPORT_CONFORMANCE_DELIVERY_H_
