#include "store/table_loader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/checkpoint/files.h"
#include "store/checkpoint/writer.h"
#include "tests/support/job.h"

namespace ps {
namespace {

// A checkpoint of one server with one table of 10 rows: row i is i.
class TableLoaderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = NewFolder("table_loader");
    spec_.name = "w";
    spec_.rows = 10;
    spec_.min_split = 0;
    files_ = OpenCheckpointFiles(folder_).value();
    auto writer = CheckpointWriter::Create(files_.get(), 1, 0).value();
    TableRecord record;
    record.spec = spec_;
    record.range = Range(0, 10);
    record.version = 33;
    record.num_updates = 4;
    record.gate.clocks.resize(1);
    ThrowIfError(writer->BeginTable(record));
    std::vector<float> values(10);
    for (std::size_t i = 0; i < 10; ++i) values[i] = static_cast<float>(i);
    ThrowIfError(writer->Add({RowSet::Range(0, 10), values.data(), 40}));
    ThrowIfError(writer->EndTable());
    Manifest manifest;
    manifest.step = 1;
    manifest.shards.push_back(writer->Finish().value());
    ThrowIfError(WriteManifest(files_.get(), manifest));
    reader_ = CheckpointReader::Open(files_.get(), 1).value();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<std::unique_ptr<ServerTable>> Load(int server, int num_servers, const TableSpec* mine) {
    TableLoader::Options options;
    options.server = server;
    options.num_servers = num_servers;
    options.executors = &executors_;
    return TableLoader(reader_.get(), options).Load("w", mine);
  }

  std::string folder_;
  TableSpec spec_;
  Executors executors_{0};
  std::unique_ptr<CheckpointFiles> files_;
  std::unique_ptr<CheckpointReader> reader_;
};

TEST_F(TableLoaderTest, EachServerTakesItsOwnRows) {
  const auto table = Load(1, 3, nullptr).value();  // rows 4 to 6
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->spec(), spec_);
  std::vector<float> values(3);
  table->slots()[0].shard->Read(RowSet::Range(4, 3), values.data());
  EXPECT_EQ(values, (std::vector<float>{4, 5, 6}));
}

TEST_F(TableLoaderTest, AServerWithoutAPartHasNone) {
  TableSpec whole = spec_;
  whole.min_split = 1000;
  int num_tables = 0;
  for (int server = 0; server < 4; ++server) {
    const auto table = Load(server, 4, &whole);
    ASSERT_TRUE(table.ok()) << table.status();
    num_tables += table.value() != nullptr ? 1 : 0;
  }
  EXPECT_EQ(num_tables, 1);
}

TEST_F(TableLoaderTest, AnotherShapeIsRefused) {
  TableSpec other = spec_;
  other.width = 2;
  EXPECT_EQ(Load(0, 1, &other).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TableLoaderTest, ACheckpointWithoutARuleHasThatOfItsSpec) {
  TableSpec mine = spec_;
  mine.updater_options["rate"] = "3";
  EXPECT_EQ(Load(0, 1, nullptr).value()->rules().rule(), TableRule::Of(spec_));
  EXPECT_EQ(Load(0, 1, &mine).value()->rules().rule(), TableRule::Of(mine))
      << "other options are no difference";
}

TEST_F(TableLoaderTest, StatesAreForARuleThatKeepsThem) {
  TableLoader::Options options;
  options.executors = &executors_;
  TableLoader loader(reader_.get(), options);
  TableSlots::Place place;
  place.range = Range(0, 10);
  const auto slots = TableSlots::Make(spec_, place).value();
  const auto states = loader.LoadStates(spec_, *slots, nullptr);
  ASSERT_TRUE(states.ok()) << states.status();
  EXPECT_EQ(states.value().rule, TableRule::Of(spec_));
  EXPECT_EQ(states.value().num_updates, 4u);
  EXPECT_EQ(states.value().ready->size(), 1u);
  const TableRule adam{{"adam", {}}, false, {}};
  const Status refused = loader.LoadStates(spec_, *slots, &adam).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("`add` and `adam`"), std::string::npos) << refused;
  EXPECT_EQ(loader.CheckHasNoPart("w").code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace ps
