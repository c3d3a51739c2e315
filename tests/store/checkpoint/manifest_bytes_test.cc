// The encoding of store/checkpoint/manifest.h.
#include <gtest/gtest.h>

#include <string>

#include "store/checkpoint/manifest.h"
#include "tests/store/checkpoint/saved_table.h"
#include "tests/support/fake_files.h"

namespace ps {
namespace {

TEST(ManifestBytesTest, AServersAnswerRoundTrips) {
  FakeFiles files;
  const Result<ShardFile> file = SaveServer(&files, 1, 1, 2, TwoTables());
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string bytes = EncodeShardFile(file.value());
  const Result<ShardFile> again = DecodeShardFile(bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(EncodeShardFile(again.value()), bytes);
  EXPECT_EQ(again.value().server, 1);
  EXPECT_EQ(again.value().bytes, files.files["1/shard-1"].size());
  ASSERT_EQ(again.value().parts.size(), 2u);
  const SavedPart& part = again.value().parts[0];
  EXPECT_EQ(part.name, "dense");
  EXPECT_EQ(part.range, Range(25, 50));
  EXPECT_EQ(part.num_rows, 25u);
  EXPECT_TRUE(part.has_rounds);
  EXPECT_FALSE(again.value().parts[1].has_rounds);
  EXPECT_TRUE(again.value().parts[1].is_hash);
  EXPECT_EQ(again.value().parts[1].position, part.position + part.bytes);
}

TEST(ManifestBytesTest, SurvivesEveryTruncationAndFlippedBit) {
  FakeFiles files;
  ASSERT_TRUE(Save(&files, 7, 2, TwoTables()).ok());
  const std::string bytes = EncodeManifest(ReadManifest(&files, 7).value());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeManifest(bytes.substr(0, size)).ok());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string other = bytes;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    const Result<Manifest> result = DecodeManifest(other);
    if (result.ok()) {
      EXPECT_TRUE(result.value().Validate().ok());
    }
  }
  EXPECT_FALSE(DecodeShardFile("\xff").ok());
}

}  // namespace
}  // namespace ps
