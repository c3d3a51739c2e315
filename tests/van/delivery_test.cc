#include "van/delivery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace ps {
namespace {

constexpr int64_t kAskAfterMs = 1000;

// A frame that says which one it is.
Frame FrameOf(uint64_t number) {
  Frame frame;
  for (int i = 0; i < 8; ++i) frame.head[i] = static_cast<uint8_t>(number >> (8 * i));
  return frame;
}

uint64_t NumberOf(const Frame& frame) {
  uint64_t number = 0;
  for (int i = 7; i >= 0; --i) number = number << 8 | frame.head[i];
  return number;
}

std::vector<uint64_t> NumbersOf(const std::vector<const Frame*>& frames) {
  std::vector<uint64_t> numbers;
  for (const Frame* frame : frames) numbers.push_back(NumberOf(*frame));
  return numbers;
}

void KeepMany(DeliverySender* sender, int count, int64_t now_ms) {
  for (int i = 0; i < count; ++i) sender->Keep(FrameOf(sender->next_sequence()), now_ms);
}

using Numbers = std::vector<uint64_t>;

TEST(DeliverySenderTest, NumbersFromOneAndForgetsWhatIsAcknowledged) {
  DeliverySender sender(kAskAfterMs);
  EXPECT_EQ(sender.next_sequence(), 1u);
  KeepMany(&sender, 3, 0);
  EXPECT_EQ(sender.next_sequence(), 4u);
  EXPECT_TRUE(sender.Acknowledge(2));
  EXPECT_EQ(sender.unacknowledged(), 1u);
  EXPECT_EQ(sender.next_sequence(), 4u);
}

TEST(DeliverySenderTest, OldAndImpossibleAcknowledgementsAreIgnored) {
  DeliverySender sender(kAskAfterMs);
  KeepMany(&sender, 3, 0);
  EXPECT_FALSE(sender.Acknowledge(4));
  EXPECT_FALSE(sender.Acknowledge(~uint64_t{0}));
  EXPECT_EQ(sender.unacknowledged(), 3u);
  EXPECT_TRUE(sender.Acknowledge(2));
  EXPECT_FALSE(sender.Acknowledge(1));
  EXPECT_FALSE(sender.Acknowledge(0));
  EXPECT_EQ(sender.unacknowledged(), 1u);
}

TEST(DeliverySenderTest, TheWindowIsFullAtItsSize) {
  DeliverySender sender(kAskAfterMs);
  KeepMany(&sender, static_cast<int>(kDeliveryWindow), 0);
  EXPECT_FALSE(sender.HasRoom());
  sender.Acknowledge(1);
  EXPECT_TRUE(sender.HasRoom());
}

TEST(DeliverySenderTest, AsksOnlyWhenSomethingWaitsForSoLong) {
  DeliverySender sender(kAskAfterMs);
  EXPECT_EQ(sender.next_ask_ms(), -1);
  KeepMany(&sender, 1, 50);
  KeepMany(&sender, 1, 80);
  EXPECT_EQ(sender.next_ask_ms(), 1050);
  sender.Acknowledge(1);
  EXPECT_EQ(sender.next_ask_ms(), 1080);
  sender.Acknowledge(2);
  EXPECT_EQ(sender.next_ask_ms(), -1);
}

TEST(DeliverySenderTest, SendsAgainOnlyWhatIsMissingAndOld) {
  DeliverySender sender(kAskAfterMs);
  KeepMany(&sender, 6, 0);
  KeepMany(&sender, 1, 990);
  sender.Asked(1000);
  EXPECT_EQ(NumbersOf(sender.Missing(1, {{3, 3}, {5, 5}}, 1004, 1)), (Numbers{2, 4, 6}));
  EXPECT_EQ(sender.unacknowledged(), 6u);
}

TEST(DeliverySenderTest, AQuestionCondemnsOnce) {
  DeliverySender sender(kAskAfterMs);
  KeepMany(&sender, 3, 0);
  sender.Asked(1000);
  EXPECT_EQ(sender.Missing(1, {{3, 3}}, 1004, 1).size(), 1u);
  EXPECT_TRUE(sender.Missing(1, {{3, 3}}, 1005, 1).empty());
  EXPECT_TRUE(sender.Missing(1, {{3, 3}}, 1005).empty());
  // The answer to the first question comes once more while the second is open.
  sender.Asked(1012);
  EXPECT_TRUE(sender.Missing(1, {{3, 3}}, 1013, 1).empty());
  EXPECT_EQ(NumbersOf(sender.Missing(1, {{3, 3}}, 1016, 2)), (Numbers{2}));
}

TEST(DeliverySenderTest, AnswersNobodyAskedForSendNothing) {
  DeliverySender sender(kAskAfterMs);
  KeepMany(&sender, 3, 0);
  EXPECT_TRUE(sender.Missing(0, {}, 5000).empty());
  sender.Asked(5000);
  EXPECT_TRUE(sender.Missing(0, {}, 5001, 2).empty());
  EXPECT_TRUE(sender.Missing(77, {}, 5001, 1).empty());
  EXPECT_EQ(sender.unacknowledged(), 3u);
}

TEST(DeliverySenderTest, LaterQuestionsFollowTheRoundTripAndDoubleInSilence) {
  DeliverySender sender(kAskAfterMs);
  KeepMany(&sender, 1, 0);
  sender.Asked(1000);
  EXPECT_EQ(sender.Missing(0, {}, 1010, 1).size(), 1u);
  std::vector<int64_t> waits;
  int64_t now_ms = 1010;
  for (int i = 0; i < 26; ++i) {
    waits.push_back(sender.next_ask_ms() - now_ms);
    now_ms = sender.next_ask_ms();
    sender.Asked(now_ms);
  }
  // A round trip and a quarter of 10 ms, then four times in that; from the 17th on in silence.
  EXPECT_EQ(waits, std::vector<int64_t>({13, 3, 3, 3, 3, 3, 3,  3,  3,  3,   3,   3,   3,
                                         3,  3, 3, 3, 3, 6, 13, 26, 52, 104, 208, 250, 250}));
  // A sign of life ends the doubling.
  EXPECT_TRUE(sender.Missing(0, {{1, 1}}, now_ms + 10, sender.question()).empty());
  sender.Asked(now_ms + 20);
  EXPECT_LT(sender.next_ask_ms(), now_ms + 20 + 20);
}

TEST(DeliverySenderTest, AfterALossTheNextFrameIsAskedForSoon) {
  DeliverySender sender(kAskAfterMs);
  KeepMany(&sender, 1, 0);
  sender.Asked(1000);
  EXPECT_EQ(sender.Missing(0, {}, 1002, 1).size(), 1u);
  sender.Acknowledge(1);
  KeepMany(&sender, 1, 2000);
  EXPECT_EQ(sender.next_ask_ms(), 2003);
  int64_t now_ms = 0;
  for (int i = 0; i < 32; ++i) {
    now_ms = sender.next_ask_ms();
    EXPECT_LT(now_ms, 2200);
    sender.Asked(now_ms);
    EXPECT_TRUE(sender.Missing(sender.next_sequence() - 1, {}, now_ms, sender.question()).empty());
    KeepMany(&sender, 1, now_ms + 1);
  }
  // So many answers without a loss: it is patient again.
  EXPECT_EQ(sender.next_ask_ms(), now_ms + 1 + kAskAfterMs);
}

TEST(DeliveryReceiverTest, DeliversInSequenceAndKeepsWhatComesEarly) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  EXPECT_EQ(receiver.Accept(2, FrameOf(2), &ready), DeliveryReceiver::Verdict::kEarly);
  EXPECT_EQ(receiver.Accept(4, FrameOf(4), &ready), DeliveryReceiver::Verdict::kEarly);
  EXPECT_EQ(receiver.Accept(5, FrameOf(5), &ready), DeliveryReceiver::Verdict::kEarly);
  EXPECT_TRUE(ready.empty());
  EXPECT_EQ(receiver.Held(), (std::vector<SeqRange>{{2, 2}, {4, 5}}));
  EXPECT_EQ(receiver.Accept(1, FrameOf(1), &ready), DeliveryReceiver::Verdict::kReady);
  ASSERT_EQ(ready.size(), 2u);
  EXPECT_EQ(NumberOf(ready[0]), 1u);
  EXPECT_EQ(NumberOf(ready[1]), 2u);
  EXPECT_EQ(receiver.acknowledged(), 2u);
  EXPECT_EQ(receiver.Held(), (std::vector<SeqRange>{{4, 5}}));
}

TEST(DeliveryReceiverTest, DropsWhatItHasAndWhatLiesBeyondTheWindow) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  receiver.Accept(1, FrameOf(1), &ready);
  receiver.Accept(3, FrameOf(3), &ready);
  ready.clear();
  EXPECT_EQ(receiver.Accept(1, FrameOf(1), &ready), DeliveryReceiver::Verdict::kDuplicate);
  EXPECT_EQ(receiver.Accept(0, FrameOf(0), &ready), DeliveryReceiver::Verdict::kDuplicate);
  EXPECT_EQ(receiver.Accept(3, FrameOf(3), &ready), DeliveryReceiver::Verdict::kDuplicate);
  EXPECT_EQ(receiver.Accept(2 + kDeliveryWindow, FrameOf(9), &ready),
            DeliveryReceiver::Verdict::kBeyondWindow);
  EXPECT_EQ(receiver.Accept(~uint64_t{0}, FrameOf(9), &ready), DeliveryReceiver::Verdict::kBeyondWindow);
  EXPECT_EQ(receiver.Accept(1 + kDeliveryWindow, FrameOf(9), &ready), DeliveryReceiver::Verdict::kEarly);
  EXPECT_TRUE(ready.empty());
}

TEST(DeliveryReceiverTest, AnAcknowledgementIsDueAtHalfAWindow) {
  DeliveryReceiver receiver;
  std::vector<Frame> ready;
  EXPECT_FALSE(receiver.AckPending());
  for (uint64_t i = 1; i < kDeliveryWindow / 2; ++i) receiver.Accept(i, FrameOf(i), &ready);
  EXPECT_TRUE(receiver.AckPending());
  EXPECT_FALSE(receiver.AckDue());
  receiver.Accept(kDeliveryWindow / 2, FrameOf(0), &ready);
  EXPECT_TRUE(receiver.AckDue());
  receiver.Told();
  EXPECT_FALSE(receiver.AckDue());
  EXPECT_FALSE(receiver.AckPending());
}

// What a network may do to one frame, in percent and milliseconds.
struct Weather {
  int lose = 0;
  int duplicate = 0;
  int reorder = 0;       // this part travels with its own delay, the rest in order
  int64_t delay_ms = 0;  // at most
};

// Both halves and a network between them in virtual time. The shell is the simplest that could be:
// acknowledgements go when due or asked for.
class Simulation {
 public:
  Simulation(uint32_t seed, Weather weather, uint64_t frames)
      : random_(seed), weather_(weather), frames_(frames) {}

  void Run() {
    while (delivered_ < frames_ && now_ms_ < kEndMs) {
      Fill();
      AskIfDue();
      Step();
    }
  }

  uint64_t delivered() const { return delivered_; }
  bool in_order() const { return in_order_; }
  uint64_t resent() const { return resent_; }
  uint64_t questions() const { return sender_.question(); }
  int64_t now_ms() const { return now_ms_; }
  size_t most_kept() const { return most_kept_; }
  size_t most_held() const { return most_held_; }

 private:
  static constexpr int64_t kEndMs = 100000000;
  enum Kind { kFrame, kAck, kAsk, kHave };
  struct Packet {
    Kind kind = kFrame;
    uint64_t number = 0;  // sequence, acknowledgement or question
    Frame frame;
    uint64_t ack = 0;
    std::vector<SeqRange> held;
  };

  void Fill() {
    while (sender_.HasRoom() && sender_.next_sequence() <= frames_) {
      const uint64_t number = sender_.next_sequence();
      Frame frame = FrameOf(number);
      Send(Packet{kFrame, number, frame, 0, {}}, 0);
      sender_.Keep(std::move(frame), now_ms_);
    }
    most_kept_ = std::max(most_kept_, sender_.unacknowledged());
  }

  void AskIfDue() {
    if (sender_.next_ask_ms() < 0 || sender_.next_ask_ms() > now_ms_) return;
    sender_.Asked(now_ms_);
    Send(Packet{kAsk, sender_.question(), {}, 0, {}}, 0);
  }

  // To the next arrival, or to the next question if the air is clear.
  void Step() {
    const int64_t ask_ms = sender_.next_ask_ms();
    if (air_.empty() || (ask_ms >= 0 && ask_ms < air_.begin()->first)) {
      now_ms_ = std::max(now_ms_, ask_ms);
      return;
    }
    now_ms_ = std::max(now_ms_, air_.begin()->first);
    const Packet packet = std::move(air_.begin()->second);
    air_.erase(air_.begin());
    Arrive(packet);
  }

  void Arrive(const Packet& packet) {
    switch (packet.kind) {
      case kFrame: return OnFrame(packet);
      case kAck: sender_.Acknowledge(packet.number); return;
      case kAsk: return Send(Packet{kHave, packet.number, {}, receiver_.acknowledged(), receiver_.Held()}, 1);
      case kHave: return OnHave(packet);
    }
  }

  void OnFrame(const Packet& packet) {
    std::vector<Frame> ready;
    receiver_.Accept(packet.number, packet.frame, &ready);
    for (const Frame& frame : ready) in_order_ = in_order_ && NumberOf(frame) == ++delivered_;
    if (packet.number % 16 == 0) CountHeld();
    if (!receiver_.AckDue()) return;
    receiver_.Told();
    Send(Packet{kAck, receiver_.acknowledged(), {}, 0, {}}, 1);
  }

  void CountHeld() {
    size_t held = 0;
    for (const SeqRange& range : receiver_.Held()) held += range.last - range.first + 1;
    most_held_ = std::max(most_held_, held);
  }

  void OnHave(const Packet& packet) {
    for (const Frame* frame : sender_.Missing(packet.ack, packet.held, now_ms_, packet.number)) {
      ++resent_;
      Send(Packet{kFrame, NumberOf(*frame), *frame, 0, {}}, 0);
    }
  }

  void Send(const Packet& packet, int direction) {
    if (Happens(weather_.lose)) return;
    const int copies = Happens(weather_.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      const int64_t delay_ms =
          weather_.delay_ms == 0 ? 0 : static_cast<int64_t>(random_() % (weather_.delay_ms + 1));
      int64_t arrival_ms = now_ms_ + delay_ms;
      if (!Happens(weather_.reorder)) {
        // In order: not before the last one in this direction.
        arrival_ms = last_arrival_ms_[direction] = std::max(last_arrival_ms_[direction], arrival_ms);
      }
      air_.emplace(arrival_ms, packet);
    }
  }

  bool Happens(int percent) { return static_cast<int>(random_() % 100) < percent; }

  std::mt19937 random_;
  const Weather weather_;
  const uint64_t frames_;
  DeliverySender sender_{kAskAfterMs};
  DeliveryReceiver receiver_;
  std::multimap<int64_t, Packet> air_;
  int64_t now_ms_ = 0;
  int64_t last_arrival_ms_[2] = {0, 0};
  uint64_t delivered_ = 0;
  bool in_order_ = true;
  uint64_t resent_ = 0;
  size_t most_kept_ = 0;
  size_t most_held_ = 0;
};

TEST(DeliveryTest, EverythingArrivesOnceAndInOrderWhateverTheNetworkDoes) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed * 7919);
    Weather weather;
    weather.lose = static_cast<int>(random() % 50);
    weather.duplicate = static_cast<int>(random() % 30);
    weather.reorder = static_cast<int>(random() % 100);
    weather.delay_ms = static_cast<int64_t>(random() % 80);
    Simulation simulation(seed, weather, 5000);
    simulation.Run();
    EXPECT_EQ(simulation.delivered(), 5000u);
    EXPECT_TRUE(simulation.in_order());
    EXPECT_LE(simulation.most_kept(), kDeliveryWindow);
    EXPECT_LT(simulation.most_held(), kDeliveryWindow);
  }
}

TEST(DeliveryTest, WithoutLossNothingIsSentAgain) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Weather weather;
    weather.duplicate = seed % 2 == 0 ? 20 : 0;
    weather.reorder = seed % 3 == 0 ? 50 : 0;
    weather.delay_ms = seed % 5 * 15;
    Simulation simulation(seed, weather, 5000);
    simulation.Run();
    EXPECT_EQ(simulation.delivered(), 5000u);
    EXPECT_TRUE(simulation.in_order());
    EXPECT_EQ(simulation.resent(), 0u);
  }
}

TEST(DeliveryTest, OnALinkThatKeepsOrderNoFrameIsSentAgainThatHadArrived) {
  Weather weather;
  weather.lose = 20;
  weather.delay_ms = 5;
  Simulation simulation(3, weather, 20000);
  simulation.Run();
  EXPECT_EQ(simulation.delivered(), 20000u);
  // Each frame is lost 0.25 times on average (1 / 0.8 - 1).
  EXPECT_LT(simulation.resent(), 5500u);
}

TEST(DeliveryTest, LossesAreRepairedAtTheSpeedOfTheRoundTrip) {
  Weather weather;
  weather.lose = 30;
  weather.duplicate = 10;
  weather.reorder = 20;
  weather.delay_ms = 50;
  Simulation simulation(11, weather, 10000);
  simulation.Run();
  EXPECT_EQ(simulation.delivered(), 10000u);
  EXPECT_TRUE(simulation.in_order());
  // Without loss it takes 2 s; with a fixed second for every question it would take more than a minute.
  EXPECT_LT(simulation.now_ms(), 20000);
}

}  // namespace
}  // namespace ps
