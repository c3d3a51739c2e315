// R2 for the scheduler: it is killed at points all over the protocol.
#include "tests/process/kill_job.h"

namespace ps {
namespace {

class KillScheduler : public KillTest {
 protected:
  static void TearDownTestSuite() { Report("the scheduler", SchedulerRows().size()); }
};

// A node that ends waits 10 x PS_RESEND_TIMEOUT for what the lost scheduler has not acknowledged: its route
// is not closed when it is given up. With that repaired nothing needs to be added to the bound.
TEST_P(KillScheduler, TheOthersSayWhoItWasOrFinish) { Run("scheduler", 10 * kResendTimeout); }

INSTANTIATE_TEST_SUITE_P(R2, KillScheduler, testing::ValuesIn(SchedulerRows()), NameOfRow);

}  // namespace
}  // namespace ps
