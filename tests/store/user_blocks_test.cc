#include "store/user_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ps {
namespace {

SArray<char> Bytes(const std::string& text) {
  return SArray<char>(std::vector<char>(text.begin(), text.end()));
}
std::string TextOf(const SArray<char>& block) { return std::string(block.begin(), block.end()); }
SArray<Key> Sizes(const std::vector<Key>& sizes) { return SArray<Key>(sizes); }

TEST(UserBlocksTest, BlocksAreThereAgainAndEachIsAligned) {
  const UserBlocks blocks = {Bytes("a"), Bytes(""), Bytes("123456789"), Bytes("12345678"), Bytes("")};
  const PackedBlocks packed = PackBlocks(blocks);
  EXPECT_EQ(packed.bytes.size(), PackedBytesOf(blocks));
  const Result<UserBlocks> again = UnpackBlocks(packed.sizes, packed.bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again.value().size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(TextOf(again.value()[i]), TextOf(blocks[i]));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(again.value()[i].data()) % kBlockAlignment, 0u) << i;
  }
}

TEST(UserBlocksTest, NoneAndEmptyOnesAreFine) {
  EXPECT_TRUE(UnpackBlocks(Sizes({}), Bytes("")).value().empty());
  const PackedBlocks packed = PackBlocks({Bytes(""), Bytes("")});
  EXPECT_TRUE(packed.bytes.empty());
  EXPECT_EQ(UnpackBlocks(packed.sizes, packed.bytes).value().size(), 2u);
}

TEST(UserBlocksTest, LengthsThatAreNotThoseOfTheBytesAreRefused) {
  const SArray<char> ten = Bytes("0123456789");
  for (const std::vector<Key>& sizes : std::vector<std::vector<Key>>{
           {}, {9}, {11}, {8, 3}, {1, 1}, {~Key{0}}, {~Key{0} - 6, 10}, {2, ~Key{0}}, {10, 0}}) {
    const Result<UserBlocks> blocks = UnpackBlocks(Sizes(sizes), ten);
    EXPECT_EQ(blocks.status().code(), StatusCode::kInvalidArgument) << testing::PrintToString(sizes);
  }
  EXPECT_TRUE(UnpackBlocks(Sizes({1, 2}), ten).ok()) << "the second one begins at 8";
}

TEST(UserBlocksTest, AnyBlocksSurvive) {
  const unsigned seed = std::random_device()();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    UserBlocks blocks(random() % 6);
    for (SArray<char>& block : blocks) block = SArray<char>(random() % 40, static_cast<char>(random()));
    const PackedBlocks packed = PackBlocks(blocks);
    const Result<UserBlocks> again = UnpackBlocks(packed.sizes, packed.bytes);
    ASSERT_TRUE(again.ok()) << again.status() << ", seed " << seed;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      ASSERT_EQ(TextOf(again.value()[i]), TextOf(blocks[i])) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ps
