#include "store/checkpoint/writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "store/checkpoint/steps.h"
#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/fake_files.h"

namespace ps {
namespace {

TableRecord Dense() { return RecordOf(DenseSpec("dense", 50, 3), 2, Range(10, 20)); }

std::unique_ptr<CheckpointWriter> WriterTo(FakeFiles* files) {
  return std::move(CheckpointWriter::Create(files, 1, 0).value());
}

TEST(CheckpointWriterTest, TheFileAppearsWhenItIsWhole) {
  FakeFiles files;
  const auto writer = WriterTo(&files);
  ASSERT_TRUE(SavePart(writer.get(), Dense(), 0).ok());
  EXPECT_TRUE(files.files.empty());
  const Result<ShardFile> file = writer->Finish();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file.value().bytes, files.files["1/shard-0"].size());
  EXPECT_EQ(file.value().parts[0].num_rows, 10u);
}

TEST(CheckpointWriterTest, PiecesMayComeInAnyOrder) {
  FakeFiles files;
  const auto writer = WriterTo(&files);
  const TableRecord record = Dense();
  ASSERT_TRUE(writer->BeginTable(record).ok());
  EXPECT_TRUE(AddPiece<float>(writer.get(), record, {17, 18, 19}).ok());
  EXPECT_TRUE(AddPiece<float>(writer.get(), record, {10, 11, 12, 13, 14, 15, 16}).ok());
  EXPECT_TRUE(writer->EndTable().ok());
  EXPECT_TRUE(writer->Finish().ok());
}

// Whoever copies pieces out of shards is told when they are not the table; nothing is committed then.
TEST(CheckpointWriterTest, PiecesThatAreNotTheTableEndIt) {
  const auto fails = [](const auto& use) {
    FakeFiles files;
    const auto writer = WriterTo(&files);
    const TableRecord record = Dense();
    EXPECT_TRUE(writer->BeginTable(record).ok());
    const Status status = use(writer.get(), record);
    EXPECT_EQ(status.code(), StatusCode::kInternal) << status;
    EXPECT_EQ(writer->EndTable(), status) << "the first error stays";
    EXPECT_EQ(writer->Finish().status(), status);
    EXPECT_TRUE(files.files.empty());
  };
  fails([](CheckpointWriter* w, const TableRecord&) { return w->EndTable(); });
  fails([](CheckpointWriter* w, const TableRecord&) { return w->Finish().status(); });
  fails([](CheckpointWriter* w, const TableRecord& r) { return w->BeginTable(r); });
  fails([](CheckpointWriter* w, const TableRecord& r) { return AddPiece<double>(w, r, {10}); });
  fails([](CheckpointWriter* w, const TableRecord& r) { return AddPiece<float>(w, r, {9, 10}); });
  fails([](CheckpointWriter* w, const TableRecord& r) { return AddPiece<float>(w, r, {19, 20}); });
  fails([](CheckpointWriter* w, const TableRecord&) {
    const std::uint64_t key = 10;
    const std::vector<float> arrays(9);
    return w->Add({RowSet::List(&key, 1), arrays.data(), 36});
  });
  FakeFiles files;
  const auto writer = WriterTo(&files);
  TableRecord nothing = Dense();
  nothing.range = Range(10, 10);
  EXPECT_EQ(writer->BeginTable(nothing).code(), StatusCode::kInternal);
}

// R16: whatever call of the device fails, whatever byte finds no room, the save says so and the checkpoint
// before it is what will be loaded.
TEST(CheckpointWriterTest, WhenAnythingFailsTheCheckpointBeforeIsTheNewest) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 1, 2, TwoTables()).ok());
  files.num_calls = files.num_bytes = 0;
  ASSERT_TRUE(Save(&files, 2, 2, TwoTables()).ok());
  const std::uint64_t num_calls = files.num_calls;
  const std::uint64_t num_bytes = files.num_bytes;
  ASSERT_GT(num_calls, 50u);
  const auto save_fails = [&files](std::uint64_t call, std::uint64_t byte, StatusCode code,
                                   const std::string& why) {
    ASSERT_TRUE(files.Remove("2").ok());
    files.num_calls = files.num_bytes = 0;
    files.failing_call = call;
    files.failing_byte = byte;
    const Status status = Save(&files, 2, 2, TwoTables());
    files.failing_call = files.failing_byte = FakeFiles::kNever;
    ASSERT_EQ(status.code(), code) << status;
    EXPECT_NE(status.message().find("fake:2/"), std::string::npos) << status;
    EXPECT_NE(status.message().find(why), std::string::npos) << status;
    EXPECT_EQ(FindNewestStep(&files).value().step, 1u);
  };
  for (std::uint64_t call = 0; call < num_calls; ++call) {
    save_fails(call, FakeFiles::kNever, StatusCode::kUnavailable, "the device failed");
  }
  for (std::uint64_t byte = 0; byte < num_bytes; byte += 1 + byte % 13) {
    save_fails(FakeFiles::kNever, byte, StatusCode::kResourceExhausted, "no space");
  }
}

}  // namespace
}  // namespace ps
