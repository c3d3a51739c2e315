#include "transport/zmq/zmq_transport.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/memory.h"
#include "tests/support/transport_conformance.h"
#include "tests/transport/zmq/raw_peer.h"
#include "transport/zmq/socket.h"

namespace ps {
namespace {

std::unique_ptr<Transport> MakeZmq(ZmqOptions options = {}) {
  Result<std::unique_ptr<Transport>> transport = MakeZmqTransport(options);
  EXPECT_TRUE(transport.ok()) << transport.status();
  return std::move(transport).value();
}

std::unique_ptr<Transport> MakeRoomyZmq() {
  ZmqOptions options;
  options.max_message_bytes = 16 << 20;
  return MakeZmq(options);
}

struct V4Fabric {
  std::unique_ptr<Transport> Make() { return MakeRoomyZmq(); }
  Address AnyPort() const { return {"127.0.0.1", 0}; }
  std::string unavailable() const { return ""; }
};

struct V6Fabric {
  std::unique_ptr<Transport> Make() { return MakeRoomyZmq(); }
  Address AnyPort() const { return {"::1", 0}; }
  std::string unavailable() const {
    return MakeRoomyZmq()->Bind(AnyPort()).ok() ? "" : "this machine has no IPv6 loopback address ::1";
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(V4, TransportConformance, V4Fabric);
INSTANTIATE_TYPED_TEST_SUITE_P(V6, TransportConformance, V6Fabric);

// CPU time of all threads, the library's too.
int64_t ProcessCpuUs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * int64_t{1000000} + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

class ZmqTransportTest : public testing::Test {
 protected:
  ZmqTransportTest() {
    ZmqOptions options;
    receiver_ = std::make_unique<Endpoint>(MakeZmq(options));
    address_ = receiver_->Listen({"127.0.0.1", 0});
  }

  // True if a well-behaved peer is still heard.
  bool StillWorks() {
    Endpoint sender(MakeZmq());
    const auto link = sender.ConnectTo(address_);
    const size_t before = receiver_->frames.size();
    return link->TrySend(NumberedFrame(1, Pattern(10000))) == SendResult::kSent &&
           receiver_->PollFor(before + 1);
  }

  Watchdog watchdog_{std::chrono::seconds(60)};
  std::unique_ptr<Endpoint> receiver_;
  Address address_;
};

TEST_F(ZmqTransportTest, MultipartsThatAreNoFramesAreDroppedAndCounted) {
  const std::string head(kHeaderBytes, 'h');
  const std::vector<std::vector<std::string>> malformed = {{""},
                                                           {"x"},
                                                           {head.substr(1)},
                                                           {"", head},
                                                           {head.substr(1), "payload"},
                                                           {head, "1", "2", "3", "4", "5"},
                                                           {head + "inline", "1", "2", "3", "4"},
                                                           std::vector<std::string>(1000, "x"),
                                                           std::vector<std::string>(1000, head)};
  RawZmqPeer peer(address_);
  for (const auto& parts : malformed) peer.Send(parts);
  EXPECT_TRUE(receiver_->PollUntil([&] { return receiver_->dropped.size() >= malformed.size(); }));
  EXPECT_EQ(receiver_->NumDropped(Counter::kRejectedMalformed), static_cast<int>(malformed.size()));
  EXPECT_TRUE(receiver_->frames.empty());
  peer.Send({head, "", "a", "", "b"});
  ASSERT_TRUE(receiver_->PollFor(1));
  EXPECT_EQ(receiver_->frames[0].payload, "ab");
  EXPECT_TRUE(StillWorks());
}

TEST_F(ZmqTransportTest, BytesThatAreNotZeroMqAreIgnored) {
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(10000, '\xff'),
                                   std::string(64, '\0'), std::string()}) {
    RawTcpClient client(address_);
    client.Send(bytes);
  }
  EXPECT_TRUE(StillWorks());
  EXPECT_EQ(receiver_->frames.size(), 1u);
}

TEST_F(ZmqTransportTest, PartsBeyondTheLimitEndTheConnectionOnly) {
  RawZmqPeer peer(address_);
  peer.Send({std::string(kHeaderBytes, 'h'), std::string((1 << 20) + 1000, 'x')});
  EXPECT_TRUE(StillWorks());
  EXPECT_EQ(receiver_->frames.size(), 1u);
}

TEST_F(ZmqTransportTest, PeerThatDoesNotSpeakZeroMqDoesNoHarm) {
  RawTcpServer server(
      "HTTP/1.1 400 Bad "
      "Request\r\n\r\n............................................................................");
  const auto link = receiver_->ConnectTo(server.address());
  const SArray<char> payload = Pattern(5000);
  for (int round = 0; round < 5; ++round) {
    server.ServeOne();
    EXPECT_TRUE(receiver_->PollUntil([&] {
      const SendResult result = link->TrySend(NumberedFrame(1, payload));
      EXPECT_NE(result, SendResult::kClosed);
      return server.Served();
    }));
  }
  link->Close();
  EXPECT_TRUE(receiver_->PollUntil([&] { return payload.ptr().use_count() == 1; }));
  EXPECT_TRUE(StillWorks());
}

TEST_F(ZmqTransportTest, LargePiecesAreLentAndSmallOnesCopied) {
  Endpoint sender(MakeZmq());
  const auto link = sender.ConnectTo({"127.0.0.1", 1});  // nobody is there
  const SArray<char> small = Pattern(4096);
  const SArray<char> large = Pattern(4097);
  ASSERT_EQ(link->TrySend(NumberedFrame(1, small)), SendResult::kSent);
  EXPECT_EQ(small.ptr().use_count(), 1);
  EXPECT_EQ(link->unreleased(), 0u);
  ASSERT_EQ(link->TrySend(NumberedFrame(2, large)), SendResult::kSent);
  EXPECT_EQ(large.ptr().use_count(), 2);
  EXPECT_EQ(link->unreleased(), 1u);
  for (int i = 0; i < 7; ++i) ASSERT_EQ(link->TrySend(NumberedFrame(2, large)), SendResult::kSent);
  EXPECT_EQ(link->TrySend(NumberedFrame(3, large)), SendResult::kFull);
  EXPECT_EQ(link->TrySend(NumberedFrame(4, small)), SendResult::kSent)
      << "what is copied is not bounded here";
}

TEST_F(ZmqTransportTest, BindErrorsNameAddressReasonAndRemedy) {
  Endpoint other(MakeZmq());
  const std::string taken = other->Bind(address_).status().message();
  for (const std::string& word :
       {address_.ToString(), std::string("Address already in use"), std::string("DMLC_PS_ROOT_PORT")}) {
    EXPECT_NE(taken.find(word), std::string::npos) << taken;
  }
  const std::string foreign = other->Bind({"192.0.2.1", 0}).status().message();
  EXPECT_NE(foreign.find("192.0.2.1:0"), std::string::npos) << foreign;
  EXPECT_NE(foreign.find("DMLC_NODE_HOST"), std::string::npos) << foreign;
}

TEST_F(ZmqTransportTest, NamesAreResolvedAndWhatIsNoneIsNamed) {
  Endpoint other(MakeZmq());
  const Address named = other.Listen({"localhost", 0});
  EXPECT_EQ(named.host, "localhost");
  const auto link = receiver_->ConnectTo(named);
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  EXPECT_TRUE(other.PollFor(1));
  const Status status = other->Connect({"no name", 80}).status();
  EXPECT_NE(status.message().find("no name"), std::string::npos) << status;
}

TEST_F(ZmqTransportTest, UnixSocketsHaveNamesInsteadOfPorts) {
  const Address name{"@ps-zmq-test-" + std::to_string(getpid()), 0};
  auto listener = std::make_unique<Endpoint>(MakeZmq());
  EXPECT_EQ(listener->Listen(name), name);
  Endpoint late(MakeZmq());
  const Status taken = late->Bind(name).status();
  EXPECT_EQ(taken.code(), StatusCode::kUnavailable);
  EXPECT_NE(taken.message().find(name.host), std::string::npos) << taken;
  const auto link = receiver_->ConnectTo(name);
  ASSERT_EQ(link->TrySend(NumberedFrame(1, Pattern(100000))), SendResult::kSent);
  ASSERT_TRUE(listener->PollFor(1));
  EXPECT_EQ(listener->frames[0].payload, Text(Pattern(100000)));
  ASSERT_TRUE((*listener)->Reply(listener->frames[0].from, NumberedFrame(2)).ok());
  EXPECT_TRUE(receiver_->PollFor(1));
  EXPECT_EQ((*receiver_)->StartCheck(name)->Look(), ReachCheck::State::kAccepts);
  EXPECT_EQ((*receiver_)->Probe(name), kAcceptsButDoesNotAnswer);
  link->Close();
  EXPECT_TRUE(listener->PollUntilClosed(listener->frames[0].from));
  listener.reset();
  EXPECT_EQ((*receiver_)->StartCheck(name)->Look(), ReachCheck::State::kRefused);
  EXPECT_EQ(late.Listen(name), name) << "nothing is left behind";
}

TEST_F(ZmqTransportTest, RepliesAreHeardWhileAnotherThreadSends) {
  // Sending takes in the signal of a reply now and then; the sleeping poller must be told all the same.
  receiver_->on_frame = [&](const ReceivedFrame& frame) {
    if (frame.number() != 1) return;
    EXPECT_TRUE((*receiver_)->Reply(frame.from, NumberedFrame(2)).ok());
  };
  Endpoint sender(MakeZmq());
  const auto link = sender.ConnectTo(address_);
  std::atomic<bool> done{false};
  std::thread noise([&] {
    while (!done) {
      link->TrySend(NumberedFrame(0));
      std::this_thread::yield();
    }
  });
  std::thread server([&] {
    while (!done) receiver_->transport().Poll(receiver_.get(), 5);
  });
  for (size_t round = 1; round <= 300; ++round) {
    ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
    while (sender.frames.size() < round) sender.transport().Poll(&sender, -1);
  }
  done = true;
  noise.join();
  server.join();
}

TEST_F(ZmqTransportTest, ManyLinksAreHeardAndCostNothingWhileIdle) {
  constexpr int kLinks = 100;
  Endpoint sender(MakeZmq());
  std::vector<std::unique_ptr<Link>> links;
  for (int i = 0; i < kLinks; ++i) {
    links.push_back(sender.ConnectTo(address_));
    ASSERT_EQ(links.back()->TrySend(NumberedFrame(i)), SendResult::kSent);
  }
  ASSERT_TRUE(receiver_->PollFor(kLinks));
  for (const ReceivedFrame& frame : receiver_->frames)
    ASSERT_TRUE((*receiver_)->Reply(frame.from, NumberedFrame(frame.number())).ok());
  ASSERT_TRUE(sender.PollFor(kLinks));
  const int64_t before_us = ProcessCpuUs();
  EXPECT_EQ(sender.transport().Poll(&sender, 300), 0);
  EXPECT_LT(ProcessCpuUs() - before_us, 60000 * TestTimeScale());
}

TEST_F(ZmqTransportTest, PeersThatBreakOffWithoutAWordAreTold) {
  // A process that is killed closes its connections; what it had begun to send is gone.
  auto peer = std::make_unique<RawZmqPeer>(address_);
  peer->Send({std::string(kHeaderBytes, 'h')});
  ASSERT_TRUE(receiver_->PollFor(1));
  peer->Send({std::string(kHeaderBytes, 'h'), std::string(100000, 'x')});
  peer.reset();
  EXPECT_TRUE(receiver_->PollUntilClosed(receiver_->frames[0].from));
  EXPECT_EQ(receiver_->closed.size(), 1u);
}

TEST_F(ZmqTransportTest, OpeningAndClosingLeavesNothingBehind) {
  constexpr int kRounds = 1000;
  int64_t descriptors = 0;
  int64_t resident_kb = 0;
  for (int i = 0; i < kRounds + 100; ++i) {
    if (i == 100) {
      descriptors = NumDescriptors();
      resident_kb = ResidentKb();
    }
    Endpoint listener(MakeZmq());
    Endpoint sender(MakeZmq());
    const auto link = sender.ConnectTo(listener.Listen({"127.0.0.1", 0}));
    ASSERT_EQ(link->TrySend(NumberedFrame(i)), SendResult::kSent);
    ASSERT_TRUE(listener.PollFor(1));
  }
  const int64_t grown_kb = ResidentKb() - resident_kb;
  std::printf("%d transports opened and closed: memory %+d kB\n", 2 * kRounds, static_cast<int>(grown_kb));
  EXPECT_EQ(NumDescriptors(), descriptors);
  EXPECT_TRUE(UnderSanitizer() || grown_kb < 1024);
}

}  // namespace
}  // namespace ps
