#include "transport/shm/shm_transport.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "tests/support/memory.h"
#include "tests/support/transport_conformance.h"
#include "tests/transport/shm/shm_fabric.h"
#include "transport/chaos_transport.h"
#include "transport/shm/handover.h"
#include "transport/shm/inlet.h"

namespace ps {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Shm, TransportConformance, ShmFabric);

struct SleepyFabric : ShmFabric {
  SleepyFabric() { options.spin_us = 0; }
};
INSTANTIATE_TYPED_TEST_SUITE_P(ShmAsleep, TransportConformance, SleepyFabric);

struct CalmFabric : ShmFabric {
  std::unique_ptr<Transport> Make() { return MakeChaosTransport(ShmFabric::Make(), {}); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(ShmCalm, TransportConformance, CalmFabric);

class ShmTransportTest : public testing::Test {
 protected:
  static bool CameThroughARing(const ReceivedFrame& frame) { return TagOfRingPath(frame.from) != 0; }

  Watchdog watchdog_{std::chrono::seconds(60)};
  ShmNode sender_, receiver_;
};

// What is about the other transport, too.
class BesideZmqTest : public ShmTransportTest {
 protected:
  void SetUp() override {
    if (UnderThreadSanitizer()) GTEST_SKIP() << "libzmq is not instrumented";
  }
};

TEST_F(BesideZmqTest, WhoIsNamedIsReachedThroughSharedMemoryAndOthersAsBefore) {
  const auto fast = sender_.ConnectTo(receiver_);
  const auto ordinary = sender_.endpoint->ConnectTo(receiver_.address);
  ASSERT_EQ(fast->TrySend(NumberedFrame(1, Pattern(100000))), SendResult::kSent);
  EXPECT_EQ(fast->unreleased(), 0u);
  ASSERT_TRUE(receiver_.endpoint->PollFor(1));
  ASSERT_EQ(ordinary->TrySend(NumberedFrame(2)), SendResult::kSent);
  ASSERT_TRUE(receiver_.endpoint->PollFor(2));
  EXPECT_TRUE(CameThroughARing(receiver_.endpoint->frames[0]));
  EXPECT_FALSE(CameThroughARing(receiver_.endpoint->frames[1]));
}

TEST_F(BesideZmqTest, PeerWithoutSharedMemoryIsReachedAsBeforeWithoutALine) {
  std::vector<std::string> log;
  SetLogSink([&](Severity, const std::string& line) { log.push_back(line); });
  Endpoint plain(MakeZmqTransport({}).value());
  const Address address = plain.Listen({"127.0.0.1", 0});
  const auto link = sender_.endpoint->transport().Connect(address, RandomIncarnation()).value();
  EXPECT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  EXPECT_TRUE(plain.PollFor(1));
  SetLogSink(nullptr);
  EXPECT_EQ(log, std::vector<std::string>());
}

TEST_F(BesideZmqTest, RequiredButNotToBeHadIsAnErrorThatNamesTheVariable) {
  ShmOptions options;
  options.is_required = true;
  ShmNode strict(options);
  const Status status = strict.endpoint->transport().Connect({"127.0.0.1", 4711}, 77).status();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("DMLC_PS_VAN_TYPE=shm"), std::string::npos) << status;
  EXPECT_NE(status.message().find("127.0.0.1:4711"), std::string::npos) << status;
  EXPECT_TRUE(strict.endpoint->transport().Connect({"127.0.0.1", 4711}, 0).ok()) << "control traffic";
  const auto link = strict.ConnectTo(receiver_);
  EXPECT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  EXPECT_TRUE(receiver_.endpoint->PollFor(1));
  receiver_.endpoint = nullptr;
  EXPECT_EQ(link->TrySend(NumberedFrame(2)), SendResult::kClosed);
}

TEST_F(BesideZmqTest, WhereNobodyCanListenThereIsTheOtherTransportOrAnError) {
  std::vector<std::string> log;
  SetLogSink([&](Severity, const std::string& line) { log.push_back(line); });
  ShmOptions taken;
  taken.incarnation = receiver_.incarnation;
  const Result<std::unique_ptr<Transport>> other = MakeShmTransport(MakeZmqTransport({}).value(), taken);
  SetLogSink(nullptr);
  ASSERT_TRUE(other.ok());
  EXPECT_STREQ(other.value()->name(), "zmq");
  ASSERT_EQ(log.size(), 1u);
  EXPECT_NE(log[0].find("no shared memory"), std::string::npos) << log[0];
  taken.is_required = true;
  const Status status = MakeShmTransport(MakeZmqTransport({}).value(), taken).status();
  EXPECT_NE(status.message().find("DMLC_PS_VAN_TYPE=shm"), std::string::npos) << status;
}

TEST_F(ShmTransportTest, FullRingCallsBackThroughTheSendersPoll) {
  std::atomic<int> released{0};
  sender_.endpoint->transport().set_release_callback([&] { ++released; });
  const auto link = sender_.ConnectTo(receiver_);
  const SArray<char> payload = Pattern(1 << 20);
  size_t sent = 0;
  while (link->TrySend(NumberedFrame(sent, payload)) == SendResult::kSent) ++sent;
  EXPECT_EQ(sent, 3u) << "4 MiB, with headers";
  EXPECT_EQ(sender_.endpoint->transport().Poll(sender_.endpoint.get(), 10), 0);
  EXPECT_EQ(released, 0);
  ASSERT_TRUE(receiver_.endpoint->PollFor(sent));
  EXPECT_TRUE(sender_.endpoint->PollUntil([&] { return released > 0; }));
  EXPECT_EQ(released, 1);
  EXPECT_EQ(link->TrySend(NumberedFrame(sent, payload)), SendResult::kSent);
}

TEST_F(ShmTransportTest, LargestFrameFitsTwice) {
  ShmOptions options;
  options.max_frame_bytes = 5 << 20;
  ShmNode sender(options);
  const auto link = sender.ConnectTo(receiver_);
  for (uint64_t i = 0; i < 2; ++i)
    EXPECT_EQ(link->TrySend(NumberedFrame(i, Pattern((5 << 20) - kHeaderBytes))), SendResult::kSent);
  EXPECT_TRUE(receiver_.endpoint->PollFor(2));
  EXPECT_TRUE(CameThroughARing(receiver_.endpoint->frames[1]));
}

TEST_F(BesideZmqTest, SenderHearsOfADeadPeerInItsPollAndGoesOnAsBefore) {
  std::atomic<int> released{0};
  sender_.endpoint->transport().set_release_callback([&] { ++released; });
  const auto link = sender_.ConnectTo(receiver_);
  const int64_t before = NumDescriptors();
  receiver_.endpoint = nullptr;
  EXPECT_TRUE(sender_.endpoint->PollUntil([&] { return released > 0; }));
  EXPECT_LT(NumDescriptors(), before) << "the ring and its socket are gone before anything is sent";
  Endpoint successor(MakeZmqTransport({}).value());
  successor.Listen(receiver_.address);
  EXPECT_EQ(link->TrySend(NumberedFrame(5)), SendResult::kSent);
  EXPECT_TRUE(successor.PollFor(1));
}

TEST_F(ShmTransportTest, SleepersAreWokenEachTime) {
  constexpr int kRounds = 2000;
  ShmOptions asleep;
  asleep.spin_us = 0;
  ShmNode left(asleep), right(asleep);
  const auto there = left.ConnectTo(right);
  const auto back = right.ConnectTo(left);
  std::thread echo([&] {
    for (uint64_t i = 0; i < kRounds;) {
      const int count = right.endpoint->transport().Poll(right.endpoint.get(), -1);
      for (int n = 0; n < count; ++n) EXPECT_EQ(back->TrySend(NumberedFrame(i++)), SendResult::kSent);
    }
  });
  for (uint64_t i = 0; i < kRounds; ++i) {
    EXPECT_EQ(there->TrySend(NumberedFrame(i)), SendResult::kSent);
    while (left.endpoint->frames.size() <= i) left.endpoint->transport().Poll(left.endpoint.get(), -1);
  }
  echo.join();
}

TEST_F(BesideZmqTest, RingsThatAreBusyDoNotKeepTheOtherTransportFromBeingHeard) {
  const auto fast = sender_.ConnectTo(receiver_);
  const auto ordinary = sender_.endpoint->ConnectTo(receiver_.address);
  ASSERT_EQ(ordinary->TrySend(NumberedFrame(0, {}, 7)), SendResult::kSent);
  const auto heard = [&] {
    for (const ReceivedFrame& frame : receiver_.endpoint->frames) {
      if (frame.sender() == 7) return true;
    }
    return false;
  };
  EXPECT_TRUE(receiver_.endpoint->PollUntil([&] {
    for (uint64_t i = 0; i < 40; ++i) fast->TrySend(NumberedFrame(i));  // more than one Poll takes
    return heard();
  }));
}

TEST_F(ShmTransportTest, IdlePollUsesNoProcessor) {
  const auto link = sender_.ConnectTo(receiver_);
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  ASSERT_TRUE(receiver_.endpoint->PollFor(1));
  rusage before{}, after{};
  getrusage(RUSAGE_THREAD, &before);
  EXPECT_EQ(receiver_.endpoint->transport().Poll(receiver_.endpoint.get(), 300), 0);
  getrusage(RUSAGE_THREAD, &after);
  const auto us = [](const timeval& time) { return time.tv_sec * 1000000 + time.tv_usec; };
  const auto used = us(after.ru_utime) + us(after.ru_stime) - us(before.ru_utime) - us(before.ru_stime);
  EXPECT_LT(static_cast<double>(used), 20000 * TestTimeScale());
}

// --- peers that break the rules ---

TEST_F(ShmTransportTest, WhatIsNoRingIsCountedAndTheOthersGoOn) {
  const auto link = sender_.ConnectTo(receiver_);
  Descriptor memfd;
  const auto segment = Segment::Create(Segment::kSmallestCapacity, &memfd).value();
  const Hello lie{1, receiver_.incarnation, 2 * Segment::kSmallestCapacity, false};
  const Result<Doorbell> liar = HandOver(lie, memfd);
  ASSERT_TRUE(liar.ok());
  EXPECT_TRUE(receiver_.endpoint->PollUntil([&] { return !receiver_.endpoint->dropped.empty(); }));
  EXPECT_EQ(receiver_.endpoint->dropped, std::vector<Counter>{Counter::kRejectedHandshake});
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  EXPECT_TRUE(receiver_.endpoint->PollFor(1));
}

TEST_F(ShmTransportTest, RingInDisorderIsCountedAndTheOthersGoOn) {
  const auto link = sender_.ConnectTo(receiver_);
  Descriptor memfd;
  const auto segment = Segment::Create(Segment::kSmallestCapacity, &memfd).value();
  const Hello hello{1, receiver_.incarnation, Segment::kSmallestCapacity, false};
  const Result<Doorbell> broken = HandOver(hello, memfd);
  ASSERT_TRUE(broken.ok());
  segment->memory().control->head.store(12345);
  EXPECT_TRUE(receiver_.endpoint->PollUntil([&] { return !receiver_.endpoint->dropped.empty(); }));
  EXPECT_EQ(receiver_.endpoint->dropped, std::vector<Counter>{Counter::kRejectedMalformed});
  EXPECT_TRUE(receiver_.endpoint->PollUntil([&] { return broken.value().IsPeerGone(); }));
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  EXPECT_TRUE(receiver_.endpoint->PollFor(1));
}

TEST_F(ShmTransportTest, WriterThatRingsWithoutEndKeepsNobodyFromReturning) {
  Descriptor memfd;
  const auto segment = Segment::Create(Segment::kSmallestCapacity, &memfd).value();
  const Hello hello{1, receiver_.incarnation, Segment::kSmallestCapacity, false};
  Result<Doorbell> loud = HandOver(hello, memfd);
  ASSERT_TRUE(loud.ok());
  std::atomic<bool> stop{false};
  std::thread ringing([&] {
    while (!stop) loud.value().Ring();
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(receiver_.endpoint->transport().Poll(receiver_.endpoint.get(), 0), 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(receiver_.endpoint->transport().Poll(receiver_.endpoint.get(), 5), 0);
  stop = true;
  ringing.join();
}

TEST_F(ShmTransportTest, NothingIsLeftBehind) {
  const int64_t before = NumDescriptors();
  for (int i = 0; i < 3; ++i) {
    ShmNode left, right;
    const auto there = left.ConnectTo(right);
    const auto back = right.ConnectTo(left);
    ASSERT_EQ(there->TrySend(NumberedFrame(1)), SendResult::kSent);
    ASSERT_TRUE(right.endpoint->PollFor(1));
    ASSERT_TRUE(right.endpoint->transport().Reply(right.endpoint->frames[0].from, NumberedFrame(2)).ok());
    ASSERT_TRUE(left.endpoint->PollFor(1));
  }
  EXPECT_EQ(NumDescriptors(), before);
}

}  // namespace
}  // namespace ps
