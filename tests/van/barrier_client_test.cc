#include "van/barrier_client.h"

#include <gtest/gtest.h>

#include "base/thread.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

BarrierNotice ReleaseOf(int group, uint64_t round) {
  BarrierNotice notice;
  notice.group = group;
  notice.round = round;
  return notice;
}

Status WaitShortly(BarrierClient* client, int group, uint64_t round) {
  return client->Wait(group, round, Deadline::After(1), "late");
}

TEST(BarrierClientTest, CountsRoundsPerGroup) {
  BarrierClient client;
  EXPECT_EQ(client.Enter(7).round, 1u);
  EXPECT_EQ(client.Enter(4).round, 1u);
  client.OnRelease(ReleaseOf(7, 1));
  EXPECT_EQ(client.Enter(7).round, 2u);
  EXPECT_EQ(WaitShortly(&client, 4, 1).code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(WaitShortly(&client, 7, 1).ok());
}

TEST(BarrierClientTest, TwoThreadsShareARoundAndBothAreReleased) {
  Watchdog watchdog;
  BarrierClient client;
  const BarrierClient::Entry first = client.Enter(4);
  const BarrierClient::Entry second = client.Enter(4);
  EXPECT_TRUE(first.first);
  EXPECT_FALSE(second.first);
  EXPECT_EQ(first.round, second.round);
  Status outcomes[2] = {Status::Internal(""), Status::Internal("")};
  {
    Thread one("one", [&] { outcomes[0] = client.Wait(4, first.round, Deadline::Never(), ""); });
    Thread two("two", [&] { outcomes[1] = client.Wait(4, second.round, Deadline::Never(), ""); });
    client.OnRelease(ReleaseOf(4, 1));
  }
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_TRUE(outcomes[1].ok());
  EXPECT_TRUE(client.Enter(4).first);
}

TEST(BarrierClientTest, ARecoveredNodeFallsIntoStep) {
  BarrierClient client;
  EXPECT_EQ(client.Enter(4).round, 1u);
  client.OnRelease(ReleaseOf(4, 17));
  EXPECT_TRUE(WaitShortly(&client, 4, 1).ok());
  EXPECT_EQ(client.Enter(4).round, 18u);
}

TEST(BarrierClientTest, ReleasesNobodyAskedForChangeNothing) {
  BarrierClient client;
  client.OnRelease(ReleaseOf(4, 1));
  EXPECT_EQ(client.Enter(4).round, 1u);
  client.OnRelease(ReleaseOf(4, 1));
  client.OnRelease(ReleaseOf(4, 1));
  EXPECT_EQ(client.Enter(4).round, 2u);
  client.OnRelease(ReleaseOf(4, 1));
  EXPECT_EQ(WaitShortly(&client, 4, 2).message(), "late");
}

TEST(BarrierClientTest, AFailedRoundFailsItsWaitersOnly) {
  BarrierClient client;
  client.Enter(4);
  BarrierNotice failure = ReleaseOf(4, 1);
  failure.code = StatusCode::kUnavailable;
  failure.text = "worker 1 is lost";
  client.OnRelease(failure);
  EXPECT_EQ(WaitShortly(&client, 4, 1), Status::Unavailable("worker 1 is lost"));
  client.Enter(4);
  client.OnRelease(ReleaseOf(4, 2));
  EXPECT_TRUE(WaitShortly(&client, 4, 2).ok());
}

// A server that is in the barrier of Finalize enters it again when the scheduler is heard again, but not when
// the round has ended.
TEST(BarrierClientTest, ARoundIsOverWhenItHasAnOutcomeNotWhenTheSchedulerIsSilent) {
  BarrierClient client;
  const uint64_t round = client.Enter(7).round;
  EXPECT_FALSE(client.IsOver(7, round));
  client.Interrupt(Status::Unavailable("silent"));
  EXPECT_EQ(WaitShortly(&client, 7, round).message(), "silent");
  EXPECT_FALSE(client.IsOver(7, round));
  client.Resume();
  EXPECT_FALSE(client.IsOver(7, round)) << "whoever has been told of the silence may wait again";
  client.OnRelease(ReleaseOf(7, 1));
  EXPECT_TRUE(client.IsOver(7, round));
  const uint64_t next = client.Enter(7).round;
  EXPECT_FALSE(client.IsOver(7, next));
  client.Fail(Status::Cancelled("closed"));
  EXPECT_TRUE(client.IsOver(7, next));
}

TEST(BarrierClientTest, FailEndsAllThatWaitNowAndLaterButNotWhatIsOver) {
  Watchdog watchdog;
  BarrierClient client;
  client.Enter(7);
  client.OnRelease(ReleaseOf(7, 1));
  client.Enter(4);
  Status outcome;
  {
    Thread waiter("waiter", [&] { outcome = client.Wait(4, 1, Deadline::Never(), ""); });
    client.Fail(Status::Cancelled("closed"));
    client.Fail(Status::Cancelled("again"));
  }
  EXPECT_EQ(outcome, Status::Cancelled("closed"));
  EXPECT_EQ(client.Wait(7, client.Enter(7).round, Deadline::Never(), ""), Status::Cancelled("closed"));
  EXPECT_TRUE(WaitShortly(&client, 7, 1).ok());
}

}  // namespace
}  // namespace ps
