// Nodes that can reach some of the others and not all: R13 with the link to one peer cut, in this process.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/clock.h"
#include "tests/support/fake_mailbox.h"
#include "tests/support/severed_transport.h"
#include "tests/support/van_node.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// A scheduler, a server and a worker; the links of the last two can be cut.
class SeveredTest : public testing::Test {
 protected:
  SeveredTest() {
    cluster_.config.heartbeat_interval_ms = 20;
    cluster_.config.heartbeat_timeout_ms = static_cast<int>(500 * TestTimeScale());
    cluster_.config.barrier_timeout_ms = 600000;
  }
  void StartAll() {
    scheduler_ = cluster_.Add(Role::kScheduler);
    server_ = cluster_.Add(Role::kServer, Wrap(server_cut_));
    worker_ = cluster_.Add(Role::kWorker, Wrap(worker_cut_));
    cluster_.Start();
    for (const auto& node : cluster_.nodes) ASSERT_TRUE(node->started.ok()) << node->started;
  }
  static WrapTransport Wrap(const std::shared_ptr<Cut>& cut) {
    return [cut](std::unique_ptr<Transport> inner) {
      return std::unique_ptr<Transport>(std::make_unique<SeveredTransport>(std::move(inner), cut));
    };
  }
  static void ExpectSaysLost(const Status& outcome, const std::string& who, const std::string& teller) {
    EXPECT_EQ(outcome.code(), StatusCode::kUnavailable) << outcome;
    EXPECT_EQ(outcome.message().rfind(who + " (id ", 0), 0u) << outcome;
    EXPECT_NE(outcome.message().find("is lost: silent for "), std::string::npos) << outcome;
    EXPECT_NE(outcome.message().find("; said by " + teller), std::string::npos) << outcome;
  }

  Watchdog watchdog_;
  VanCluster cluster_{1, 1};
  const std::shared_ptr<Cut> server_cut_ = std::make_shared<Cut>();
  const std::shared_ptr<Cut> worker_cut_ = std::make_shared<Cut>();
  VanNode* scheduler_ = nullptr;
  VanNode* server_ = nullptr;
  VanNode* worker_ = nullptr;
};

// The server has its request and does not answer; nothing else is said between the two. Without the server's
// word it would wait for PS_BARRIER_TIMEOUT.
TEST_F(SeveredTest, AWorkerCutOffFromTheSchedulerHearsFromAServerThatItWasGivenUp) {
  StartAll();
  ASSERT_TRUE(worker_->van.Send(RequestTo(8, 3, 4, 1), SendOptions()).ok());
  server_->sink.WaitForMessages(1);
  worker_cut_->Make(scheduler_->van.state().node);
  // Of the scheduler's silence, of the server, of the scheduler.
  const std::vector<std::string> notes = worker_->sink.WaitForNotes(3);
  EXPECT_NE(notes[0].find("gone 1: the scheduler"), std::string::npos) << notes[0];
  bool server_gone = false;
  for (const std::string& note : notes) {
    if (note.rfind("gone 8: worker 0 (id 9", 0) == 0) server_gone = true;
  }
  EXPECT_TRUE(server_gone) << notes[1] << "; " << notes[2];
  ExpectSaysLost(worker_->van.Barrier(4, 600000, false), "worker 0", "server 0 (id 8");
  ExpectSaysLost(worker_->van.Send(RequestTo(8, 3, 4, 2), SendOptions()), "worker 0", "server 0 (id 8");
}

TEST_F(SeveredTest, AServerCutOffFromTheSchedulerDoesNotStayForWorkersThatDropWhatItSays) {
  StartAll();
  server_cut_->Make(scheduler_->van.state().node);
  ExpectSaysLost(server_->van.Barrier(7, 0, true), "server 0", "worker 0 (id 9");
}

// It has found out the worker's incarnation, but is in no roster. With PS_JOB_TOKEN: van/inbound_test.cc.
TEST_F(SeveredTest, AStrangerCanNotTellANodeThatItWasGivenUp) {
  cluster_.config.heartbeat_interval_ms = 0;
  StartAll();
  const Node worker = worker_->van.state().node;
  const std::unique_ptr<Transport> stranger = MakeInprocTransport(cluster_.hub);
  auto link = stranger->Connect(Address{worker.hostname, worker.port});
  ASSERT_TRUE(link.ok()) << link.status();
  const SArray<char> notice = EncodeNotice({StatusCode::kUnavailable, "you are lost", 0});
  const Handshake forged(4711, "", Digest{1});
  ASSERT_EQ(link.value()->TrySend(forged.Answer(HandshakeStep::kFenced, worker.incarnation, notice)),
            SendResult::kSent);
  while (worker_->van.counters().Get(Counter::kRejectedStranger) == 0) std::this_thread::yield();
  ASSERT_TRUE(worker_->van.Send(RequestTo(8, 3, 4, 1), SendOptions()).ok());
  server_->sink.WaitForMessages(1);
  link.value()->Close();
}

// It was killed when the scheduler knew already that it leaves, and the server did not: nobody announces it.
TEST_F(SeveredTest, APeerThatIsGoneDoesNotHoldUpTheEnd) {
  cluster_.config.heartbeat_interval_ms = 0;
  StartAll();
  worker_cut_->Make(server_->van.state().node);
  ASSERT_TRUE(server_->van.Send(RequestTo(9, 3, 4, 1), SendOptions()).ok());  // never acknowledged
  worker_->van.Leave();
  worker_->van.Close();
  const int64_t began_ms = Clock::Real().NowMs();
  server_->van.Leave();
  EXPECT_LT(static_cast<double>(Clock::Real().NowMs() - began_ms), 4000 * TestTimeScale());
}

}  // namespace
}  // namespace ps
