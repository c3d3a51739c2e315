// R2 under PS_ON_NODE_LOST=wait: a worker is killed at points all over the protocol, and started again.
#include "tests/process/revive_job.h"

namespace ps {
namespace {

class ReviveWorker : public ReviveTest {
 protected:
  static void TearDownTestSuite() { Report("R2W", "a worker"); }
};

TEST_P(ReviveWorker, TheJobEndsAsIfNothingHadHappened) { Run("worker"); }

INSTANTIATE_TEST_SUITE_P(R2, ReviveWorker, testing::ValuesIn(RowsToRevive(WorkerRows())), NameOfRow);

}  // namespace
}  // namespace ps
