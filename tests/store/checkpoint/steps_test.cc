#include "store/checkpoint/steps.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/fake_files.h"

namespace ps {
namespace {

using Steps = std::vector<std::uint64_t>;

// Steps that were saved; of those below 0 the manifest is missing.
FakeFiles With(const std::vector<int>& steps) {
  FakeFiles files;
  for (const int step : steps) {
    const auto number = static_cast<std::uint64_t>(std::abs(step));
    EXPECT_TRUE(Save(&files, number, 2, TwoTables()).ok());
    if (step < 0) files.files.erase(std::to_string(number) + "/MANIFEST");
  }
  return files;
}

TEST(CheckpointStepsTest, ListsThemByNumber) {
  FakeFiles files = With({9, -10, 2});
  files.files["007/MANIFEST"] = "";
  files.files["-1/MANIFEST"] = "";
  files.files["notes/1"] = "";
  files.files["99999999999999999999/MANIFEST"] = "";
  EXPECT_EQ(ListSteps(&files).value(), (Steps{2, 9, 10}));
  EXPECT_EQ(NextStep(&files).value(), 11u);
  files.files["18446744073709551615/x"] = "";
  EXPECT_EQ(NextStep(&files).status().code(), StatusCode::kResourceExhausted);
  FakeFiles none;
  EXPECT_EQ(ListSteps(&none).value(), Steps{});
  EXPECT_EQ(NextStep(&none).value(), 1u);
}

TEST(CheckpointStepsTest, TheNewestIsTheLastThatIsComplete) {
  FakeFiles files = With({1, 2, -3, -4});
  const NewestStep newest = FindNewestStep(&files).value();
  EXPECT_EQ(newest.step, 2u);
  EXPECT_EQ(newest.incomplete, (Steps{4, 3}));
  FakeFiles begun = With({-1});
  EXPECT_EQ(FindNewestStep(&begun).status(), Status::NotFound("there is no complete checkpoint in fake:"));
}

// Places without rename show a manifest while it is being written.
TEST(CheckpointStepsTest, TheBeginningOfAManifestIsNone) {
  FakeFiles files = With({1, 2});
  const std::string text = files.files["2/MANIFEST"];
  for (std::size_t size = 0; size < text.size(); ++size) {
    files.files["2/MANIFEST"] = text.substr(0, size);
    ASSERT_EQ(FindNewestStep(&files).value().step, 1u) << size;
  }
}

// It was complete: to take an older one for it would undo work in silence.
TEST(CheckpointStepsTest, ADamagedManifestIsNotPassedOver) {
  FakeFiles files = With({1, 2});
  files.files["2/MANIFEST"][70] = static_cast<char>(files.files["2/MANIFEST"][70] ^ 1);
  const Status status = FindNewestStep(&files).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("fake:2/MANIFEST is damaged"), std::string::npos) << status;
  ASSERT_TRUE(RemoveOldSteps(&files, 2).ok());
  EXPECT_EQ(ListSteps(&files).value(), (Steps{1, 2})) << "it may still be wanted";
}

TEST(CheckpointStepsTest, OldOnesAndWhatWasNeverEndedAreRemoved) {
  FakeFiles files = With({1, -2, 3, -4, 5, 6, -7});
  ASSERT_TRUE(RemoveOldSteps(&files, 2).ok());
  EXPECT_EQ(ListSteps(&files).value(), (Steps{5, 6, 7})) << "7 may be being written";
  ASSERT_TRUE(RemoveOldSteps(&files, 0).ok());
  EXPECT_EQ(ListSteps(&files).value(), (Steps{6, 7})) << "never the last complete one";
  FakeFiles begun = With({-1, -2});
  ASSERT_TRUE(RemoveOldSteps(&begun, 1).ok());
  EXPECT_EQ(ListSteps(&begun).value(), (Steps{1, 2}));
}

TEST(CheckpointStepsTest, WhereNothingCanBeRemovedThatIsSaid) {
  FakeFiles files = With({1, 2});
  files.can_remove = false;
  EXPECT_EQ(RemoveOldSteps(&files, 1).code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(RemoveOldSteps(&files, 2).ok());
}

TEST(CheckpointStepsTest, ARemovalThatFailsLeavesNoHalfCheckpoint) {
  for (std::uint64_t call = 0; call < 40; ++call) {
    FakeFiles files = With({1, 2, 3});
    files.failing_call = files.num_calls + call;
    const Status status = RemoveOldSteps(&files, 1);
    files.failing_call = FakeFiles::kNever;
    const Steps left = ListSteps(&files).value();
    EXPECT_EQ(status.ok(), left == Steps{3}) << status;
    EXPECT_EQ(left.back(), 3u);
    for (const std::uint64_t step : left) {
      const auto reader = CheckpointReader::Open(&files, step);
      const bool is_whole = reader.ok() && reader.value()->Verify("dense", Range(0, 50)).ok();
      EXPECT_EQ(reader.status().code(), is_whole ? StatusCode::kOk : StatusCode::kNotFound)
          << reader.status();
    }
  }
}

}  // namespace
}  // namespace ps
