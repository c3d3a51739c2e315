// R2: a worker is killed at points all over the protocol. Nobody waits for ever, everybody says who it was.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/process/kill_job.h"

namespace ps {
namespace {

class KillWorker : public KillTest {
 protected:
  static void TearDownTestSuite() { Report("a worker", 2 * RowsToRun(WorkerRows()).size()); }
};

TEST_P(KillWorker, TheOthersSayWhoItWasOrFinish) { Run("worker", "fail"); }

TEST_P(KillWorker, UnderShrinkTheOthersFinish) { Run("worker", "shrink"); }

INSTANTIATE_TEST_SUITE_P(R2, KillWorker, testing::ValuesIn(RowsToRun(WorkerRows())), NameOfRow);

// --- the tables against the sources ---

std::set<std::string> PointsOfTheSources() {
  const char* root = std::getenv("PS_ROOT");
  const std::regex name(R"re("([a-z]+\.[a-z_]+)")re");
  std::set<std::string> points;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(root == nullptr ? "." : root) + "/src")) {
    if (entry.path().extension() != ".cc") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str();
    for (size_t at = source.find("PS_TEST_POINT("); at != std::string::npos;
         at = source.find("PS_TEST_POINT(", at + 1)) {
      const std::string call = source.substr(at, source.find(");", at) - at);
      for (std::sregex_iterator found(call.begin(), call.end(), name), end; found != end; ++found)
        points.insert((*found)[1]);
    }
  }
  return points;
}

TEST(KillRows, SomebodyIsKilledAtEveryPoint) {
  std::set<std::string> used;
  for (const auto* rows : {&WorkerRows(), &ServerRows(), &SchedulerRows()}) {
    for (const KillRow& row : *rows) used.insert(row.point.substr(0, row.point.find(':')));
  }
  const std::set<std::string> points = PointsOfTheSources();
  EXPECT_GE(points.size(), 32u);
  for (const std::string& point : points) EXPECT_EQ(used.count(point), 1u) << point << " is in no table";
  for (const std::string& point : used) EXPECT_EQ(points.count(point), 1u) << point << " is not in src/";
}

}  // namespace
}  // namespace ps
