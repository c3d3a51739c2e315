#include "store/checkpoint/files.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

std::string PathAt(const std::string& uri) { return OpenCheckpointFiles(uri).value()->PathOf("7/shard-0"); }

TEST(CheckpointFilesTest, PathsAndFileUrisAreLocal) {
  EXPECT_EQ(PathAt("/a/b"), "/a/b/7/shard-0");
  EXPECT_EQ(PathAt("a"), "a/7/shard-0");
  EXPECT_EQ(PathAt("file:///a/b"), "/a/b/7/shard-0");
  EXPECT_EQ(OpenCheckpointFiles("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(OpenCheckpointFiles("file://").status().code(), StatusCode::kInvalidArgument);
}

TEST(CheckpointFilesTest, OtherKindsAreThoseOfDmlc) {
  const Status status = OpenCheckpointFiles("nowhere://bucket").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("nowhere://bucket"), std::string::npos) << status;
}

}  // namespace
}  // namespace ps
