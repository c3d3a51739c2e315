#include "store/checkpoint/block.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_files.h"

namespace ps {
namespace {

// Two blocks: a head alone, and one of 5 bytes in two parts.
std::string TwoBlocks() {
  FakeFiles files;
  const auto file = std::move(files.Create("f").value());
  BlockWriter writer(file.get());
  Block block;
  block.kind = Block::kFile;
  block.count = 7;
  EXPECT_TRUE(writer.Append(block, {}).ok());
  block.kind = Block::kTable;
  block.sequence = 1;
  EXPECT_TRUE(writer.Append(block, {"abc", "de"}).ok());
  EXPECT_EQ(writer.position(), 2 * Block::kHeadBytes + 5);
  EXPECT_TRUE(file->Commit().ok());
  return files.files["f"];
}

// Reads both blocks of such a file.
Status ReadBoth(const std::string& text) {
  FakeFiles files;
  files.files["f"] = text;
  BlockReader reader(std::move(files.Open("f").value()), "fake:f");
  const Result<Block> first = reader.Next({Block::kFile}, 0);
  if (!first.ok()) return first.status();
  EXPECT_EQ(first.value().count, 7u);
  const Result<Block> second = reader.Next({Block::kRows, Block::kTable}, 1);
  if (!second.ok()) return second.status();
  std::vector<char> body(100, 'x');
  PS_RETURN_IF_ERROR(reader.Body(&body));
  EXPECT_EQ(std::string(body.data(), body.size()), "abcde");
  EXPECT_TRUE(reader.AtEnd().value());
  return Status::Ok();
}

TEST(CheckpointBlockTest, ReadsWhatWasWritten) {
  const Status status = ReadBoth(TwoBlocks());
  EXPECT_TRUE(status.ok()) << status;
}

TEST(CheckpointBlockTest, EveryFlippedBitIsFound) {
  const std::string text = TwoBlocks();
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    const Status status = ReadBoth(other);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << bit;
    EXPECT_NE(status.message().find("fake:f is"), std::string::npos) << status;
  }
}

TEST(CheckpointBlockTest, EveryTruncationIsFound) {
  const std::string text = TwoBlocks();
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(ReadBoth(text.substr(0, size)),
              Status::FailedPrecondition("fake:f is cut off at byte " + std::to_string(size)));
  }
}

TEST(CheckpointBlockTest, TellsWhatIsWrongApart) {
  EXPECT_EQ(ReadBoth(std::string(100, 'x')), Status::InvalidArgument("fake:f is no file of a checkpoint"));
  std::string text = TwoBlocks();
  text[Block::kHeadBytes + Block::kHeadBytes] = 'X';
  EXPECT_EQ(ReadBoth(text),
            Status::InvalidArgument("fake:f is damaged at byte 64: a block of 5 bytes has another checksum"));
  text = TwoBlocks();
  text[Block::kHeadBytes + 20] = 'X';
  EXPECT_EQ(ReadBoth(text),
            Status::InvalidArgument("fake:f is damaged at byte 64: the head of a block is wrong"));
  text = TwoBlocks();
  EXPECT_EQ(ReadBoth(text.substr(0, 64) + text),
            Status::InvalidArgument("fake:f is damaged at byte 64: a block of kind 1 does not belong here"));
}

// A head with another format, as a later version may write it.
TEST(CheckpointBlockTest, SaysThatAFileIsNewer) {
  std::string text = TwoBlocks();
  text[12] = 2;
  const std::uint64_t digest = DigestOf(text.data(), 56);
  text.replace(56, 8, reinterpret_cast<const char*>(&digest), 8);
  EXPECT_EQ(ReadBoth(text),
            Status::InvalidArgument("fake:f was written by a newer version: its format is 2, the newest "
                                    "known here is 1"));
}

TEST(CheckpointBlockTest, SkipsBodiesThatNobodyWants) {
  FakeFiles files;
  const auto file = std::move(files.Create("f").value());
  BlockWriter writer(file.get());
  Block block;
  block.kind = Block::kRows;
  const std::string large(1000000, 'x');
  for (block.sequence = 0; block.sequence < 3; ++block.sequence)
    EXPECT_TRUE(writer.Append(block, {large}).ok());
  const std::uint64_t digest = writer.TakeDigest();
  EXPECT_TRUE(file->Commit().ok());
  BlockReader reader(std::move(files.Open("f").value()), "fake:f");
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_TRUE(reader.Next({Block::kRows}, i).ok());
  EXPECT_TRUE(reader.AtEnd().value());
  EXPECT_LE(files.num_read, 3 * Block::kHeadBytes);
  EXPECT_EQ(reader.TakeDigest(), digest);
  EXPECT_TRUE(reader.Seek(Block::kHeadBytes + large.size()).ok());
  EXPECT_TRUE(reader.Next({Block::kRows}, 1).ok());
  EXPECT_NE(reader.TakeDigest(), digest) << "since the seek";
}

// Also when its checksum is right.
TEST(CheckpointBlockTest, AClaimedSizeTakesNoMemory) {
  std::string text = TwoBlocks();
  const std::uint64_t huge = std::uint64_t{1} << 60;
  text.replace(64 + 40, 8, reinterpret_cast<const char*>(&huge), 8);
  const std::uint64_t digest = DigestOf(text.data() + 64, 56);
  text.replace(64 + 56, 8, reinterpret_cast<const char*>(&digest), 8);
  EXPECT_EQ(ReadBoth(text).code(), StatusCode::kFailedPrecondition);
  const std::uint64_t endless = ~std::uint64_t{0};
  text.replace(64 + 40, 8, reinterpret_cast<const char*>(&endless), 8);
  const std::uint64_t again = DigestOf(text.data() + 64, 56);
  text.replace(64 + 56, 8, reinterpret_cast<const char*>(&again), 8);
  EXPECT_EQ(ReadBoth(text), Status::InvalidArgument("fake:f is damaged at byte 64: a block has no end"));
}

TEST(CheckpointBlockTest, PassesOnWhatTheDeviceSays) {
  FakeFiles files;
  files.files["f"] = TwoBlocks();
  BlockReader reader(std::move(files.Open("f").value()), "fake:f");
  files.failing_call = files.num_calls;
  EXPECT_EQ(reader.Next({Block::kFile}, 0).status(), Status::Unavailable("fake:f: the device failed"));
}

}  // namespace
}  // namespace ps
