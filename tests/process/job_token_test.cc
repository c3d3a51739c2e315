// Two jobs of one machine with the same address and port do not mix: PS_JOB_TOKEN tells them apart (case-25).
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/job.h"

namespace ps {
namespace {

using std::chrono::seconds;

constexpr const char* kFirst = "first-secret-4711";
constexpr const char* kSecond = "second-secret-0815";

void ExpectContains(Process& process, const std::string& text) {
  EXPECT_NE(process.output().find(text), std::string::npos) << "'" << text << "' is not in:\n"
                                                            << process.output();
}

void ExpectNoToken(Process& process) {
  for (const char* token : {kFirst, kSecond})
    EXPECT_EQ(process.output().find(token), std::string::npos) << process.output();
}

// `more`: what both jobs have beside their counts and the address.
void RunTwoJobs(const Process::Environment& more, const std::string& second_token) {
  Job job(1, 1);
  job.variables.insert(more.begin(), more.end());
  job.variables["PS_JOB_TOKEN"] = kFirst;
  job.StartAll({"hold"});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(job.node(i).Prints("started")) << job.node(i).output();

  job.variables["PS_JOB_TOKEN"] = second_token;
  job.StartAll({"hold"});
  for (int i = 3; i < 6; ++i) {
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(5))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), 1) << job.node(i).output();
  }
  ExpectContains(job.node(3), "in use");  // its scheduler
  for (int i = 4; i < 6; ++i) {
    ExpectContains(job.node(i), "belongs to another job");
    ExpectContains(job.node(i), "PS_JOB_TOKEN");
  }
  job.node(2).Signal(SIGUSR1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(20))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), 0) << job.node(i).output();
  }
  ExpectContains(job.node(2), "sums exact");
  ExpectContains(job.node(0), "refused role=");
  ExpectContains(job.node(0), "PS_JOB_TOKEN");
  for (int i = 0; i < 6; ++i) ExpectNoToken(job.node(i));
}

TEST(JobTokenTest, TheNodesOfASecondJobAreRefusedByNameAndTheFirstGoesOn) { RunTwoJobs({}, kSecond); }

TEST(JobTokenTest, ASecondJobWithoutATokenIsRefusedToo) { RunTwoJobs({}, ""); }

TEST(JobTokenTest, LocalJobsDoNotMixEither) { RunTwoJobs({{"DMLC_LOCAL", "1"}}, kSecond); }

// The nodes of both jobs are there before the one scheduler, which takes its own.
TEST(JobTokenTest, ASchedulerThatComesLastTakesItsOwnNodesOnly) {
  Job job(1, 1);
  job.variables["PS_VERBOSE"] = "2";
  for (const char* token : {kSecond, kFirst}) {
    job.variables["PS_JOB_TOKEN"] = token;
    for (const char* role : {"server", "worker"}) {
      ASSERT_TRUE(job.Start(role, {"hold"})->Prints("Bind to"));
    }
  }
  job.Start("scheduler", {"hold"});
  for (int i = 0; i < 5; ++i) {
    // The job is held until the others have heard its scheduler.
    if (i == 2) job.node(3).Signal(SIGUSR1);
    ASSERT_TRUE(job.node(i).EndsWithin(seconds(20))) << job.node(i).output();
    EXPECT_EQ(job.node(i).exit_code(), i < 2 ? 1 : 0) << job.node(i).output();
    ExpectNoToken(job.node(i));
  }
  for (int i = 0; i < 2; ++i) ExpectContains(job.node(i), "PS_JOB_TOKEN differs");
  ExpectContains(job.node(3), "sums exact");
}

}  // namespace
}  // namespace ps
