#include "van/inbound.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/version.h"
#include "message/node_id.h"
#include "tests/support/inbound_recorder.h"
#include "tests/support/log_capture.h"
#include "tests/support/route_pair.h"

namespace ps {
namespace {

class InboundTest : public testing::Test {
 protected:
  InboundTest() : self_(Node::SERVER, 0), peer_(Node::WORKER, 9) {
    self_.SetId(8, false);
    RouteSettings settings;
    settings.chunk_bytes = 100;
    settings.max_message_bytes = 1000;
    host_ = RouteHost{&self_, &counters_, [](int64_t) {}, settings};
    routes_ = std::make_unique<RouteTable>(host_, &transport_);
    UseToken("");
    Node node = self_.node();
    node.hostname = "here";
    node.port = 1;
    peer_route_ =
        std::make_unique<Route>(RouteHost{&peer_.self, &peer_.counters, [](int64_t) {}, RouteSettings()},
                                node, [this]() -> Result<std::unique_ptr<Link>> {
                                  return std::unique_ptr<Link>(std::make_unique<FakeLink>(peer_.wire));
                                });
    roster_.nodes = {self_.node(), peer_.self.node()};
  }

  void UseToken(const std::string& token) {
    handshake_ = std::make_unique<Handshake>(self_.incarnation(), token, Digest{1});
    inbound_ = std::make_unique<Inbound>(
        Inbound::Host{&self_, handshake_.get(), routes_.get(), &recorder_, &counters_}, bounds_);
  }
  Registration RegistrationOfPeer() const {
    Registration registration;
    registration.node.role = Node::WORKER;
    registration.node.hostname = "10.0.0.7";
    registration.node.port = 99;
    registration.node.incarnation = peer_.self.incarnation();
    registration.num_workers = 1;
    registration.protocol = kProtocolVersion;
    return registration;
  }
  Handshake PeerWith(const std::string& token) const {
    return Handshake(peer_.self.incarnation(), token, Digest{2});
  }
  void KnowAll() {
    (void)routes_->SetRoster(roster_);
    inbound_->SetRoster(roster_);
  }
  void SendToPeer(Outgoing message) { ASSERT_TRUE(peer_route_->Send(&message, SendOptions()).ok()); }
  void Receive() {
    for (Frame frame; peer_.wire->Take(&frame);) inbound_->OnFrame(std::move(frame), "path");
  }
  static Frame FrameOf(Header header, const SArray<char>& body = {}) {
    header.block_bytes[kBlockBody] = body.size();
    header.chunk_length = static_cast<uint32_t>(body.size());
    Frame frame;
    frame.head = EncodeHeader(header);
    frame.parts[0] = body;
    return frame;
  }
  Header HandshakeOf(HandshakeStep step, bool reply) const {
    Header header;
    header.kind = FrameKind::kHandshake;
    header.head = static_cast<int32_t>(step);
    header.flags = reply ? kFlagReply : 0;
    header.sender_incarnation = peer_.self.incarnation();
    return header;
  }

  Inbound::Bounds bounds_{3, 10000};
  Identity self_;
  RouteEnd peer_;
  Counters counters_;
  FakeTransport transport_;
  RouteHost host_;
  InboundRecorder recorder_;
  std::unique_ptr<RouteTable> routes_;
  std::unique_ptr<Handshake> handshake_;
  std::unique_ptr<Inbound> inbound_;
  std::unique_ptr<Route> peer_route_;
  Roster roster_;
};

using Texts = std::vector<std::string>;

TEST_F(InboundTest, HandsUpDataAndControlOfWhoIsInTheRoster) {
  KnowAll();
  SendToPeer(RequestOf(5));
  Outgoing control;
  control.header.kind = FrameKind::kControl;
  control.header.head = Control::BARRIER;
  control.blocks[kBlockBody] = BytesOf("body");
  control.header.block_bytes[kBlockBody] = 4;
  SendToPeer(std::move(control));
  Receive();
  EXPECT_EQ(recorder_.events, (Texts{"data 9 5", "control 9 " + std::to_string(Control::BARRIER) + " body"}));
  EXPECT_EQ(recorder_.signs, (std::vector<int>{9, 9})) << "any frame is a sign of life";
}

TEST_F(InboundTest, AMessageThatCanNotBeHandedUpDoesNotTakeLaterOnesWithIt) {
  const LogCapture log;
  KnowAll();
  for (int i = 1; i <= 3; ++i) SendToPeer(RequestOf(i));
  std::vector<Frame> frames(3);
  for (Frame& frame : frames) ASSERT_TRUE(peer_.wire->Take(&frame));
  recorder_.on_data = [&, count = 0]() mutable {
    if (++count == 2) throw std::bad_alloc();
  };
  for (const size_t i : {1u, 2u, 0u}) inbound_->OnFrame(frames[i].DeepCopy(), "path");
  EXPECT_EQ(recorder_.events, (Texts{"data 9 1", "data 9 2", "data 9 3"})) << "all are acknowledged";
  EXPECT_EQ(log.Count("a received message was dropped"), 1);
}

TEST_F(InboundTest, SmallDataOfABatchIsHandedOnTogetherAndBeforeAllElse) {
  KnowAll();
  inbound_->BeginBatch();
  for (int i = 1; i <= 3; ++i) SendToPeer(RequestOf(i));
  Receive();
  EXPECT_EQ(recorder_.events.size(), 3u);
  EXPECT_EQ(recorder_.num_ends, 0);
  Outgoing control;
  control.header.kind = FrameKind::kControl;
  control.header.head = Control::BARRIER;
  recorder_.on_control = [&] { EXPECT_EQ(recorder_.num_ends, 1); };
  SendToPeer(std::move(control));
  Receive();
  EXPECT_EQ(recorder_.num_ends, 1);
  SendToPeer(RequestOf(4));
  Receive();
  inbound_->EndBatch();
  EXPECT_EQ(recorder_.num_ends, 2);
  SendToPeer(RequestOf(5));
  Receive();
  EXPECT_EQ(recorder_.num_ends, 3) << "alone it waits for nothing";
  inbound_->EndBatch();
  EXPECT_EQ(recorder_.num_ends, 3);
}

TEST_F(InboundTest, ParksWhatComesBeforeTheRosterAsCopies) {
  LentMemory lent(10);
  SendToPeer(DataOf(true, 1, lent.bytes));
  SendToPeer(RequestOf(2));
  Receive();
  EXPECT_TRUE(recorder_.events.empty());
  EXPECT_EQ(counters_.Get(Counter::kParkedMessages), 2u);
  lent.bytes = SArray<char>();
  (void)peer_route_->Close(Status::Unavailable("gone"));
  EXPECT_FALSE(*lent.alive);
  KnowAll();
  peer_route_->SendBare(FrameKind::kHeartbeat);
  Receive();
  EXPECT_EQ(recorder_.events, (Texts{"data 9 1", "data 9 2"})) << "at the end of the next frame";
  EXPECT_EQ(recorder_.num_to_answer, 1);
}

TEST_F(InboundTest, WhatIsParkedIsBounded) {
  for (int i = 0; i < 5; ++i) SendToPeer(RequestOf(i));
  Receive();
  EXPECT_EQ(counters_.Get(Counter::kParkedMessages), 3u);
  EXPECT_EQ(counters_.Get(Counter::kRejectedOverflow), 2u);
}

TEST_F(InboundTest, ARosterAcceptedInAMessageReplaysWhatWaitedForIt) {
  SendToPeer(RequestOf(1));
  Receive();
  Node scheduler = self_.node();
  scheduler.role = Node::SCHEDULER;
  scheduler.id = kSchedulerId;
  scheduler.incarnation = 4242;
  Roster alone;
  alone.nodes = {scheduler};
  (void)routes_->SetRoster(alone);
  inbound_->AdmitScheduler(4242);
  recorder_.on_control = [&] {
    roster_.nodes.push_back(scheduler);
    KnowAll();
  };
  Header header;
  header.kind = FrameKind::kControl;
  header.head = Control::ADD_NODE;
  header.sender = kSchedulerId;
  header.sender_incarnation = 4242;
  header.receiver_incarnation = self_.incarnation();
  header.sequence = 1;
  inbound_->OnFrame(FrameOf(header), "path");
  EXPECT_EQ(recorder_.events.size(), 2u);
  EXPECT_EQ(recorder_.events.back(), "data 9 1");
}

TEST_F(InboundTest, AFencedIncarnationIsDropped) {
  KnowAll();
  inbound_->Fence(peer_.self.node());
  SendToPeer(RequestOf(1));
  Receive();
  EXPECT_TRUE(recorder_.events.empty());
  EXPECT_EQ(counters_.Get(Counter::kRejectedStale), 1u);
  ASSERT_EQ(recorder_.fenced.size(), 1u);
  EXPECT_EQ(recorder_.fenced[0].first, peer_.self.incarnation());
  EXPECT_EQ(recorder_.fenced[0].second, "path") << "the answer goes back the same way";
}

TEST_F(InboundTest, OnlyAMemberOfTheJobCanSayThatThisNodeWasDeclaredLost) {
  const SArray<char> notice = EncodeNotice({StatusCode::kUnavailable, "server 0 is lost", 0});
  UseToken("the token");
  KnowAll();
  const auto say = [&](const std::string& token, uint64_t to) {
    inbound_->OnFrame(PeerWith(token).Answer(HandshakeStep::kFenced, to, notice), "path");
  };
  say("the token", self_.incarnation() + 1);
  EXPECT_EQ(counters_.Get(Counter::kRejectedStranger), 1u);
  say("a guess", self_.incarnation());
  say("", self_.incarnation());
  EXPECT_EQ(counters_.Get(Counter::kRejectedToken), 2u);
  for (const std::string& event : recorder_.events)
    EXPECT_EQ(event.find("notice"), std::string::npos) << event;
  recorder_.events.clear();
  say("the token", self_.incarnation());
  EXPECT_EQ(recorder_.events, (Texts{"notice 5 server 0 is lost"}));
}

TEST_F(InboundTest, RegistrationsPassFromAnybody) {
  Registration registration = RegistrationOfPeer();
  inbound_->OnFrame(FrameOf(HandshakeOf(HandshakeStep::kRegister, false), EncodeRegistration(registration)),
                    "path");
  EXPECT_EQ(recorder_.events, (Texts{"register 10.0.0.7 from path"}));
  registration.node.incarnation += 1;
  inbound_->OnFrame(FrameOf(HandshakeOf(HandshakeStep::kRegister, false), EncodeRegistration(registration)),
                    "path");
  EXPECT_EQ(counters_.Get(Counter::kRejectedMalformed), 1u) << "it speaks of another than it is";
}

TEST_F(InboundTest, OnlyWhoWasAskedCanAnswer) {
  const SArray<char> notice = EncodeNotice({StatusCode::kInvalidArgument, "go away", 0});
  Header header = HandshakeOf(HandshakeStep::kReject, true);
  inbound_->OnFrame(FrameOf(header, notice), "path");
  EXPECT_TRUE(recorder_.events.empty());
  EXPECT_EQ(counters_.Get(Counter::kRejectedStranger), 1u);
  header.receiver_incarnation = self_.incarnation();
  inbound_->OnFrame(FrameOf(header, notice), "path");
  EXPECT_EQ(recorder_.events, (Texts{"notice 3 go away"}));
}

TEST_F(InboundTest, WithATokenAnApplicantProvesItFirst) {
  UseToken("secret");
  const SArray<char> registration = EncodeRegistration(RegistrationOfPeer());
  const Handshake peer = PeerWith("secret");
  inbound_->OnFrame(peer.Register(registration, {}), "path");
  EXPECT_EQ(recorder_.events, (Texts{"challenge 10.0.0.7 at path"}));
  inbound_->OnFrame(peer.Register(registration, recorder_.nonce), "path");
  EXPECT_EQ(recorder_.events.back(), "register 10.0.0.7 from path");
  EXPECT_EQ(counters_.RejectedFrames(), 0u);
}

TEST_F(InboundTest, AnApplicantOfAnotherJobIsCountedAndNotRegistered) {
  UseToken("secret");
  const SArray<char> registration = EncodeRegistration(RegistrationOfPeer());
  inbound_->OnFrame(PeerWith("").Register(registration, {}), "path");
  inbound_->OnFrame(PeerWith("other").Register(registration, {}), "path");
  inbound_->OnFrame(PeerWith("other").Register(registration, recorder_.nonce), "path");
  EXPECT_EQ(recorder_.events,
            (Texts{"refuse 10.0.0.7 at path", "challenge 10.0.0.7 at path", "refuse 10.0.0.7 at path"}));
  EXPECT_EQ(counters_.Get(Counter::kRejectedToken), 2u);
}

TEST_F(InboundTest, AnAnswerFromAnotherJobIsToldUntilThisJobHasAnswered) {
  UseToken("secret");
  const SArray<char> notice = EncodeNotice({StatusCode::kOk, "wait", 0});
  const Frame foreign = PeerWith("other").Answer(HandshakeStep::kReject, self_.incarnation(), notice);
  inbound_->OnFrame(foreign.DeepCopy(), "path");
  EXPECT_EQ(recorder_.events, (Texts{"foreign: PS_JOB_TOKEN differs"}));
  inbound_->OnFrame(PeerWith("secret").Answer(HandshakeStep::kWaiting, self_.incarnation(), notice), "path");
  EXPECT_EQ(recorder_.events.back(), "notice 2 wait");
  inbound_->OnFrame(foreign.DeepCopy(), "path");
  EXPECT_EQ(recorder_.events.size(), 2u) << "the scheduler is known";
  EXPECT_EQ(counters_.Get(Counter::kRejectedToken), 2u);
}

TEST_F(InboundTest, AChallengeIsHandedUp) {
  UseToken("secret");
  Handshake::Judgement judgement;
  judgement.verdict = Handshake::Verdict::kChallenge;
  judgement.nonce = Digest{7};
  inbound_->OnFrame(PeerWith("secret").AnswerUnproven(judgement, self_.incarnation()), "path");
  EXPECT_EQ(recorder_.events, (Texts{"challenged"}));
  EXPECT_TRUE(SameDigest(recorder_.nonce, Digest{7}));
}

TEST_F(InboundTest, CountsWhatIsNoFrameByReason) {
  Frame noise;
  noise.head.fill(0x47);
  inbound_->OnFrame(std::move(noise), "path");
  Header header = HandshakeOf(HandshakeStep::kRegister, false);
  inbound_->OnFrame(FrameOf(header, BytesOf("no protobuf")), "path");
  Frame longer = FrameOf(header, BytesOf("12345"));
  longer.parts[1] = BytesOf("more");
  inbound_->OnFrame(std::move(longer), "path");
  Header stranger;
  stranger.kind = FrameKind::kAck;
  stranger.sender = 9;
  stranger.sender_incarnation = 5;
  stranger.receiver_incarnation = 6;
  inbound_->OnFrame(FrameOf(stranger), "path");
  EXPECT_EQ(counters_.Get(Counter::kRejectedMagic), 1u);
  EXPECT_EQ(counters_.Get(Counter::kRejectedMalformed), 1u);
  EXPECT_EQ(counters_.Get(Counter::kRejectedSize), 1u);
  EXPECT_EQ(counters_.Get(Counter::kRejectedStranger), 1u);
  EXPECT_EQ(counters_.Get(Counter::kReceivedFrames), 4u);
  EXPECT_TRUE(recorder_.events.empty());
}

TEST_F(InboundTest, WhatTheTransportDropsIsCountedAndOneLineTellsOfAllRejections) {
  LogCapture log;
  for (int i = 0; i < 100; ++i) inbound_->OnDropped(Counter::kRejectedHandshake);
  inbound_->OnDropped(Counter::kSilentConnections);
  inbound_->OnDropped(Counter::kDroppedForTest);
  EXPECT_EQ(counters_.Get(Counter::kRejectedHandshake), 100u);
  EXPECT_EQ(counters_.Get(Counter::kSilentConnections), 1u);
  EXPECT_EQ(counters_.Get(Counter::kDroppedForTest), 1u);
  // A second has hardly passed.
  EXPECT_GE(
      log.Count("WARNING S[8]: rejected 1 frames or connections that are not of this job (handshake 1)"), 1);
  EXPECT_LE(log.lines().size(), 5u);
}

TEST_F(InboundTest, OnlyAFrameOfAMemberVouchesForItsConnection) {
  const Header stranger = HandshakeOf(HandshakeStep::kRegister, false);
  inbound_->OnFrame(FrameOf(stranger, BytesOf("no protobuf")), "path");
  EXPECT_FALSE(inbound_->IsFromMember());
  KnowAll();
  SendToPeer(RequestOf(1, "x"));
  Receive();
  EXPECT_TRUE(inbound_->IsFromMember());
  inbound_->OnFrame(FrameOf(stranger, BytesOf("no protobuf")), "path");
  EXPECT_FALSE(inbound_->IsFromMember());
}

TEST_F(InboundTest, ARefusedMessageIsHandedUpWithItsStatus) {
  KnowAll();
  SendToPeer(RequestOf(1, std::string(2000, 'x')));
  Receive();
  EXPECT_EQ(recorder_.events, (Texts{"data 9 1 refused"}));
}

TEST_F(InboundTest, TellsWhoseConnectionHasClosed) {
  inbound_->WatchConnections();
  KnowAll();
  SendToPeer(RequestOf(5));
  Receive();
  recorder_.events.clear();
  inbound_->OnPeerClosed("a stranger");
  inbound_->OnPeerClosed("path");
  inbound_->OnPeerClosed("path");
  EXPECT_EQ(recorder_.events, (Texts{"closed 0 a stranger", "closed 9 path", "closed 0 path"}));
}

TEST_F(InboundTest, AConnectionIsNobodysUntilItsNodeIsAdmitted) {
  inbound_->WatchConnections();
  SendToPeer(RequestOf(5));
  Receive();
  inbound_->OnPeerClosed("path");
  EXPECT_EQ(recorder_.events, (Texts{"closed 0 path"}));
}

}  // namespace
}  // namespace ps
