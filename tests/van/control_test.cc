#include "van/control.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "van/delivery.h"

namespace ps {
namespace {

Node NodeOf(int id, Node::Role role) {
  Node node;
  node.role = role;
  node.id = id;
  node.customer_id = 2;
  node.hostname = "fe80::1";
  node.port = 65535;
  node.incarnation = 0xfedcba9876543210u + static_cast<uint64_t>(id);
  return node;
}

Registration ValidRegistration() {
  Registration value;
  value.node = NodeOf(Node::kEmpty, Node::WORKER);
  value.num_workers = 3;
  value.num_servers = 65535;
  value.key_bits = 64;
  value.protocol = 1;
  value.rank_wish = 2;
  value.previous_rank = -1;
  value.node_key = std::string("pod-1\0\xff", 7);
  value.fixed_port = true;
  value.chunk_bytes = 4096;
  value.start_barrier = false;
  return value;
}

Roster ValidRoster() {
  Roster value;
  value.epoch = 3;
  value.job_id = ~uint64_t{0};
  value.settings = {1000, 10000, OnNodeLost::kShrink, 8192, 60000};
  value.nodes = {NodeOf(1, Node::SCHEDULER), NodeOf(8, Node::SERVER), NodeOf(9, Node::WORKER)};
  value.nodes[2].is_recovery = true;
  return value;
}

// Each change must turn what decodes into kInvalidArgument.
template <typename T>
void ExpectEachRefused(const T& valid, SArray<char> (*encode)(const T&),
                       Result<T> (*decode)(const SArray<char>&),
                       const std::vector<std::function<void(T*)>>& changes) {
  ASSERT_TRUE(decode(encode(valid)).ok());
  for (size_t i = 0; i < changes.size(); ++i) {
    T changed = valid;
    changes[i](&changed);
    EXPECT_EQ(decode(encode(changed)).status().code(), StatusCode::kInvalidArgument) << "change " << i;
  }
}

TEST(ControlTest, RegistrationsComeBackAsTheyWere) {
  const Registration value = ValidRegistration();
  const Result<Registration> back = DecodeRegistration(EncodeRegistration(value));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(back.value() == value);
}

TEST(ControlTest, RostersComeBackAsTheyWere) {
  const Roster value = ValidRoster();
  const Result<Roster> back = DecodeRoster(EncodeRoster(value));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(back.value() == value);
}

TEST(ControlTest, NoticesBarriersAndDeparturesComeBackAsTheyWere) {
  const Result<Notice> notice = DecodeNotice(EncodeNotice({StatusCode::kAlreadyExists, "why", 42}));
  ASSERT_TRUE(notice.ok());
  EXPECT_EQ(notice.value().code, StatusCode::kAlreadyExists);
  EXPECT_EQ(notice.value().text, "why");
  EXPECT_EQ(notice.value().scheduler_incarnation, 42u);
  const Result<BarrierNotice> barrier =
      DecodeBarrier(EncodeBarrier({5, ~uint64_t{0}, 600000, true, StatusCode::kDeadlineExceeded, "late"}));
  ASSERT_TRUE(barrier.ok());
  EXPECT_EQ(barrier.value().group, 5);
  EXPECT_EQ(barrier.value().round, ~uint64_t{0});
  EXPECT_EQ(barrier.value().timeout_ms, 600000);
  EXPECT_TRUE(barrier.value().is_final);
  EXPECT_EQ(barrier.value().code, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(barrier.value().text, "late");
  const Result<Departure> departure = DecodeDeparture(EncodeDeparture({9, 7, "silent for 10 s"}));
  ASSERT_TRUE(departure.ok());
  EXPECT_EQ(departure.value().node_id, 9);
  EXPECT_EQ(departure.value().incarnation, 7u);
  EXPECT_EQ(departure.value().reason, "silent for 10 s");
}

TEST(ControlTest, AnEmptyNoticeIsOne) {
  const Result<Notice> notice = DecodeNotice(SArray<char>());
  ASSERT_TRUE(notice.ok());
  EXPECT_EQ(notice.value().code, StatusCode::kOk);
}

TEST(ControlTest, RegistrationsWithAnythingImpossibleAreRefused) {
  ExpectEachRefused<Registration>(
      ValidRegistration(), EncodeRegistration, DecodeRegistration,
      {[](Registration* r) { r->node.role = Node::SCHEDULER; },
       [](Registration* r) { r->node.hostname = ""; },
       [](Registration* r) { r->node.hostname = std::string(256, 'a'); },
       [](Registration* r) { r->node.hostname = "a b"; }, [](Registration* r) { r->node.hostname = "a\n"; },
       [](Registration* r) { r->node.port = 0; }, [](Registration* r) { r->node.port = 65536; },
       [](Registration* r) { r->node.port = Node::kEmpty; }, [](Registration* r) { r->node.port = -1; },
       [](Registration* r) { r->node.incarnation = 0; }, [](Registration* r) { r->num_workers = -1; },
       [](Registration* r) { r->num_workers = 65536; }, [](Registration* r) { r->num_servers = 65536; }});
}

TEST(ControlTest, AnUnknownRoleIsRefused) {
  SArray<char> bytes = EncodeRegistration(ValidRegistration());
  // The node comes first, and in it the role: tag and length, tag and value.
  ASSERT_EQ(bytes[2], 0x08);
  ASSERT_EQ(bytes[3], Node::WORKER);
  ASSERT_TRUE(DecodeRegistration(bytes).ok());
  bytes[3] = 7;
  EXPECT_NE(DecodeRegistration(bytes).status().message().find("role"), std::string::npos);
}

TEST(ControlTest, RostersWithAnythingImpossibleAreRefused) {
  ExpectEachRefused<Roster>(
      ValidRoster(), EncodeRoster, DecodeRoster,
      {[](Roster* r) { r->nodes.clear(); }, [](Roster* r) { r->nodes.erase(r->nodes.begin()); },
       [](Roster* r) { r->nodes[1].id = 9; }, [](Roster* r) { r->nodes[1].id = 4; },
       [](Roster* r) { r->nodes[1].id = -8; }, [](Roster* r) { r->nodes[1].id = Node::kEmpty; },
       [](Roster* r) { r->nodes[1].id = 140000; }, [](Roster* r) { r->nodes[1].role = Node::WORKER; },
       [](Roster* r) { r->nodes.push_back(r->nodes[1]); },
       [](Roster* r) { r->nodes[1].incarnation = r->nodes[2].incarnation; },
       [](Roster* r) { r->nodes[1].port = 70000; }, [](Roster* r) { r->settings.heartbeat_interval_ms = -1; },
       [](Roster* r) { r->settings.heartbeat_timeout_ms = -1; },
       [](Roster* r) { r->settings.on_node_lost = static_cast<OnNodeLost>(3); }});
}

TEST(ControlTest, BarriersNoticesAndDeparturesWithAnythingImpossibleAreRefused) {
  ExpectEachRefused<BarrierNotice>(
      {7, 1, 0, false, StatusCode::kOk, ""}, EncodeBarrier, DecodeBarrier,
      {[](BarrierNotice* b) { b->group = 0; }, [](BarrierNotice* b) { b->group = 8; },
       [](BarrierNotice* b) { b->group = 1000000; }, [](BarrierNotice* b) { b->group = -1; },
       [](BarrierNotice* b) { b->round = 0; }, [](BarrierNotice* b) { b->timeout_ms = -1; },
       [](BarrierNotice* b) { b->code = static_cast<StatusCode>(10); }});
  ExpectEachRefused<Notice>({StatusCode::kOk, "", 0}, EncodeNotice, DecodeNotice,
                            {[](Notice* n) { n->code = static_cast<StatusCode>(200); }});
  ExpectEachRefused<Departure>(
      {8, 1, ""}, EncodeDeparture, DecodeDeparture,
      {[](Departure* d) { d->node_id = 0; }, [](Departure* d) { d->node_id = 7; },
       [](Departure* d) { d->node_id = 1 << 30; }, [](Departure* d) { d->incarnation = 0; }});
}

TEST(ControlTest, ARosterOfTheLargestJobDecodes) {
  Roster value = ValidRoster();
  value.nodes.resize(1);
  for (int id = 8; id < 8 + 2 * 65535; ++id) {
    value.nodes.push_back(NodeOf(id, id % 2 == 0 ? Node::SERVER : Node::WORKER));
  }
  const Result<Roster> back = DecodeRoster(EncodeRoster(value));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back.value().nodes.size(), 131071u);
}

TEST(ControlTest, TextsAreCut) {
  const std::string text(100000, 'x');
  EXPECT_EQ(DecodeNotice(EncodeNotice({StatusCode::kOk, text, 0})).value().text.size(), 4096u);
  EXPECT_EQ(DecodeDeparture(EncodeDeparture({8, 1, text})).value().reason.size(), 4096u);
  Registration registration = ValidRegistration();
  registration.node_key = text;
  EXPECT_EQ(DecodeRegistration(EncodeRegistration(registration)).value().node_key.size(), 4096u);
}

TEST(ControlTest, AnswersCarryTheirRanges) {
  const std::vector<SeqRange> held = {{2, 2}, {4, 900}, {902, ~uint64_t{0}}};
  const Result<std::vector<SeqRange>> back = DecodeHave(EncodeHave(held));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value(), held);
  EXPECT_TRUE(DecodeHave(EncodeHave({})).value().empty());
}

TEST(ControlTest, TheWorstWindowFitsIntoAnAnswer) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  for (uint64_t i = 2; i <= kDeliveryWindow; i += 2) receiver.Accept(i, Frame(), &ready);
  EXPECT_EQ(receiver.Held().size(), kMaxHaveRanges);
  EXPECT_EQ(DecodeHave(EncodeHave(receiver.Held())).value(), receiver.Held());
}

TEST(ControlTest, RangesOutOfOrderOrTooManyAreRefused) {
  EXPECT_FALSE(DecodeHave(EncodeHave({{0, 3}})).ok());
  EXPECT_FALSE(DecodeHave(EncodeHave({{5, 4}})).ok());
  EXPECT_FALSE(DecodeHave(EncodeHave({{5, 6}, {6, 7}})).ok());
  EXPECT_FALSE(DecodeHave(EncodeHave({{5, 6}, {2, 3}})).ok());
  EXPECT_FALSE(DecodeHave(SArray<char>(15)).ok());
  EXPECT_FALSE(DecodeHave(SArray<char>(16 * (kMaxHaveRanges + 1))).ok());
}

TEST(ControlTest, NoBytesEndTheProcess) {
  constexpr uint32_t kSeed = 4711;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::vector<SArray<char>> valid = {EncodeRegistration(ValidRegistration()),
                                           EncodeRoster(ValidRoster())};
  for (int run = 0; run < 20000; ++run) {
    SArray<char> bytes;
    bytes.CopyFrom(valid[run % 2]);
    for (uint32_t n = random() % 4; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    bytes = bytes.segment(0, random() % 3 == 0 ? random() % bytes.size() : bytes.size());
    const Result<Registration> registration = DecodeRegistration(bytes);
    EXPECT_TRUE(!registration.ok() || DecodeRegistration(EncodeRegistration(registration.value())).ok());
    const Result<Roster> roster = DecodeRoster(bytes);
    EXPECT_TRUE(!roster.ok() || DecodeRoster(EncodeRoster(roster.value())).ok());
    for (const Status& status : {DecodeNotice(bytes).status(), DecodeBarrier(bytes).status(),
                                 DecodeDeparture(bytes).status(), DecodeHave(bytes).status()}) {
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument);
    }
  }
}

}  // namespace
}  // namespace ps
