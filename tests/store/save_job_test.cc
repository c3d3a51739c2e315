#include "store/save_job.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/checkpoint/reader.h"
#include "store/table_slots.h"
#include "tests/support/job.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class SaveJobTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = NewFolder("save_job"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A table of many pieces.
  TableRecord MakeTable(int lanes) {
    TableSpec spec;
    spec.name = "w";
    spec.rows = 3000000;
    TableSlots::Place place;
    place.range = Range(0, 3000000);
    place.num_lanes = lanes;
    slots_ = TableSlots::Make(spec, place).value();
    TableRecord record;
    record.spec = spec;
    record.range = place.range;
    record.gate.clocks.resize(1);
    return record;
  }
  std::shared_ptr<SaveJob> MakeJob(std::size_t num_tables) {
    return std::make_shared<SaveJob>(SaveJob::Place{folder_, 1, 0}, num_tables,
                                     [this](Result<ShardFile>&& file) { result_ = std::move(file); });
  }

  Watchdog watchdog_;
  std::string folder_;
  std::unique_ptr<TableSlots> slots_;
  Result<ShardFile> result_ = Status::Internal("not called");
};

TEST_F(SaveJobTest, WritesWhatTheLanesHandOver) {
  const TableRecord record = MakeTable(2);
  const auto job = MakeJob(1);
  std::thread writer([job] { job->Run(); });
  const std::size_t table = job->Cut(record, slots_->size());
  std::thread other_lane([&] { job->AddShard(table, *(*slots_)[1].shard); });
  job->AddShard(table, *(*slots_)[0].shard);
  other_lane.join();
  writer.join();
  ASSERT_TRUE(result_.ok()) << result_.status();
  ASSERT_EQ(result_.value().parts.size(), 1u);
  EXPECT_EQ(result_.value().parts[0].num_rows, 3000000u);
}

TEST_F(SaveJobTest, AServerWithoutTablesWritesAnEmptyFile) {
  MakeJob(0)->Run();
  ASSERT_TRUE(result_.ok()) << result_.status();
  EXPECT_TRUE(result_.value().parts.empty());
}

TEST_F(SaveJobTest, WhereNothingCanBeWrittenLanesDoNotWait) {
  const TableRecord record = MakeTable(1);
  folder_ += "/file";
  std::ofstream(folder_) << "in the way";
  const auto job = MakeJob(1);
  std::thread writer([job] { job->Run(); });
  job->AddShard(job->Cut(record, 1), *(*slots_)[0].shard);
  writer.join();
  EXPECT_FALSE(result_.ok());
}

TEST_F(SaveJobTest, AnAbandonedJobSaysWhy) {
  const auto job = MakeJob(2);
  std::thread writer([job] { job->Run(); });
  job->Abandon(Status::Cancelled("the table was erased"));
  writer.join();
  EXPECT_EQ(result_.status(), Status::Cancelled("the table was erased"));
}

}  // namespace
}  // namespace ps
