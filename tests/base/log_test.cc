#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>
#include <string>
#include <vector>

#include "base/thread.h"
#include "ps/base.h"
#include "tests/support/log_capture.h"

namespace ps {
namespace {

TEST(LogTest, InformationIsPlainText) {
  EXPECT_EQ(FormatLogLine(Severity::kInfo, "src/van/van.cc", 12, "W[9]", "Bind to role=worker"),
            "van.cc:12: Bind to role=worker");
}

TEST(LogTest, WarningsAndErrorsNameTheirNode) {
  EXPECT_EQ(FormatLogLine(Severity::kWarning, "/a/van.cc", 1, "W[9]", "x"), "van.cc:1: WARNING W[9]: x");
  EXPECT_EQ(FormatLogLine(Severity::kError, "van.cc", 1, "", "x"), "van.cc:1: ERROR: x");
}

TEST(LogTest, TextFromOutsideCannotForgeALine) {
  EXPECT_EQ(FormatLogLine(Severity::kInfo, "a.cc", 1, "", "x\n[00:00:00] y"), "a.cc:1: x\\n[00:00:00] y");
}

TEST(LogTest, TheMacroStreamsItsText) {
  LogCapture capture;
  PS_LOG(kWarning, "H[1]", "waiting for " << 2 << " nodes");
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_NE(capture.lines()[0].find("WARNING H[1]: waiting for 2 nodes"), std::string::npos);
  EXPECT_EQ(capture.lines()[0].rfind("log_test.cc:", 0), 0u);
}

TEST(LogTest, ProgramsLogThroughTheSameDoor) {
  LogCapture capture;
  LOG(INFO) << "a" << 1;
  LOG(WARNING) << "b";
  LL << "error: 0, 0";
  LOG_IF(ERROR, false) << "not this";
  LOG_IF(ERROR, true) << "c";
  EXPECT_EQ(capture.Count(": a1"), 1);
  EXPECT_EQ(capture.Count(": b"), 1);
  EXPECT_EQ(capture.Count(": error: 0, 0"), 1);
  EXPECT_EQ(capture.Count(": c"), 1);
  EXPECT_EQ(capture.lines().size(), 4u);
}

TEST(LogTest, VlogFollowsTheVerbosityOfTheThread) {
  LogCapture capture;
  PS_VLOG(1) << "silent";
  SetThreadVerbosity(1);
  PS_VLOG(1) << "heard";
  PS_VLOG(2) << "too much";
  Thread("other", [] { PS_VLOG(1) << "another thread"; }).Join();
  SetThreadVerbosity(0);
  ASSERT_EQ(capture.lines().size(), 1u);
  EXPECT_EQ(capture.Count("heard"), 1);
}

TEST(LogTest, LinesOnStderrHaveTheTime) {
  testing::internal::CaptureStderr();
  LOG(INFO) << "hello";
  LogLine(Severity::kWarning, "x.cc", 3, "S[8]", "lost");
  const std::string text = testing::internal::GetCapturedStderr();
  const std::regex shape(
      "\\[\\d\\d:\\d\\d:\\d\\d\\] log_test\\.cc:\\d+: hello\n"
      "\\[\\d\\d:\\d\\d:\\d\\d\\] x\\.cc:3: WARNING S\\[8\\]: lost\n");
  EXPECT_TRUE(std::regex_match(text, shape)) << text;
}

TEST(LogTest, ABrokenDcheckIsReportedOnceAndReleaseBuildsGoOn) {
#ifdef NDEBUG
  LogCapture capture;
  for (int i = 0; i < 3; ++i) PS_DCHECK(i > 5);
  EXPECT_EQ(capture.Count("i > 5 does not hold"), 1);
#else
  EXPECT_DEATH(PS_DCHECK(1 > 5), "1 > 5 does not hold");
#endif
}

TEST(LogTest, ADcheckThatHoldsIsSilent) {
  LogCapture capture;
  PS_DCHECK(5 > 1);
  EXPECT_TRUE(capture.lines().empty());
}

TEST(LogTest, TheReleaseFormOfDcheckDoesNotEndTheProcess) {
  LogCapture capture;
  internal::DCheckFailed("a.cc", 1, "x", false);
  EXPECT_EQ(capture.Count("ERROR: this is a bug of the library"), 1);
}

}  // namespace
}  // namespace ps
