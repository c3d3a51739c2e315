#include "transport/chaos_transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "tests/support/fake_clock.h"
#include "tests/support/transport_conformance.h"
#include "transport/inproc/inproc_transport.h"

namespace ps {
namespace {

// A chaos transport that goes wrong in no way keeps every promise of what it wraps.
struct CalmFabric {
  std::unique_ptr<Transport> Make() { return MakeChaosTransport(MakeInprocTransport(hub), {}); }
  Address AnyPort() const { return {"calm", 0}; }
  std::string unavailable() const { return ""; }

  std::shared_ptr<Hub> hub = std::make_shared<Hub>();
};

class ChaosTransportTest : public testing::Test {
 protected:
  void SetUp() override {
    SetLogSink([this](Severity, const std::string& line) { log_.push_back(line); });
    options_.seed = 1234;
    options_.clock = &clock_;
  }
  void TearDown() override { SetLogSink(nullptr); }

  // Sends `count` numbered frames through a receiver with options_, lets time pass as often as it takes; the
  // numbers received.
  std::vector<uint64_t> Receive(uint64_t count) {
    Endpoint receiver(MakeChaosTransport(MakeInprocTransport(hub_), options_));
    Endpoint sender(MakeInprocTransport(hub_));
    const auto link = sender.ConnectTo(receiver.Listen({"r", 0}));
    const auto poll = [&] {
      receiver.transport().Poll(&receiver, 0);
      clock_.AdvanceMs(1);
    };
    for (uint64_t i = 0; i < count; ++i) {
      while (link->TrySend(NumberedFrame(i, Pattern(20, i))) == SendResult::kFull) poll();
    }
    for (int i = 0; i < 200; ++i) poll();
    std::vector<uint64_t> numbers;
    for (const ReceivedFrame& frame : receiver.frames) {
      EXPECT_EQ(frame.payload, Text(Pattern(20, frame.number())));
      numbers.push_back(frame.number());
    }
    return numbers;
  }

  Watchdog watchdog_;
  std::shared_ptr<Hub> hub_ = std::make_shared<Hub>();
  FakeClock clock_;
  ChaosOptions options_;
  std::vector<std::string> log_;
};

TEST_F(ChaosTransportTest, DropsAboutAsManyAsAskedAndSaysWhich) {
  options_.drop_percent = 20;
  std::set<uint64_t> dropped;
  options_.on_drop = [&](const Frame& frame) {
    ReceivedFrame one;
    one.head = frame.head;
    dropped.insert(one.number());
  };
  const std::vector<uint64_t> received = Receive(5000);
  EXPECT_EQ(received.size() + dropped.size(), 5000u);
  EXPECT_GT(dropped.size(), 800u);
  EXPECT_LT(dropped.size(), 1200u);
  EXPECT_TRUE(std::is_sorted(received.begin(), received.end())) << "dropping must not reorder";
  for (const uint64_t number : received) EXPECT_EQ(dropped.count(number), 0u);
}

TEST_F(ChaosTransportTest, LossesAreSpreadOut) {
  options_.drop_percent = 50;
  const std::vector<uint64_t> received = Receive(2000);
  uint64_t longest_gap = 0;
  for (size_t i = 1; i < received.size(); ++i)
    longest_gap = std::max(longest_gap, received[i] - received[i - 1]);
  EXPECT_LT(longest_gap, 40u) << "a generator that is started anew for every frame loses whole stretches";
}

TEST_F(ChaosTransportTest, HundredPercentLosesEverything) {
  options_.drop_percent = 100;
  EXPECT_TRUE(Receive(500).empty());
}

TEST_F(ChaosTransportTest, SparedFramesAlwaysArrive) {
  options_.drop_percent = 100;
  options_.spare = [](const Frame& frame) { return frame.head[0] % 2 == 0; };
  const std::vector<uint64_t> received = Receive(200);
  ASSERT_EQ(received.size(), 100u);
  for (const uint64_t number : received) EXPECT_EQ(number % 2, 0u);
}

TEST_F(ChaosTransportTest, DuplicatesArriveTwiceAndNothingIsLost) {
  options_.duplicate_percent = 30;
  const std::vector<uint64_t> received = Receive(1000);
  std::multiset<uint64_t> all(received.begin(), received.end());
  EXPECT_GT(received.size(), 1200u);
  EXPECT_LT(received.size(), 1400u);
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_TRUE(all.count(i) == 1 || all.count(i) == 2) << i;
}

TEST_F(ChaosTransportTest, ReorderedFramesComeLaterButOnce) {
  options_.reorder_percent = 20;
  options_.max_delay_ms = 5;
  const std::vector<uint64_t> received = Receive(1000);
  EXPECT_EQ(received.size(), 1000u);
  EXPECT_EQ(std::set<uint64_t>(received.begin(), received.end()).size(), 1000u);
  EXPECT_FALSE(std::is_sorted(received.begin(), received.end()));
}

TEST_F(ChaosTransportTest, DelayedFramesWaitForTheClock) {
  options_.delay_percent = 100;
  options_.max_delay_ms = 50;
  Endpoint receiver(MakeChaosTransport(MakeInprocTransport(hub_), options_));
  Endpoint sender(MakeInprocTransport(hub_));
  const auto link = sender.ConnectTo(receiver.Listen({"r", 0}));
  ASSERT_EQ(link->TrySend(NumberedFrame(1, Pattern(9))), SendResult::kSent);
  EXPECT_EQ(receiver.transport().Poll(&receiver, 0), 0);
  EXPECT_EQ(link->unreleased(), 0u) << "held frames are copies";
  clock_.AdvanceMs(50);
  EXPECT_EQ(receiver.transport().Poll(&receiver, -1), 1);
  EXPECT_EQ(receiver.frames[0].payload, Text(Pattern(9)));
}

TEST_F(ChaosTransportTest, PollReturnsInTimeForAHeldFrame) {
  options_.delay_percent = 100;
  options_.max_delay_ms = 30;
  options_.clock = &Clock::Real();
  Endpoint receiver(MakeChaosTransport(MakeInprocTransport(hub_), options_));
  Endpoint sender(MakeInprocTransport(hub_));
  const auto link = sender.ConnectTo(receiver.Listen({"r", 0}));
  ASSERT_EQ(link->TrySend(NumberedFrame(1)), SendResult::kSent);
  receiver.transport().Poll(&receiver, -1);
  receiver.transport().Poll(&receiver, -1);  // nothing else would end it
  EXPECT_EQ(receiver.frames.size(), 1u);
}

TEST_F(ChaosTransportTest, EqualSeedsGiveEqualFates) {
  options_.drop_percent = options_.duplicate_percent = options_.reorder_percent = options_.delay_percent = 20;
  const std::vector<uint64_t> first = Receive(500);
  EXPECT_EQ(Receive(500), first);
  options_.seed = 77;
  EXPECT_NE(Receive(500), first);
}

TEST_F(ChaosTransportTest, SeedIsSaidOnceAndOnlyWhenSomethingCanGoWrong) {
  MakeChaosTransport(MakeInprocTransport(hub_), options_);
  EXPECT_TRUE(log_.empty());
  options_.drop_percent = 1;
  MakeChaosTransport(MakeInprocTransport(hub_), options_);
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("seed 1234"), std::string::npos) << log_[0];
}

INSTANTIATE_TYPED_TEST_SUITE_P(Calm, TransportConformance, CalmFabric);

}  // namespace
}  // namespace ps
