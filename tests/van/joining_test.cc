#include "van/joining.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/thread.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

Joining::Plan PlanOf(int64_t timeout_ms) {
  Joining::Plan plan;
  plan.node_name = "W";
  plan.timeout_ms = timeout_ms;
  plan.describe = [](const std::string& progress) {
    return Joining::Reason{"the scheduler", progress.empty() ? "Connection refused" : progress};
  };
  return plan;
}

TEST(JoiningTest, ReturnsTheFirstOutcome) {
  Watchdog watchdog;
  Joining joining;
  joining.OnOutcome(Status::InvalidArgument("refused"));
  joining.OnOutcome(Status::Ok());
  EXPECT_EQ(joining.Wait(PlanOf(0)), Status::InvalidArgument("refused"));
}

TEST(JoiningTest, AnOutcomeWakesTheWaiter) {
  Watchdog watchdog;
  Joining joining;
  std::atomic<int> tries{0};
  Joining::Plan plan = PlanOf(0);
  plan.retry = [&](const Digest&) { ++tries; };
  Status outcome = Status::Internal("not returned");
  {
    Thread waiter("waiter", [&] { outcome = joining.Wait(plan); });
    while (tries.load() == 0) std::this_thread::yield();
    joining.OnOutcome(Status::Ok());
  }
  EXPECT_TRUE(outcome.ok());
}

TEST(JoiningTest, TriesAgainUntilSomebodyAnswers) {
  Watchdog watchdog;
  Joining joining;
  int tries = 0;
  Joining::Plan plan = PlanOf(0);
  plan.retry_ms = 2;
  plan.retry = [&](const Digest&) {
    if (++tries == 4) joining.OnOutcome(Status::Ok());
  };
  EXPECT_TRUE(joining.Wait(plan).ok());
  EXPECT_EQ(tries, 4);
}

TEST(JoiningTest, ANewChallengeIsAnsweredAtOnceAndOnce) {
  Watchdog watchdog;
  Joining joining;
  std::vector<uint8_t> challenges;
  Joining::Plan plan = PlanOf(0);
  plan.retry_ms = 1000000;  // the watchdog ends what waits for it
  plan.retry = [&](const Digest& challenge) {
    challenges.push_back(challenge[0]);
    if (challenges.size() == 1) joining.OnChallenge(Digest{5});
    if (challenges.size() == 2) {
      joining.OnChallenge(Digest{5});  // the answer to a repeat
      joining.OnChallenge(Digest{6});
    }
    if (challenges.size() == 3) joining.OnOutcome(Status::Ok());
  };
  EXPECT_TRUE(joining.Wait(plan).ok());
  EXPECT_EQ(challenges, (std::vector<uint8_t>{0, 5, 6}));
}

TEST(JoiningTest, TheSameChallengeAgainIsNoReasonToTryAgain) {
  Watchdog watchdog;
  Joining joining;
  int tries = 0;
  Joining::Plan plan = PlanOf(50);
  plan.retry_ms = 1000000;
  plan.retry = [&](const Digest&) {
    ++tries;
    joining.OnChallenge(Digest{5});
  };
  EXPECT_EQ(joining.Wait(plan).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(tries, 2);
}

TEST(JoiningTest, WhoAsksForNothingIsNotChallenged) {
  Watchdog watchdog;
  Joining joining;
  joining.OnChallenge(Digest{5});
  EXPECT_EQ(joining.Wait(PlanOf(10)).code(), StatusCode::kDeadlineExceeded);
}

TEST(JoiningTest, TheDeadlineSaysWhatWasWaitedForAndWhatToSet) {
  Watchdog watchdog;
  Joining joining;
  EXPECT_EQ(joining.Wait(PlanOf(20)),
            Status::DeadlineExceeded("waiting for the scheduler (0 of 0.02 s): Connection refused; "
                                     "PS_START_TIMEOUT says how long to wait"));
}

TEST(JoiningTest, TheDeadlineTellsTheLastProgress) {
  Watchdog watchdog;
  Joining joining;
  joining.OnProgress("workers 0/2");
  joining.OnProgress("workers 1/2");
  const Status status = joining.Wait(PlanOf(5));
  EXPECT_NE(status.message().find("): workers 1/2;"), std::string::npos) << status;
}

}  // namespace
}  // namespace ps
