#include "van/leader.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/version.h"
#include "message/node_id.h"
#include "tests/support/fake_link.h"

namespace ps {
namespace {

using Texts = std::vector<std::string>;

class RecordingHost : public LeaderHost {
 public:
  void SendAnswer(const Coordinator::Answer& answer) override {
    events.push_back("answer " + std::to_string(static_cast<int>(answer.step)));
  }
  void SendControl(int node, Control::Command command, SArray<char>) override {
    events.push_back("to " + std::to_string(node) + ": " + std::to_string(command));
  }
  void AskForLife(int node) override { events.push_back("ask " + std::to_string(node)); }
  void AcceptRoster(const Roster& roster) override {
    events.push_back("roster of " + std::to_string(roster.nodes.size()));
  }
  void OnReleased(const BarrierNotice&) override { events.push_back("released"); }
  void OnLost(const Node& node, const Status& why) override {
    events.push_back("lost " + std::to_string(node.id));
    reason = why.message();
  }
  void LogLife(const std::string&) const override {}

  Texts Take() {
    Texts taken;
    taken.swap(events);
    return taken;
  }

  Texts events;
  std::string reason;
};

// Addresses answer what the test says.
class AskedTransport : public FakeTransport {
 public:
  class Check : public ReachCheck {
   public:
    explicit Check(State state) : state_(state) {}
    State Look() override { return state_; }

   private:
    const State state_;
  };
  std::unique_ptr<ReachCheck> StartCheck(const Address& peer) const override {
    asked.push_back(peer.ToString());
    return std::make_unique<Check>(state);
  }

  ReachCheck::State state = ReachCheck::State::kPending;
  mutable Texts asked;
};

std::string To(int node, Control::Command command) {
  return "to " + std::to_string(node) + ": " + std::to_string(command);
}

class LeaderTest : public testing::Test {
 protected:
  LeaderTest() {
    config_.role = Role::kScheduler;
    config_.num_workers = 1;
    config_.num_servers = 1;
    Node scheduler;
    scheduler.role = Node::SCHEDULER;
    scheduler.id = kSchedulerId;
    scheduler.incarnation = 1;
    leader_ = std::make_unique<Leader>(config_, scheduler, &host_, &transport_, &counters_);
  }

  void Register(Node::Role role, uint64_t incarnation) {
    Registration registration;
    registration.node.role = role;
    registration.node.hostname = "10.0.0.5";
    registration.node.port = static_cast<int>(incarnation);
    registration.node.incarnation = incarnation;
    registration.num_workers = 1;
    registration.num_servers = 1;
    registration.protocol = kProtocolVersion;
    leader_->OnRegister(registration, "path");
  }
  void RegisterAll() {
    Register(Node::SERVER, 8000);
    Register(Node::WORKER, 9000);
    host_.Take();
  }

  Config config_;
  RecordingHost host_;
  AskedTransport transport_;
  Counters counters_;
  std::unique_ptr<Leader> leader_;
};

TEST_F(LeaderTest, TheRosterGoesToItselfFirstAndThenToAll) {
  Register(Node::SERVER, 8000);
  EXPECT_EQ(host_.Take(), (Texts{"answer 2"}));
  Register(Node::WORKER, 9000);
  EXPECT_EQ(host_.Take(),
            (Texts{"answer 2", "roster of 3", To(8, Control::ADD_NODE), To(9, Control::ADD_NODE)}));
}

TEST_F(LeaderTest, AfterTheEndOfTheJobApplicantsAreAskedToWait) {
  RegisterAll();
  Register(Node::WORKER, 9001);
  leader_->OnEnd("the end");
  Register(Node::WORKER, 9002);
  EXPECT_EQ(host_.Take(), (Texts{"answer 2", "answer 2", "answer 2"}));
}

TEST_F(LeaderTest, ItsOwnReleaseComesLast) {
  RegisterAll();
  BarrierNotice notice;
  notice.group = 7;
  notice.round = 1;
  for (int node : {1, 9, 8}) leader_->OnBarrier(node, notice);
  EXPECT_EQ(host_.Take(), (Texts{To(8, Control::BARRIER), To(9, Control::BARRIER), "released"}));
}

TEST_F(LeaderTest, EverybodyIsToldOfALossAlsoWhoIsLost) {
  RegisterAll();
  leader_->OnLeave(9, "lost its power");
  EXPECT_EQ(host_.Take(), (Texts{To(9, Control::NODE_LOST), To(8, Control::NODE_LOST), "lost 9"}));
  EXPECT_EQ(counters_.Get(Counter::kNodesLost), 1u);
  leader_->OnLeave(9, "again");
  EXPECT_TRUE(host_.Take().empty());
}

TEST_F(LeaderTest, ANodeWithoutAConnectionAndWithoutAListenerIsLost) {
  RegisterAll();
  leader_->OnConnectionClosed(9, "path of 9");
  EXPECT_EQ(transport_.asked, (Texts{"10.0.0.5:9000"}));
  EXPECT_EQ(host_.Take(), (Texts{"ask 9"})) << "it may be alive";
  EXPECT_LE(leader_->NextDue(), Clock::Real().NowMs());
  leader_->OnTimer();
  EXPECT_TRUE(host_.Take().empty()) << "no answer yet";
  transport_.state = ReachCheck::State::kRefused;
  leader_->OnConnectionClosed(9, "another path of 9");
  leader_->OnTimer();
  EXPECT_EQ(host_.Take(), (Texts{"ask 9", To(9, Control::NODE_LOST), To(8, Control::NODE_LOST), "lost 9"}));
  EXPECT_NE(host_.reason.find("its connection has closed and nobody listens at its address"),
            std::string::npos)
      << host_.reason;
}

TEST(LeaderShrinkTest, EverybodyHearsOfTwoThatAreLostAtOnce) {
  Config config;
  config.num_workers = 3;
  config.num_servers = 0;
  config.on_node_lost = OnNodeLost::kShrink;
  Node scheduler;
  scheduler.role = Node::SCHEDULER;
  scheduler.id = kSchedulerId;
  RecordingHost host;
  AskedTransport transport;
  Counters counters;
  Leader leader(config, scheduler, &host, &transport, &counters);
  for (uint64_t incarnation : {100, 101, 102}) {
    Registration registration;
    registration.node.role = Node::WORKER;
    registration.node.hostname = "10.0.0.5";
    registration.node.port = static_cast<int>(incarnation);
    registration.node.incarnation = incarnation;
    registration.num_workers = 3;
    registration.protocol = kProtocolVersion;
    leader.OnRegister(registration, "path");
  }
  transport.state = ReachCheck::State::kRefused;
  leader.OnConnectionClosed(11, "path of 11");
  leader.OnConnectionClosed(13, "path of 13");
  host.Take();
  leader.OnTimer();
  const Texts events = host.Take();
  // The first loss is told, and the roster without it, before the second one is decided.
  EXPECT_EQ(events, (Texts{To(11, Control::NODE_LOST), To(9, Control::NODE_LOST), To(13, Control::NODE_LOST),
                           "lost 11", "roster of 3", To(9, Control::ADD_NODE), To(13, Control::ADD_NODE),
                           To(13, Control::NODE_LOST), To(9, Control::NODE_LOST), "lost 13", "roster of 2",
                           To(9, Control::ADD_NODE)}));
}

TEST_F(LeaderTest, ASuccessorIsFirstToldWhoItIs) {
  RegisterAll();
  leader_->OnLeave(8, "lost its power");
  leader_->OnLeave(9, "lost its power");
  host_.Take();
  Register(Node::WORKER, 9001);
  EXPECT_EQ(host_.Take(), (Texts{"answer 2", "roster of 3", To(8, Control::ADD_NODE),
                                 To(9, Control::ADD_NODE), To(9, Control::NODE_LOST)}));
}

TEST_F(LeaderTest, ConnectionsOfStrangersAreNobodysBusiness) {
  RegisterAll();
  leader_->OnConnectionClosed(0, "path of a stranger");
  leader_->OnConnectionClosed(77, "path of nobody");
  EXPECT_TRUE(transport_.asked.empty());
  EXPECT_TRUE(host_.Take().empty());
}

TEST_F(LeaderTest, WaitingForTheEndOfAllEndsWhenTheyAreGoneOrWhenToldSo) {
  RegisterAll();
  EXPECT_FALSE(leader_->WaitAllGone(Clock::Real().NowMs() + 1));
  leader_->OnLeave(8, "");
  leader_->OnLeave(9, "");
  EXPECT_TRUE(leader_->WaitAllGone(Clock::Real().NowMs() + 1));
  EXPECT_EQ(leader_->Silent(1, Clock::Real().NowMs() + 1000), (std::vector<int>{}))
      << "who left is not watched";
}

}  // namespace
}  // namespace ps
