#include "transport/inproc/inbox.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/transport_endpoint.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class InboxTest : public testing::Test {
 protected:
  // Pipes are only compared, so any two addresses will do.
  static const Pipe* PipeMark(int which) {
    static char marks[2];
    return reinterpret_cast<const Pipe*>(&marks[which]);
  }

  bool Push(uint64_t number, int pipe = 0) {
    Parcel parcel;
    parcel.pipe = PipeMark(pipe);
    parcel.from = "me";
    parcel.frame = NumberedFrame(number, payload_);
    return inbox_.Push(&parcel);
  }

  std::vector<uint64_t> Take(size_t max = 100) {
    inbox_.Take(max, &taken_);
    std::vector<uint64_t> numbers;
    for (const Parcel& parcel : taken_) {
      ReceivedFrame one;
      one.head = parcel.frame.head;
      numbers.push_back(one.number());
    }
    return numbers;
  }

  Watchdog watchdog_;
  SArray<char> payload_ = Pattern(10);
  Inbox inbox_;
  std::vector<Parcel> taken_;
};

using Numbers = std::vector<uint64_t>;

TEST_F(InboxTest, GivesParcelsInOrderAndAtMostAsManyAsAsked) {
  for (uint64_t i = 0; i < 5; ++i) EXPECT_TRUE(Push(i));
  EXPECT_EQ(Take(3), (Numbers{0, 1, 2}));
  EXPECT_EQ(Take(3), (Numbers{3, 4}));
  EXPECT_TRUE(Take().empty());
}

TEST_F(InboxTest, DiscardTakesBackOnlyWhatThePipeHasSent) {
  Push(1, 0);
  Push(2, 1);
  Push(3, 0);
  inbox_.Discard(PipeMark(0));
  EXPECT_EQ(payload_.ptr().use_count(), 2);
  EXPECT_EQ(Take(), (Numbers{2}));
}

TEST_F(InboxTest, DetachKeepsTheFramesAndLetsGoOfTheMemory) {
  Push(1, 0);
  Push(2, 1);
  inbox_.Detach(PipeMark(0));
  EXPECT_EQ(payload_.ptr().use_count(), 2);
  EXPECT_EQ(Take(), (Numbers{1, 2}));
  EXPECT_EQ(Text(taken_[0].frame.parts[1]), Text(payload_));
  EXPECT_EQ(taken_[0].from, "me");
}

TEST_F(InboxTest, CloseDropsAndRefuses) {
  Push(1);
  inbox_.Close();
  inbox_.Close();
  EXPECT_EQ(payload_.ptr().use_count(), 1);
  EXPECT_FALSE(Push(2));
  inbox_.Wait(CondVar::kNever);
  inbox_.Take(1, &taken_);
  EXPECT_TRUE(taken_.empty());
}

TEST_F(InboxTest, PushEndsATakeThatWaits) {
  std::thread taker([&] {
    inbox_.Wait(CondVar::kNever);
    inbox_.Take(1, &taken_);
  });
  Push(9);
  taker.join();
  EXPECT_EQ(taken_.size(), 1u);
}

TEST_F(InboxTest, AHelperIsRungInsteadOfWhoWaits) {
  Bell bell;
  inbox_.SetHelper(&bell);
  std::thread waiter([this] { inbox_.Wait(CondVar::kNever); });
  const uint32_t rings = bell.rings();
  EXPECT_TRUE(Push(1));
  EXPECT_EQ(bell.rings(), rings + 1);
  EXPECT_EQ(Take(), (Numbers{1})) << "whoever asks gets it";
  EXPECT_TRUE(Push(2));
  inbox_.SetHelper(nullptr);  // what nobody has taken is for who waits
  waiter.join();
  EXPECT_EQ(Take(), (Numbers{2}));
  EXPECT_EQ(bell.rings(), rings + 2);
}

TEST_F(InboxTest, BesideAHelperAWakeEndsTheWait) {
  Bell bell;
  inbox_.SetHelper(&bell);
  EXPECT_TRUE(Push(1));
  std::thread waiter([this] { inbox_.Wait(CondVar::kNever); });
  inbox_.Wake();
  waiter.join();
  EXPECT_EQ(bell.rings(), 1u);
}

}  // namespace
}  // namespace ps
