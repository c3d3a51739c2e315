// Programs that end before their work is done, or do less of it than the others (case-23 c, e; R24).
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>

#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

// What all share: 1 scheduler, 1 server, 2 workers.
class UnfinishedTest : public testing::Test {
 protected:
  static constexpr int kFirstWorker = 2;

  UnfinishedTest() : job_(1, 2) {
    job_.program = ProgramPath("process/trainer");
    job_.variables["PS_HEARTBEAT_INTERVAL"] = "0.1";
    job_.variables["PS_HEARTBEAT_TIMEOUT"] = std::to_string(3 * TestTimeScale());
    job_.variables["PS_RESEND_TIMEOUT"] = "100";
  }

  void Start(const std::vector<std::string>& arguments) {
    job_.Start("scheduler", arguments);
    job_.Start("server", arguments);
    for (const char* rank : {"0", "1"}) job_.Start("worker", arguments, {{"DMLC_RANK", rank}});
  }

  // All but the first worker end with an error that names it.
  void ExpectOthersNameTheFirstWorker() {
    for (int i : {0, 1, 3}) {
      ASSERT_TRUE(job_.node(i).EndsWithin(seconds(5))) << "node " << i << ":\n" << job_.node(i).output();
      EXPECT_EQ(job_.node(i).exit_code(), 1) << job_.node(i).output();
      EXPECT_NE(job_.node(i).output().find("Unavailable: worker 0 (id 9, 127.0.0.1:"), std::string::npos)
          << "node " << i << ":\n"
          << job_.node(i).output();
    }
  }

  Job job_;
};

TEST_F(UnfinishedTest, Case23cAnExceptionThatLeavesMainIsTheOnlyFault) {
  Start({"throw"});
  Process& worker = job_.node(kFirstWorker);
  ASSERT_TRUE(worker.EndsWithin(seconds(2))) << worker.output();
  EXPECT_EQ(worker.exit_code(), 128 + SIGABRT) << worker.output();
  EXPECT_NE(worker.output().find("the program's own fault"), std::string::npos) << worker.output();
  ExpectOthersNameTheFirstWorker();
}

TEST_F(UnfinishedTest, Case23cAnInterruptEndsTheNodeAtOnce) {
  Start({"stream", "seconds", "30"});
  Process& worker = job_.node(kFirstWorker);
  ASSERT_TRUE(worker.Prints("under way")) << worker.output();
  worker.Signal(SIGINT);
  ASSERT_TRUE(worker.EndsWithin(seconds(5))) << worker.output();
  EXPECT_EQ(worker.exit_code(), 128 + SIGINT) << worker.output();
  for (int i : {0, 1}) {
    EXPECT_TRUE(job_.node(i).Prints("noticed: Unavailable: worker 0 (id 9, 127.0.0.1:", seconds(5)))
        << job_.node(i).output();
  }
}

class UnevenTest : public UnfinishedTest, public testing::WithParamInterface<std::string> {};

TEST_P(UnevenTest, TheSlowerWorkersLastRoundEndsAtItsDeadline) {
  job_.variables["PS_BARRIER_TIMEOUT"] = "1";
  Start({"uneven", GetParam()});
  ASSERT_TRUE(job_.AllSucceedWithin(seconds(20)));
  EXPECT_EQ(job_.node(kFirstWorker).output().find("round "), std::string::npos)
      << job_.node(kFirstWorker).output();
  const std::string slower = job_.node(kFirstWorker + 1).output();
  EXPECT_NE(slower.find("round 10 after "), std::string::npos) << slower;
  EXPECT_NE(slower.find("server 0 (id 8"), std::string::npos) << slower;
  EXPECT_NE(slower.find("PS_BARRIER_TIMEOUT"), std::string::npos) << slower;
}

INSTANTIATE_TEST_SUITE_P(Case23e, UnevenTest, testing::Values("barrier", "leave"),
                         [](const auto& info) { return info.param; });

// --- R24 ---

class R24Test : public testing::Test {
 protected:
  R24Test() : job_(1, 1) {
    job_.program = ProgramPath("process/trainer");
    job_.variables["PS_BARRIER_TIMEOUT"] = "1";
  }
  void ExpectAllSucceed(const std::vector<std::string>& arguments) {
    job_.StartAll(arguments);
    ASSERT_TRUE(job_.AllSucceedWithin(seconds(20)));
  }
  std::string worker() { return job_.node(2).output(); }
  int Count(const std::string& text) {
    int count = 0;
    const std::string output = worker();
    for (size_t at = output.find(text); at != std::string::npos; at = output.find(text, at + 1)) ++count;
    return count;
  }

  Job job_;
};

TEST_F(R24Test, AHandleThatAnswersTwiceCountsOnce) {
  ExpectAllSucceed({"answers", "twice"});
  EXPECT_EQ(Count("push: OK"), 3) << worker();
  EXPECT_EQ(Count("answered twice?"), 1) << worker();
}

TEST_F(R24Test, AHandleThatNeverAnswersFailsItsRequestsAndFinalizeAtTheirDeadline) {
  ExpectAllSucceed({"answers", "never"});
  EXPECT_EQ(Count("push: DeadlineExceeded: "), 3) << worker();
  // Finalize with a request in flight waits for its deadline, and says what became of it.
  EXPECT_EQ(Count("has no answer from server 0 (id 8"), 4) << worker();
  std::printf(
      "FIGURE R24 a handle that never answers: its requests fail and Finalize returns at the deadline\n");
}

TEST_F(R24Test, AHandleThatThrowsFailsItsRequestsAlone) {
  ExpectAllSucceed({"answers", "throw"});
  EXPECT_EQ(Count("no such shard"), 4) << worker();
  EXPECT_EQ(Count("server 0 (id 8"), 4) << worker();
}

class ForkTest : public R24Test, public testing::WithParamInterface<std::string> {};

TEST_P(ForkTest, AChildNeitherHangsNorDisturbsTheNode) {
  // What only the threads of the parent refer to is lost in the child, and no leak.
  job_.variables["ASAN_OPTIONS"] = "detect_leaks=0";
  ExpectAllSucceed({"fork", GetParam()});
  EXPECT_EQ(Count("child ended with 7"), 1) << worker();
  EXPECT_EQ(Count("acknowledged 300, failed 0; exact"), 1) << worker();
  EXPECT_EQ(Count("child: FailedPrecondition: this process was forked"), GetParam() == "use" ? 5 : 0)
      << worker();
}

INSTANTIATE_TEST_SUITE_P(R24, ForkTest, testing::Values("_exit", "exit", "exec", "use"),
                         [](const auto& info) { return info.index == 0 ? "at_once" : info.param; });

}  // namespace
}  // namespace ps
