#include "group/rounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ps {
namespace {

using Answer = Rounds::Answer;

Rounds Make(int num_slots, int max_ahead = 2, bool keeps_value = false) {
  return Rounds({num_slots, max_ahead, keeps_value});
}

void FinishRound(Rounds* rounds, std::uint64_t round) {
  ASSERT_EQ(rounds->TakeMerge(), round);
  rounds->OnMerged();
}

TEST(RoundsTest, ARoundIsMergedWhenEveryDeviceHasPushedIt) {
  Rounds rounds = Make(2);
  EXPECT_EQ(rounds.Push(0), 1U);
  EXPECT_EQ(rounds.TakeMerge(), std::nullopt);
  EXPECT_EQ(rounds.MissingOf(1), std::vector<int>{1});
  EXPECT_EQ(rounds.Push(1), 1U);
  EXPECT_EQ(rounds.TakeMerge(), 1U);
  EXPECT_TRUE(rounds.MissingOf(1).empty());
}

TEST(RoundsTest, RoundsAreMergedOneAtATime) {
  Rounds rounds = Make(1);
  rounds.Push(0);
  rounds.Push(0);
  EXPECT_EQ(rounds.TakeMerge(), 1U);
  EXPECT_EQ(rounds.TakeMerge(), std::nullopt);
  rounds.OnMerged();
  EXPECT_EQ(rounds.TakeMerge(), 2U);
}

TEST(RoundsTest, ADeviceRunsAheadAsFarAsAllowed) {
  for (const int ahead : {1, 2, 5}) {
    Rounds rounds = Make(2, ahead);
    for (int i = 0; i < ahead; ++i) {
      ASSERT_TRUE(rounds.MayPush(0)) << ahead;
      rounds.Push(0);
    }
    EXPECT_FALSE(rounds.MayPush(0));
    EXPECT_EQ(rounds.Blocking(), 1U);
    rounds.Push(1);
    FinishRound(&rounds, 1);
    EXPECT_FALSE(rounds.MayPush(0)) << "merged is not enough: its sink may hold it";
    rounds.OnResult(1);
    EXPECT_TRUE(rounds.MayPush(0));
  }
}

TEST(RoundsTest, APullGetsTheRoundOfTheLastPush) {
  Rounds rounds = Make(2);
  rounds.Push(0);
  EXPECT_EQ(rounds.Pull(0), Answer::kWait);
  EXPECT_EQ(rounds.WaitedFor(0), 1U);
  rounds.Push(0);
  rounds.Push(1);
  rounds.Push(1);
  EXPECT_EQ(rounds.Pull(1), Answer::kWait);
  EXPECT_EQ(rounds.WaitedFor(1), 2U);
  FinishRound(&rounds, 1);
  EXPECT_EQ(rounds.OnResult(1), std::vector<int>{0});
  FinishRound(&rounds, 2);
  EXPECT_EQ(rounds.OnResult(2), std::vector<int>{1});
}

TEST(RoundsTest, APullBehindTheResultGetsItAtOnce) {
  Rounds rounds = Make(1);
  rounds.Push(0);
  FinishRound(&rounds, 1);
  EXPECT_TRUE(rounds.OnResult(1).empty());
  EXPECT_EQ(rounds.Pull(0), Answer::kResult);
}

TEST(RoundsTest, ASecondPullIsRefusedUntilTheFirstIsCopied) {
  Rounds rounds = Make(1);
  rounds.Push(0);
  EXPECT_EQ(rounds.Pull(0), Answer::kWait);
  EXPECT_EQ(rounds.Pull(0), Answer::kRefused);
  FinishRound(&rounds, 1);
  rounds.OnResult(1);
  EXPECT_EQ(rounds.Pull(0), Answer::kRefused) << "it is being copied";
  rounds.OnCopied(0);
  EXPECT_EQ(rounds.Pull(0), Answer::kKept) << "its callback may ask again, once";
  EXPECT_EQ(rounds.Pull(0), Answer::kRefused);
  EXPECT_EQ(rounds.OnDone(0), Answer::kKept);
  rounds.OnCopied(0);
  EXPECT_EQ(rounds.OnDone(0), std::nullopt);
  EXPECT_EQ(rounds.Pull(0), Answer::kResult);
}

TEST(RoundsTest, ACallbackAsksForWhatItsDeviceHadPushedThen) {
  Rounds rounds = Make(1);
  rounds.Push(0);
  FinishRound(&rounds, 1);
  rounds.OnResult(1);
  ASSERT_EQ(rounds.Pull(0), Answer::kResult);
  rounds.OnCopied(0);
  EXPECT_EQ(rounds.Pull(0), Answer::kKept);
  rounds.Push(0);
  EXPECT_EQ(rounds.OnDone(0), Answer::kKept) << "of round 1, without waiting for round 2";
}

TEST(RoundsTest, ACallbackGetsTheRoundItAskedForThoughOthersFollow) {
  Rounds rounds = Make(1);
  rounds.Push(0);
  FinishRound(&rounds, 1);
  rounds.OnResult(1);
  ASSERT_EQ(rounds.Pull(0), Answer::kResult);
  rounds.OnCopied(0);
  rounds.Push(0);
  EXPECT_EQ(rounds.Pull(0), Answer::kLater);
  rounds.Push(0);
  FinishRound(&rounds, 2);
  EXPECT_EQ(rounds.OnResult(2), std::vector<int>{0}) << "it is to be kept";
  FinishRound(&rounds, 3);
  EXPECT_TRUE(rounds.OnResult(3).empty());
  EXPECT_EQ(rounds.OnDone(0), Answer::kKept);
}

TEST(RoundsTest, ASecondResultOfARoundChangesNothing) {
  Rounds rounds = Make(1, 3);
  for (int i = 0; i < 3; ++i) rounds.Push(0);
  for (std::uint64_t round = 1; round <= 3; ++round) FinishRound(&rounds, round);
  rounds.OnResult(2);
  EXPECT_TRUE(rounds.HasResult(2));
  EXPECT_FALSE(rounds.HasResult(1));
  rounds.OnResult(2);
  rounds.OnResult(1);
  EXPECT_TRUE(rounds.OnResult(1).empty());
  EXPECT_EQ(rounds.Blocking(), 3U);
  rounds.OnResult(3);
  EXPECT_EQ(rounds.Blocking(), 4U);
}

TEST(RoundsTest, BeforeAnyPushThereIsTheValueOrTheFirstRound) {
  Rounds without = Make(2);
  EXPECT_EQ(without.Pull(0), Answer::kWait);
  EXPECT_EQ(without.WaitedFor(0), 1U);
  Rounds with = Make(2, 2, true);
  EXPECT_EQ(with.Pull(0), Answer::kValue);
}

TEST(RoundsTest, WhereAValueIsKeptASecondPullAsksForIt) {
  Rounds rounds = Make(1, 2, true);
  rounds.Push(0);
  EXPECT_EQ(rounds.Pull(0), Answer::kWait);
  FinishRound(&rounds, 1);
  EXPECT_EQ(rounds.OnResult(1), std::vector<int>{0});
  rounds.OnCopied(0);
  rounds.OnDone(0);
  EXPECT_EQ(rounds.Pull(0), Answer::kValue);
}

TEST(RoundsTest, ResultsMayComeInAnyOrder) {
  Rounds rounds = Make(1, 3);
  for (int i = 0; i < 3; ++i) rounds.Push(0);
  for (std::uint64_t round = 1; round <= 3; ++round) FinishRound(&rounds, round);
  rounds.OnResult(3);
  EXPECT_FALSE(rounds.MayPush(0));
  rounds.OnResult(1);
  EXPECT_TRUE(rounds.MayPush(0));
  EXPECT_EQ(rounds.Blocking(), 2U);
  rounds.OnResult(2);
  EXPECT_EQ(rounds.Blocking(), 4U);
  EXPECT_EQ(rounds.Pull(0), Answer::kResult);
}

TEST(RoundsTest, ACancelledPullIsNotAnswered) {
  Rounds rounds = Make(1);
  rounds.Push(0);
  EXPECT_FALSE(rounds.Cancel(0));
  rounds.Pull(0);
  EXPECT_TRUE(rounds.Cancel(0));
  FinishRound(&rounds, 1);
  EXPECT_TRUE(rounds.OnResult(1).empty());
}

TEST(RoundsTest, WhoeverWaitsForADeviceThatIsGoneWaitsNoLonger) {
  Rounds rounds = Make(3);
  for (int slot = 0; slot < 3; ++slot) rounds.Push(slot);
  rounds.Push(0);
  rounds.Pull(0);  // round 2
  rounds.Pull(1);  // round 1, which device 2 has pushed
  EXPECT_EQ(rounds.SetGone(2), std::vector<int>{0});
  EXPECT_EQ(rounds.GoneBefore(1), std::nullopt);
  EXPECT_EQ(rounds.GoneBefore(2), 2);
  FinishRound(&rounds, 1);
  EXPECT_EQ(rounds.OnResult(1), std::vector<int>{1});
  EXPECT_EQ(rounds.Pull(0), Answer::kGone);
  EXPECT_EQ(rounds.Pull(2), Answer::kResult) << "what is there, it may have";
}

TEST(RoundsTest, WhatADeviceThatIsGonePushedForNobodyIsWithdrawn) {
  Rounds rounds = Make(2, 3);
  rounds.Push(0);
  for (int i = 0; i < 3; ++i) rounds.Push(1);
  EXPECT_TRUE(rounds.HasMerges());
  rounds.SetGone(1);
  EXPECT_EQ(rounds.GoneBefore(1), std::nullopt) << "that one all have";
  EXPECT_EQ(rounds.GoneBefore(2), 1);
  EXPECT_EQ(rounds.MissingOf(2), (std::vector<int>{0, 1}));
  FinishRound(&rounds, 1);
  EXPECT_FALSE(rounds.HasMerges());
}

TEST(RoundsTest, APullThatNobodyHasBegunToCopyMayBeGivenUp) {
  Rounds rounds = Make(1);
  rounds.Push(0);
  FinishRound(&rounds, 1);
  rounds.OnResult(1);
  ASSERT_EQ(rounds.Pull(0), Answer::kResult);
  EXPECT_TRUE(rounds.Cancel(0));
  ASSERT_EQ(rounds.Pull(0), Answer::kResult);
  rounds.OnCopied(0);
  EXPECT_FALSE(rounds.Cancel(0)) << "its callback runs";
  ASSERT_EQ(rounds.Pull(0), Answer::kKept);
  EXPECT_TRUE(rounds.Cancel(0));
  EXPECT_EQ(rounds.OnDone(0), std::nullopt);
}

// All orders of the events of two devices, with a second account of what should be.
class Account {
 public:
  explicit Account(bool keeps_value) : rounds_(Make(2, kAhead, keeps_value)), keeps_(keeps_value) {}

  static constexpr int kNumEvents = 9;
  // False: the event can not happen now.
  bool Do(int event) {
    switch (event) {
      case 0:
      case 1: return Push(event);
      case 2:
      case 3: return Pull(event - 2);
      case 4: return Merge();
      case 5: return Result(open_.begin());
      case 6: return open_.size() > 1 && Result(--open_.end());
      default: return GoOn(event - 7);
    }
  }
  std::string Check() const { return wrong_; }

 private:
  struct Device {
    std::uint64_t pushed = 0;
    std::uint64_t waits_for = 0;  // 0: it does not
    std::uint64_t got = 0;
    bool is_copying = false;
    bool is_in_callback = false;
    std::uint64_t again_round = 0;
    std::optional<Answer> again;  // what its callback has asked for: kLater, kKept or kValue
  };

  bool Push(int slot) {
    Device& device = devices_[slot];
    const bool may = device.pushed < NumFinished() + kAhead;
    if (rounds_.MayPush(slot) != may) wrong_ = "MayPush";
    if (!may) return false;
    if (rounds_.Push(slot) != ++device.pushed) wrong_ = "the round of a push";
    return true;
  }
  bool Pull(int slot) {
    Device& device = devices_[slot];
    const Answer answer = rounds_.Pull(slot);
    if (device.waits_for != 0 || device.is_copying || device.again) {
      if (answer != Answer::kRefused) wrong_ = "a second pull was let through";
      return false;
    }
    Answer expected = Answer::kWait;
    const std::uint64_t last = results_.empty() ? 0 : results_.rbegin()->first;
    if (keeps_ && device.pushed <= device.got) {
      expected = Answer::kValue;
    } else if (device.pushed != 0 && device.pushed == last) {
      expected = Answer::kResult;
    }
    const std::uint64_t round = device.pushed == 0 ? 1 : device.pushed;
    if (expected == Answer::kResult) device.got = round;
    if (device.is_in_callback) {
      if (expected == Answer::kResult) expected = Answer::kKept;
      device.again = expected == Answer::kWait ? Answer::kLater : expected;
      device.again_round = round;
      if (expected != Answer::kKept) expected = Answer::kLater;
    } else {
      device.is_copying = expected != Answer::kWait;
      if (expected == Answer::kWait) device.waits_for = round;
    }
    if (answer != expected) wrong_ = "the answer to a pull";
    return true;
  }
  bool Merge() {
    const bool expected = merged_ < devices_[0].pushed && merged_ < devices_[1].pushed;
    const std::optional<std::uint64_t> round = rounds_.TakeMerge();
    if (round.has_value() != expected) wrong_ = "what is to be merged";
    if (!round) return false;
    if (*round != ++merged_) wrong_ = "the order of merges";
    rounds_.OnMerged();
    open_[merged_] = true;
    return true;
  }
  bool Result(std::map<std::uint64_t, bool>::iterator at) {
    if (open_.empty()) return false;
    const std::uint64_t round = at->first;
    open_.erase(at);
    results_[round] = true;
    std::vector<int> expected;
    for (int slot = 0; slot < 2; ++slot) {
      Device& device = devices_[slot];
      if (device.again == Answer::kLater && device.again_round == round) {
        device.again = Answer::kKept;
      } else if (device.waits_for == round) {
        device.waits_for = 0;
        device.is_copying = true;
      } else {
        continue;
      }
      device.got = round;
      expected.push_back(slot);
    }
    if (rounds_.OnResult(round) != expected) wrong_ = "who gets a result";
    return true;
  }
  // The copy of a device ends, or its callback.
  bool GoOn(int slot) {
    Device& device = devices_[slot];
    if (!device.is_copying && !device.is_in_callback) return false;
    if (device.is_copying) {
      device.is_copying = false;
      device.is_in_callback = true;
      rounds_.OnCopied(slot);
      return true;
    }
    device.is_in_callback = false;
    std::optional<Answer> expected = device.again;
    device.again.reset();
    if (expected == Answer::kLater) {
      expected = Answer::kWait;
      device.waits_for = device.again_round;
    } else {
      device.is_copying = expected.has_value();
    }
    if (rounds_.OnDone(slot) != expected) wrong_ = "what becomes of a pull of a callback";
    return true;
  }
  std::uint64_t NumFinished() const {
    std::uint64_t number = 0;
    while (results_.count(number + 1) != 0) ++number;
    return number;
  }
  static constexpr std::uint64_t kAhead = 2;

  Rounds rounds_;
  const bool keeps_;
  Device devices_[2];
  std::uint64_t merged_ = 0;
  std::map<std::uint64_t, bool> open_;
  std::map<std::uint64_t, bool> results_;
  std::string wrong_;
};

// Returns how many orders there were.
int Walk(const Account& account, int depth, std::string* path) {
  if (depth == 0) return 1;
  int count = 0;
  for (int event = 0; event < Account::kNumEvents; ++event) {
    Account next = account;
    if (!next.Do(event) && next.Check().empty()) continue;
    path->push_back(static_cast<char>('0' + event));
    EXPECT_EQ(next.Check(), "") << *path;
    if (next.Check().empty()) count += Walk(next, depth - 1, path);
    path->pop_back();
    if (testing::Test::HasFailure()) return count;
  }
  return count;
}

TEST(RoundsTest, EveryOrderOfEventsOfTwoDevices) {
  for (const bool keeps_value : {false, true}) {
    std::string path;
    EXPECT_GT(Walk(Account(keeps_value), 10, &path), 50000);
  }
}

}  // namespace
}  // namespace ps
