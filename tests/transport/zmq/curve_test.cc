#include "transport/zmq/curve.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/log_capture.h"
#include "tests/support/transport_conformance.h"
#include "tests/transport/zmq/tcp_relay.h"
#include "transport/zmq/zmq_transport.h"

namespace ps {
namespace {

// The example pair of CurveZMQ's reference.
const KeyPair kExample{"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
                       "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"};

std::unique_ptr<Transport> MakeWith(const std::optional<KeyPair>& keys) {
  ZmqOptions options;
  options.max_message_bytes = 16 << 20;
  options.keys = keys;
  Result<std::unique_ptr<Transport>> transport = MakeZmqTransport(options);
  EXPECT_TRUE(transport.ok()) << transport.status();
  return std::move(transport).value();
}

KeyPair NewPair() {
  const Result<KeyPair> keys = MakeKeyPair();
  EXPECT_TRUE(keys.ok()) << keys.status();
  return keys.ok() ? keys.value() : KeyPair();
}

// With keys a transport promises all that it promises without.
struct CurveFabric {
  const KeyPair keys = NewPair();
  std::unique_ptr<Transport> Make() { return MakeWith(keys); }
  Address AnyPort() const { return {"127.0.0.1", 0}; }
  std::string unavailable() const { return CheckCurve().message(); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Curve, TransportConformance, CurveFabric);

TEST(CurveKeysTest, APairIsNewEachTimeAndBelongsTogether) {
  const KeyPair one = NewPair();
  const KeyPair two = NewPair();
  EXPECT_NE(one.secret_key, two.secret_key);
  EXPECT_NE(one.public_key, two.public_key);
  EXPECT_TRUE(CheckKeyPair(one).ok());
  EXPECT_TRUE(CheckKeyPair(kExample).ok());
  EXPECT_EQ(CheckKeyPair({two.public_key, one.secret_key}),
            Status::InvalidArgument("job.pub is not the public key of job.key"));
}

TEST(CurveKeysTest, WhatIsNoKeyIsRefused) {
  for (const std::string& text :
       {std::string(), std::string(39, 'a'), std::string(41, 'a'), std::string(40, '"')}) {
    EXPECT_EQ(KeyBytes(text).status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(CheckKeyPair({text, kExample.secret_key}).code(), StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(CheckKeyPair({kExample.public_key, text}).code(), StatusCode::kInvalidArgument) << text;
  }
  // The first bytes of the example, from the reference.
  EXPECT_EQ(KeyBytes(kExample.public_key).value().substr(0, 4), "\x54\xfc\xba\x24");
}

TEST(CurveKeysTest, ALibraryWithoutCurveIsNamed) {
  EXPECT_TRUE(CheckCurve(true).ok());
  const Status status = CheckCurve(false);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  for (const char* word : {"PS_CURVE_DIR", "libzmq", "CURVE"}) {
    EXPECT_NE(status.message().find(word), std::string::npos) << status;
  }
}

class CurveTest : public testing::Test {
 protected:
  CurveTest() : receiver_(MakeWith(keys_)), address_(receiver_.Listen({"127.0.0.1", 0})) {}

  // Sends from a transport with `keys`, then from a member; true if only the member's frame came.
  bool OnlyTheMemberIsHeard(const std::optional<KeyPair>& keys) {
    Endpoint stranger(MakeWith(keys));
    const auto forged = stranger.ConnectTo(address_);
    Endpoint member(MakeWith(keys_));
    const auto link = member.ConnectTo(address_);
    for (uint64_t i = 0; i < kRounds; ++i) {
      (void)forged->TrySend(NumberedFrame(666));
      (void)link->TrySend(NumberedFrame(i));
      if (!receiver_.PollFor(i + 1)) return false;
    }
    bool only = receiver_.frames.size() == kRounds;
    for (const ReceivedFrame& frame : receiver_.frames) only = only && frame.number() < kRounds;
    return only;
  }

  static constexpr uint64_t kRounds = 50;
  Watchdog watchdog_{std::chrono::seconds(60)};
  const KeyPair keys_ = NewPair();
  Endpoint receiver_;
  Address address_;
};

TEST_F(CurveTest, WhoHasNoKeysIsNotHeard) { EXPECT_TRUE(OnlyTheMemberIsHeard(std::nullopt)); }

TEST_F(CurveTest, WhoHasAnotherPairIsNotHeard) { EXPECT_TRUE(OnlyTheMemberIsHeard(NewPair())); }

// It can speak to us, but it is not one of us.
TEST_F(CurveTest, WhoKnowsThePublicKeyOnlyIsTurnedAwayAndNamed) {
  LogCapture log;
  const KeyPair own = NewPair();
  Result<std::shared_ptr<ZmqContext>> context = ZmqContext::Make(1);
  ASSERT_TRUE(context.ok());
  Result<std::unique_ptr<ZmqSocket>> socket = ZmqSocket::Open(*context.value(), ZMQ_DEALER);
  ASSERT_TRUE(socket.ok());
  ZmqSocket& stranger = *socket.value();
  ASSERT_TRUE(stranger.SetText(ZMQ_CURVE_SERVERKEY, keys_.public_key).ok());
  ASSERT_TRUE(stranger.SetText(ZMQ_CURVE_PUBLICKEY, own.public_key).ok());
  ASSERT_TRUE(stranger.SetText(ZMQ_CURVE_SECRETKEY, own.secret_key).ok());
  ASSERT_EQ(stranger.Connect("tcp://" + address_.ToString()), 0);
  const Frame frame = NumberedFrame(666);
  ZmqMessage message(frame.head.data(), frame.head.size());
  EXPECT_EQ(stranger.Send(&message, false), IoResult::kDone);
  EXPECT_TRUE(receiver_.PollUntil([&] { return log.Count("refused a connection from 127.0.0.1") > 0; }));
  EXPECT_TRUE(receiver_.frames.empty());
  EXPECT_EQ(log.Count("PS_CURVE_DIR"), 1);
  EXPECT_TRUE(OnlyTheMemberIsHeard(std::nullopt));
}

// The other way round: what listens has no keys, or others.
TEST_F(CurveTest, NothingIsSentToWhoDoesNotHaveTheKeys) {
  for (const std::optional<KeyPair>& keys : {std::optional<KeyPair>(), std::optional<KeyPair>(NewPair())}) {
    Endpoint foreign(MakeWith(keys));
    const Address address = foreign.Listen({"127.0.0.1", 0});
    Endpoint member(MakeWith(keys_));
    const auto wrong = member.ConnectTo(address);
    const auto right = member.ConnectTo(address_);
    receiver_.frames.clear();
    for (uint64_t i = 0; i < kRounds; ++i) {
      (void)wrong->TrySend(NumberedFrame(i));
      (void)right->TrySend(NumberedFrame(i));
      ASSERT_TRUE(receiver_.PollFor(i + 1));
      foreign->Poll(&foreign, 0);
    }
    EXPECT_TRUE(foreign.frames.empty());
  }
}

TEST(CurveWireTest, WithKeysWhatTravelsCannotBeRead) {
  Watchdog watchdog(std::chrono::seconds(60));
  const std::string secret = "the gradient of layer 7";
  SArray<char> payload;
  payload.CopyFrom(secret.data(), secret.size());
  for (const bool with_keys : {false, true}) {
    const std::optional<KeyPair> keys = with_keys ? std::optional<KeyPair>(NewPair()) : std::nullopt;
    auto receiver = std::make_unique<Endpoint>(MakeWith(keys));
    TcpRelay relay(receiver->Listen({"127.0.0.1", 0}));
    {
      Endpoint sender(MakeWith(keys));
      const auto link = sender.ConnectTo(relay.address());
      for (uint64_t i = 0; i < 5; ++i) EXPECT_EQ(link->TrySend(NumberedFrame(i, payload)), SendResult::kSent);
      ASSERT_TRUE(receiver->PollFor(5));
      ASSERT_TRUE(receiver->transport().Reply(receiver->frames[0].from, NumberedFrame(9, payload)).ok());
      ASSERT_TRUE(sender.PollFor(1));
      EXPECT_EQ(sender.frames[0].payload, secret);
    }
    const std::string& seen = relay.Seen();
    EXPECT_GT(seen.size(), 6 * secret.size());
    EXPECT_EQ(seen.find(secret) == std::string::npos, with_keys);
    EXPECT_EQ(seen.find(std::string(16, '\xa5')) == std::string::npos, with_keys) << "headers";
  }
}

TEST_F(CurveTest, AProbeSpeaksOfTheKeys) {
  EXPECT_NE(MakeWith(keys_)->Probe(address_).find("other keys than those of PS_CURVE_DIR"),
            std::string::npos);
  EXPECT_NE(MakeWith(std::nullopt)->Probe(address_).find("the keys of a PS_CURVE_DIR"), std::string::npos);
}

TEST_F(CurveTest, WhatIsNoPairIsRefusedWhenTheTransportIsMade) {
  ZmqOptions options;
  options.keys = KeyPair{"no key", "no key"};
  EXPECT_FALSE(MakeZmqTransport(options).ok());
}

}  // namespace
}  // namespace ps
