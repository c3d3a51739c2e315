// R2s under PS_ON_NODE_LOST=wait: a server is killed at points all over the protocol, and started again.
#include "tests/process/revive_job.h"

namespace ps {
namespace {

class ReviveServer : public ReviveTest {
 protected:
  static void TearDownTestSuite() { Report("R2WS", "a server"); }
};

TEST_P(ReviveServer, TheJobEndsAsIfNothingHadHappened) { Run("server"); }

INSTANTIATE_TEST_SUITE_P(R2, ReviveServer, testing::ValuesIn(RowsToRevive(ServerRows())), NameOfRow);

}  // namespace
}  // namespace ps
