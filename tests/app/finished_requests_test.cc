#include "app/finished_requests.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(FinishedRequestsTest, RemembersTheAnswersOfTheLastThousand) {
  FinishedRequests finished;
  const int last = 3 * static_cast<int>(FinishedRequests::kRemembered);
  for (int ts = 0; ts <= last; ++ts) finished.Record(ts, ts % 7, Status::Ok(), false);
  EXPECT_EQ(finished.NumAnswers(last), last % 7);
  EXPECT_EQ(finished.NumAnswers(last - 1023), (last - 1023) % 7);
  EXPECT_EQ(finished.NumAnswers(last - 1024), -1);
  EXPECT_TRUE(finished.TellOutcome(0).ok());
}

TEST(FinishedRequestsTest, RemembersFailuresMuchLonger) {
  FinishedRequests finished;
  finished.Record(0, 0, Status::Unavailable("server 0 is gone"), false);
  for (int ts = 1; ts < 50000; ++ts) finished.Record(ts, 1, Status::Ok(), false);
  EXPECT_EQ(finished.TellOutcome(0).message(), "server 0 is gone");
  EXPECT_EQ(finished.TellOutcome(0).message(), "server 0 is gone");
  EXPECT_TRUE(finished.Failed(0));
}

TEST(FinishedRequestsTest, BoundsTheMemoryForFailures) {
  FinishedRequests finished;
  const int num = static_cast<int>(FinishedRequests::kRememberedFailures);
  for (int ts = 0; ts <= num; ++ts) finished.Record(ts, 0, Status::Unavailable("x"), false);
  EXPECT_FALSE(finished.Failed(0));
  EXPECT_TRUE(finished.Failed(1));
  EXPECT_NE(finished.TellUnobserved().find(std::to_string(num + 1) + " requests"), std::string::npos);
}

TEST(FinishedRequestsTest, TellsOnceOfFailuresNobodyAskedFor) {
  FinishedRequests finished;
  EXPECT_EQ(finished.TellUnobserved(), "");
  finished.Record(3, 0, Status::Unavailable("gone"), false);
  finished.Record(4, 0, Status::Unavailable("seen by a callback"), true);
  finished.Record(5, 0, Status::Unavailable("seen by Wait"), false);
  EXPECT_FALSE(finished.TellOutcome(5).ok());
  EXPECT_EQ(finished.TellUnobserved(),
            "1 request that nobody waited for failed (timestamp 3), the first with Unavailable: gone");
  EXPECT_EQ(finished.TellUnobserved(), "");
}

TEST(FinishedRequestsTest, ATimestampUsedAgainBeginsAfresh) {
  FinishedRequests finished;
  finished.Record(7, 2, Status::Unavailable("old life"), true);
  finished.Forget(7);
  EXPECT_TRUE(finished.TellOutcome(7).ok());
  EXPECT_EQ(finished.NumAnswers(7), -1);
}

}  // namespace
}  // namespace ps
