// R5: all nodes of a job are killed while it writes checkpoints; the last complete one is a consistent cut.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ps/store.h"
#include "tests/support/figure.h"
#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

constexpr int kRows = 64;  // of store_trainer

// The values of the last complete checkpoint, as another number of servers reads it.
std::vector<float> LastCut(const std::string& uri) {
  const auto stores = Store::Local({3, 1, 0});
  TableSpec spec;
  spec.name = "w";
  spec.rows = kRows;
  spec.min_split = 0;
  spec.consistency = Consistency::Bsp();
  spec.apply = TableSpec::kMerged;
  const auto table = stores[0]->Create(spec);
  stores[0]->Load(uri);
  std::vector<float> values(kRows);
  table->Get(Rows::All(), values.data());
  return values;
}

TEST(StoreTorn, R5KilledAmidCheckpointsTheLastCompleteOneIsTaken) {
  const int runs = LongForms() ? 50 : 4;
  std::mt19937 random(5);
  int num_incomplete = 0;
  for (int run = 0; run < runs; ++run) {
    const Watchdog watchdog(std::chrono::seconds(60));
    const std::string folder = NewFolder("store_torn");
    Job job(2, 2);
    job.variables["PS_CHECKPOINT_DIR"] = folder + "/checkpoints";
    job.variables["PS_CHECKPOINT_INTERVAL"] = "0.001";
    job.program = ProgramPath("bin/ps_node");
    job.Start("scheduler", {});
    for (const std::string rank : {"0", "1"}) job.Start("server", {}, {{"DMLC_RANK", rank}});
    job.program = ProgramPath("process/store_trainer");
    for (const std::string rank : {"0", "1"}) job.Start("worker", {folder + "/never"}, {{"DMLC_RANK", rank}});
    while (!std::filesystem::exists(folder + "/checkpoints/2/MANIFEST")) std::this_thread::yield();
    ASSERT_TRUE(job.node(3).StillRunsAfter(std::chrono::milliseconds(random() % 30))) << job.node(3).output();
    for (int node = 0; node < 5; ++node) job.node(node).Signal(SIGKILL);
    for (int node = 0; node < 5; ++node) ASSERT_TRUE(job.node(node).EndsWithin(std::chrono::seconds(20)));
    for (const auto& step : std::filesystem::directory_iterator(folder + "/checkpoints"))
      num_incomplete += std::filesystem::exists(step.path() / "MANIFEST") ? 0 : 1;
    const std::vector<float> cut = LastCut(folder + "/checkpoints");
    EXPECT_GE(cut[0], 2) << "run " << run;
    EXPECT_EQ(cut, std::vector<float>(kRows, cut[0])) << "rows of several rounds, run " << run;
    std::filesystem::remove_all(folder);
  }
  PS_FIGURE("R5", runs << " jobs killed amid checkpoints, " << num_incomplete
                       << " were left unfinished, the last complete cut was restored each time");
}

}  // namespace
}  // namespace ps
