#include "store/checkpoint/stream_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "store/checkpoint/steps.h"
#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/job.h"

namespace ps {
namespace {

// dmlc's own local files stand for all kinds of places that it knows.
class StreamFilesTest : public testing::Test {
 protected:
  StreamFilesTest() {
    folder_ = NewFolder("ps_streams");
    files_ = std::move(StreamFiles::At("file://" + folder_).value());
  }
  ~StreamFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::unique_ptr<CheckpointFiles> files_;
};

TEST_F(StreamFilesTest, ACheckpointIsSavedFoundAndReadBack) {
  std::filesystem::create_directories(folder_ + "/1");  // such places have no folders, local ones do
  EXPECT_EQ(FindNewestStep(files_.get()).status().code(), StatusCode::kNotFound);
  const Status saved = Save(files_.get(), 1, 2, TwoTables());
  ASSERT_TRUE(saved.ok()) << saved;
  EXPECT_EQ(FindNewestStep(files_.get()).value().step, 1u);
  std::vector<std::string> names = files_->List("1").value();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"MANIFEST", "shard-0", "shard-1"}));
  const auto reader = std::move(CheckpointReader::Open(files_.get(), 1).value());
  EXPECT_EQ(CountRight<float>(reader.get(), TwoTables()[0], Range(0, 50)).value(), 50u);
  EXPECT_EQ(CountRight<double>(reader.get(), TwoTables()[1], Range(0, 4096)).value(), 60u);
}

TEST_F(StreamFilesTest, WhatItThrowsBecomesAStatus) {
  const Status status = files_->Create("no/such/folder").status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message().find('\n'), std::string::npos) << status;
  EXPECT_NE(status.message().find(folder_ + "/no/such/folder cannot be written"), std::string::npos)
      << status;
  EXPECT_EQ(files_->Open("none").status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(files_->List("none").value().empty());
  EXPECT_EQ(files_->Remove("1").code(), StatusCode::kFailedPrecondition);
  const Status unknown = StreamFiles::At("nowhere://bucket/model").status();
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.message().find("nowhere://"), std::string::npos) << unknown;
}

// Bytes that could not be kept show in the size at the end, if not before.
TEST_F(StreamFilesTest, AFullDeviceIsNoticed) {
  std::filesystem::create_symlink("/dev/full", folder_ + "/small");
  const auto file = std::move(files_->Create("small").value());
  EXPECT_TRUE(file->Append("x", 1).ok()) << "buffered";
  const Status status = file->Commit();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  const std::string large(1000000, 'x');
  const auto again = std::move(files_->Create("small").value());
  EXPECT_EQ(again->Append(large.data(), large.size()).code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace ps
