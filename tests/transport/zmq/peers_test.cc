// Peers that are none: what they can make a transport hold, and that they are told of.
#include "transport/zmq/peers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/memory.h"
#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"
#include "tests/transport/zmq/raw_peer.h"
#include "transport/zmq/zmq_transport.h"

namespace ps {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

class PeersTest : public testing::Test {
 protected:
  PeersTest() : receiver_(MakeZmqTransport(ZmqOptions()).value()) {
    receiver_.trusting = false;
    address_ = receiver_.Listen({"127.0.0.1", 0});
  }

  // Lets `hostile` run beside the receiver; by how much the process grew at most, in kB.
  int64_t GrowthWhile(const std::function<void()>& hostile) {
    ForgetPeak();
    const int64_t before_kb = ResidentKb();
    std::atomic<bool> done{false};
    std::thread peer([&] {
      hostile();
      done = true;
      receiver_->Wake();
    });
    while (!done) receiver_.transport().Poll(&receiver_, -1);
    peer.join();
    const int64_t grown_kb = PeakKb() - before_kb;
    std::printf("memory grew by %d kB\n", static_cast<int>(grown_kb));
    return UnderSanitizer() ? 0 : grown_kb;
  }

  Watchdog watchdog_{std::chrono::seconds(100)};
  Endpoint receiver_;
  Address address_;
};

TEST_F(PeersTest, MessageThatNeverEndsIsCutOffAndCounted) {
  const std::string part(64 << 10, 'x');
  uint64_t sent = 0;
  const int64_t grown_kb = GrowthWhile([&] {
    RawZmtpClient peer(address_);
    while (sent < kGiB / 4 && peer.SendPart(part, true)) sent += part.size();
  });
  PS_FIGURE("R10", "a message that never ends was cut off after " << (sent >> 10) << " kB, memory grew by "
                                                                  << grown_kb << " kB");
  EXPECT_LT(sent, kGiB / 4);
  EXPECT_LT(grown_kb, 64 << 10);
  EXPECT_TRUE(receiver_.PollUntil([&] { return receiver_.NumDropped(Counter::kRejectedSize) == 1; }));
  EXPECT_TRUE(receiver_.frames.empty());
}

TEST_F(PeersTest, MessageThatEndsInManySmallPartsIsCutOffToo) {
  std::string parts;
  while (parts.size() < 100000) parts += std::string("\1\0", 2);  // empty, and more follows
  uint64_t sent = 0;
  const int64_t grown_kb = GrowthWhile([&] {
    RawZmtpClient peer(address_);
    while (sent < kGiB / 64 && peer.Send(parts)) sent += parts.size();
  });
  EXPECT_LT(sent, kGiB / 4);
  // An empty part costs the library 64 bytes.
  EXPECT_LT(grown_kb, 512 << 10);
}

TEST_F(PeersTest, MoreThanIsHeldOfStrangersPassesInMessagesThatEnd) {
  constexpr size_t kFrames = 40;
  const SArray<char> payload = Pattern(1 << 20);
  Endpoint sender(MakeZmqTransport(ZmqOptions()).value());
  const auto link = sender.ConnectTo(address_);
  for (uint64_t i = 0; i < kFrames; ++i)
    ASSERT_EQ(Endpoint::SendFully(link.get(), NumberedFrame(i, payload), &receiver_), SendResult::kSent);
  ASSERT_TRUE(receiver_.PollFor(kFrames)) << receiver_.frames.size() << " of them, "
                                          << receiver_.NumDropped(Counter::kRejectedSize) << " cut off";
  EXPECT_TRUE(receiver_.dropped.empty());
  EXPECT_TRUE(receiver_.closed.empty());
}

TEST_F(PeersTest, MemberMayTakeItsTime) {
  // Trusted by its first frame, it is measured no more, whatever it sends.
  receiver_.trusting = true;
  RawZmtpClient peer(address_);
  ASSERT_TRUE(peer.SendPart(std::string(kHeaderBytes, 'h'), false));
  ASSERT_TRUE(receiver_.PollFor(1));
  std::thread sender([&] {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(peer.SendPart(std::string(1 << 20, 'x'), true));
    EXPECT_TRUE(peer.SendPart("", false));
    EXPECT_TRUE(peer.SendPart(std::string(kHeaderBytes, 'h'), false));
  });
  EXPECT_TRUE(receiver_.PollFor(2));
  sender.join();
  EXPECT_EQ(receiver_.dropped, std::vector<Counter>{Counter::kRejectedMalformed});
}

TEST_F(PeersTest, ClaimedSizesAreRefusedBeforeAllocation) {
  const int64_t grown_kb = GrowthWhile([&] {
    for (int bits = 21; bits < 64; ++bits) {
      RawZmtpClient peer(address_);
      peer.Send(RawZmtpClient::PartHead(uint64_t{1} << bits, false));
      peer.AwaitEnd();
    }
  });
  PS_FIGURE("R10", "claims of 2^21 to 2^63 bytes: memory grew by " << grown_kb << " kB");
  EXPECT_LT(grown_kb, 1024);
  EXPECT_TRUE(receiver_.frames.empty());
}

TEST_F(PeersTest, FloodOfFramesIsReadOrCutOff) {
  // Each looks like a frame; the receiver takes its time to look at them.
  const uint64_t most = LongForms() ? 8 * kGiB : kGiB;
  const std::string frame = RawZmtpClient::PartHead(kHeaderBytes, true) + std::string(kHeaderBytes, 'h') +
                            RawZmtpClient::PartHead(1 << 20, false) + std::string(1 << 20, 'x');
  uint64_t sent = 0;
  receiver_.on_frame = [&](const ReceivedFrame&) { receiver_.frames.clear(); };
  const int64_t grown_kb = GrowthWhile([&] {
    RawZmtpClient peer(address_);
    while (sent < most && peer.Send(frame)) sent += frame.size();
  });
  PS_FIGURE("R10",
            (sent >> 20) << " MB of frames nobody wanted: memory grew by " << (grown_kb >> 10) << " MB");
  EXPECT_TRUE(sent >= most ||
              receiver_.PollUntil([&] { return receiver_.NumDropped(Counter::kRejectedSize) == 1; }));
  EXPECT_LT(grown_kb, 256 << 10);
}

TEST_F(PeersTest, WhoDoesNotSpeakTheProtocolIsCountedAndWhoSaysNothingIsToo) {
  const std::vector<std::string> noises = {
      "GET / HTTP/1.1\r\nHost: here\r\n\r\n",
      std::string("\x16\3\1\2\0\1\0\1\xfc\3\3", 11) + std::string(500, 't'), "SSH-2.0-OpenSSH_9.2\r\n",
      std::string(1000, '\xff'), std::string(100, '\0')};
  for (const std::string& noise : noises) {
    RawTcpClient client(address_);
    client.Send(noise);
    const int so_far = receiver_.NumDropped(Counter::kRejectedHandshake);
    EXPECT_TRUE(receiver_.PollUntil([&] {
      return receiver_.NumDropped(Counter::kRejectedHandshake) > so_far;
    })) << noise;
  }
  EXPECT_EQ(receiver_.dropped.size(), noises.size());
  for (int i = 0; i < 20; ++i) RawTcpClient client(address_);
  EXPECT_TRUE(receiver_.PollUntil([&] { return receiver_.NumDropped(Counter::kSilentConnections) == 20; }));
  EXPECT_TRUE(receiver_.frames.empty());
}

}  // namespace
}  // namespace ps
