// R2 for the scheduler: it is killed at points all over the protocol.
#include "tests/process/kill_job.h"

namespace ps {
namespace {

class KillScheduler : public KillTest {
 protected:
  static void TearDownTestSuite() { Report("the scheduler", RowsToRun(SchedulerRows()).size()); }
};

TEST_P(KillScheduler, TheOthersSayWhoItWasOrFinish) { Run("scheduler", "fail"); }

INSTANTIATE_TEST_SUITE_P(R2, KillScheduler, testing::ValuesIn(RowsToRun(SchedulerRows())), NameOfRow);

}  // namespace
}  // namespace ps
