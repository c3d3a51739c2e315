#include "van/route_table.h"

#include <gtest/gtest.h>

#include "tests/support/fake_link.h"

namespace ps {
namespace {

class RouteTableTest : public testing::Test {
 protected:
  static Node NodeOf(int id, uint64_t incarnation) {
    Node node;
    node.role = Node::SERVER;
    node.id = id;
    node.hostname = "10.0.0.1";
    node.port = 4000 + id;
    node.incarnation = incarnation;
    return node;
  }
  static Roster RosterOf(const std::vector<Node>& nodes) {
    Roster roster;
    roster.nodes = nodes;
    return roster;
  }

  Identity self_{Node::WORKER, 0};
  Counters counters_;
  FakeTransport transport_;
  RouteTable table_{RouteHost{&self_, &counters_, [](int64_t) {}, RouteSettings()}, &transport_};
};

TEST_F(RouteTableTest, OpensARouteWhenItIsFirstAskedFor) {
  EXPECT_TRUE(table_.SetRoster(RosterOf({NodeOf(8, 1), NodeOf(10, 2)})).empty());
  EXPECT_TRUE(transport_.connected.empty());
  EXPECT_EQ(table_.Find(8), nullptr);
  const std::shared_ptr<Route> route = table_.For(8).value();
  EXPECT_EQ(route->peer().id, 8);
  EXPECT_EQ(transport_.connected, (std::vector<std::string>{"10.0.0.1:4008"}));
  EXPECT_EQ(table_.For(8).value(), route);
  EXPECT_EQ(table_.Find(8), route);
  EXPECT_EQ(table_.All().size(), 1u);
}

TEST_F(RouteTableTest, TheFastWayFindsWhatTheOthersFind) {
  (void)table_.SetRoster(RosterOf({NodeOf(8, 1), NodeOf(5000, 2)}));
  Status error;
  for (const int id : {8, 5000}) {
    EXPECT_EQ(table_.Look(id), nullptr);
    Route* const route = table_.Reach(id, &error);
    EXPECT_EQ(route, table_.For(id).value().get());
    EXPECT_EQ(table_.Reach(id, &error), route);
    EXPECT_EQ(table_.Look(id), route);
  }
  (void)table_.SetRoster(RosterOf({NodeOf(8, 77)}));
  EXPECT_EQ(table_.Look(8), nullptr) << "another life";
  EXPECT_EQ(table_.Reach(8, &error)->peer().incarnation, 77u);
  for (const int id : {5000, 10, -1}) {
    EXPECT_EQ(table_.Reach(id, &error), nullptr);
    EXPECT_EQ(error.code(), StatusCode::kNotFound);
    EXPECT_EQ(table_.Look(id), nullptr);
  }
}

TEST_F(RouteTableTest, NamesAnIdTheRosterDoesNotHave) {
  EXPECT_EQ(table_.For(42).status(), Status::NotFound("node 42 doesn't exist"));
}

TEST_F(RouteTableTest, FastWaysAreForDataOnly) {
  Node scheduler = NodeOf(1, 5);
  scheduler.role = Node::SCHEDULER;
  Node worker = NodeOf(9, 6);
  worker.role = Node::WORKER;
  (void)table_.SetRoster(RosterOf({scheduler, NodeOf(8, 7), worker}));
  for (const int id : {1, 8, 9}) ASSERT_TRUE(table_.For(id).ok());
  EXPECT_EQ(transport_.incarnations, (std::vector<uint64_t>{0, 7, 6}));

  const Identity boss(Node::SCHEDULER, 0);
  FakeTransport transport;
  RouteTable of_scheduler(RouteHost{&boss, &counters_, [](int64_t) {}, RouteSettings()}, &transport);
  (void)of_scheduler.SetRoster(RosterOf({NodeOf(8, 7)}));
  ASSERT_TRUE(of_scheduler.For(8).ok());
  EXPECT_EQ(transport.incarnations, std::vector<uint64_t>{0});
}

TEST_F(RouteTableTest, ANewRosterTakesOutWhoIsGoneOrNew) {
  (void)table_.SetRoster(RosterOf({NodeOf(8, 1), NodeOf(10, 2), NodeOf(12, 3)}));
  const std::shared_ptr<Route> stays = table_.For(8).value();
  const std::shared_ptr<Route> restarted = table_.For(10).value();
  const std::shared_ptr<Route> gone = table_.For(12).value();
  const std::vector<std::shared_ptr<Route>> out = table_.SetRoster(RosterOf({NodeOf(8, 1), NodeOf(10, 77)}));
  EXPECT_EQ(out, (std::vector<std::shared_ptr<Route>>{restarted, gone}));
  EXPECT_EQ(table_.Find(8), stays);
  EXPECT_EQ(table_.For(10).value()->peer().incarnation, 77u);
  EXPECT_FALSE(table_.For(12).ok());
}

TEST_F(RouteTableTest, WhoWasTakenOutStaysUntilNothingRefersToItsMemory) {
  (void)table_.SetRoster(RosterOf({NodeOf(8, 1)}));
  const std::shared_ptr<FakeWire> wire = transport_.WireTo("10.0.0.1:4008");
  const std::shared_ptr<Route> old = table_.For(8).value();
  Outgoing message;
  message.header.kind = FrameKind::kData;
  message.header.flags = kFlagRequest | kFlagHasBlocks;
  message.blocks[kBlockVals] = SArray<char>(10, 'x');
  message.header.block_bytes[kBlockVals] = 10;
  ASSERT_TRUE(old->Send(&message, SendOptions()).ok());
  wire->HoldWhenClosed();
  for (const auto& route : table_.SetRoster(RosterOf({NodeOf(8, 2)}))) {
    EXPECT_TRUE(route->Close(Status::Unavailable("was replaced")).empty()) << "not yet";
  }
  table_.Reap();
  EXPECT_TRUE(table_.All().empty());
  EXPECT_EQ(table_.AllAndRetired(), (std::vector<std::shared_ptr<Route>>{old}));
  EXPECT_TRUE(table_.HoldsMemory(NodeOf(8, 1)));
  EXPECT_FALSE(table_.HoldsMemory(NodeOf(8, 2)));
  wire->LetGo();
  table_.Reap();
  std::vector<Undelivered> told;
  for (const auto& route : table_.AllAndRetired()) route->OnTimer(0, &told);
  EXPECT_EQ(told.size(), 1u) << "its report is not forgotten";
  table_.Reap();
  EXPECT_TRUE(table_.AllAndRetired().empty());
}

}  // namespace
}  // namespace ps
