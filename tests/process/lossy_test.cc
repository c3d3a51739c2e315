// Jobs of several processes whose links lose messages (case-21, B-24).
#include <gtest/gtest.h>

#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

using std::chrono::seconds;

bool Says(Process& process, const std::string& text) {
  return process.output().find(text) != std::string::npos;
}

TEST(Case21Processes, FiveThousandIncrementsAreExactAndAllEndWell) {
  const Watchdog watchdog(seconds(55));
  Job job(2, 2);
  job.program = ProgramPath("process/lossy_node");
  job.variables["PS_RESEND_TIMEOUT"] = "200";
  job.StartAll({"10", "5", "50", "5000"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(50)));
  for (int worker : {3, 4}) EXPECT_TRUE(Says(job.node(worker), "sums exact"));
  for (int node = 0; node < 5; ++node) EXPECT_TRUE(Says(job.node(node), "go wrong on purpose: seed "));
  if (!testing::Test::HasFailure()) PS_FIGURE("C21p", "5000 increments exact, 5 processes exit 0");
}

// The variable alone: its share is lost, each loss is said, nothing else is lost, not even at the end, when a
// node speaks to itself.
TEST(RegressB24, AJobEndsWellAlthoughEveryNodeLosesATenth) {
  const Watchdog watchdog(seconds(55));
  Job job(1, 1);
  job.variables = {{"DMLC_NUM_SERVER", "2"},
                   {"DMLC_NUM_WORKER", "2"},
                   {"DMLC_PS_ROOT_URI", "127.0.0.1"},
                   {"DMLC_PS_ROOT_PORT", std::to_string(job.port())},
                   {"PS_DROP_MSG", "10"},
                   {"PS_RESEND", "1"},
                   {"PS_RESEND_TIMEOUT", "20"}};
  // Two customer ids in one worker process.
  job.Start("scheduler", {"ids"});
  job.Start("server", {"ids"});
  job.Start("server", {"ids"});
  job.Start("worker", {"ids"});
  EXPECT_TRUE(job.AllSucceedWithin(seconds(40)));
  EXPECT_TRUE(Says(job.node(3), "sums exact"));
  int lines = 0;
  for (int node = 0; node < 4; ++node) {
    EXPECT_TRUE(Says(job.node(node), "go wrong on purpose: seed "));
    lines += Says(job.node(node), "Drop message ") ? 1 : 0;
  }
  EXPECT_GT(lines, 0);
}

}  // namespace
}  // namespace ps
