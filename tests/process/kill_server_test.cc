// R2 for servers: one is killed at points all over the protocol.
#include "tests/process/kill_job.h"

namespace ps {
namespace {

class KillServer : public KillTest {
 protected:
  static void TearDownTestSuite() { Report("a server", RowsToRun(ServerRows()).size()); }
};

TEST_P(KillServer, TheOthersSayWhoItWasOrFinish) { Run("server", "fail"); }

INSTANTIATE_TEST_SUITE_P(R2, KillServer, testing::ValuesIn(RowsToRun(ServerRows())), NameOfRow);

}  // namespace
}  // namespace ps
