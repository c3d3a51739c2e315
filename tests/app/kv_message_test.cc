#include "app/kv_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace ps {
namespace {

template <typename Val>
KVBytes Bytes(std::vector<Key> keys, std::vector<Val> vals, std::vector<int> lens = {}) {
  return KVBytes::Of(KVPairs<Val>{SArray<Key>(keys), SArray<Val>(vals), SArray<int>(lens), 0});
}

Status Shape(const KVBytes& data, bool with_values = true) {
  return CheckShape(data, sizeof(float), with_values, "push");
}

TEST(KVMessageTest, BlocksTravelAsTheyAre) {
  Message message;
  AddBlocks(Bytes<float>({1, 5}, {1.5f, 2, 3}, {1, 2}), FLOAT, &message);
  EXPECT_EQ(message.meta.data_type, (std::vector<DataType>{UINT64, FLOAT, INT32}));
  EXPECT_EQ(message.meta.data_size, 16 + 12 + 8);
  const KVBytes read = ReadBlocks(message, ElementType::Of<float>()).value();
  EXPECT_EQ(read.keys[1], 5u);
  EXPECT_EQ(read.As<float>().vals[0], 1.5f);
  EXPECT_EQ(read.lens[1], 2);
}

TEST(KVMessageTest, TakenBlocksHaveOneOwnerAndTheMessageIsLeftItsMeta) {
  Message message;
  AddBlocks(Bytes<float>({1, 5}, {1.5f, 2, 3}, {1, 2}), FLOAT, &message);
  message.meta.timestamp = 7;
  KVBytes data;
  ASSERT_TRUE(TakeBlocks(&message, ElementType::Of<float>(), &data).ok());
  EXPECT_EQ(data.keys.ptr().use_count(), 1);
  EXPECT_EQ(data.keys[1], 5u);
  const KVPairs<float> pairs = std::move(data).As<float>();
  EXPECT_EQ(pairs.vals.ptr().use_count(), 1);
  EXPECT_EQ(pairs.vals[2], 3);
  EXPECT_EQ(pairs.lens[1], 2);
  EXPECT_TRUE(message.data[1].empty());
  EXPECT_EQ(message.meta.timestamp, 7);
}

TEST(KVMessageTest, NoBlocksAreEmptyArrays) {
  const KVBytes read = ReadBlocks(Message(), ElementType::Of<float>()).value();
  EXPECT_TRUE(read.keys.empty());
  EXPECT_TRUE(read.vals.empty());
}

TEST(KVMessageTest, RefusesAnotherElementTypeByName) {
  Message message;
  AddBlocks(Bytes<float>({1}, {1}), FLOAT, &message);
  const Status refused = ReadBlocks(message, ElementType::Of<double>()).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("FLOAT"), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("DOUBLE"), std::string::npos) << refused;
  EXPECT_TRUE(ReadBlocks(message, ElementType::Of<char>()).ok());
}

TEST(KVMessageTest, RefusesBlocksThatCannotBeWhatTheyClaim) {
  const ElementType element = ElementType::Of<float>();
  Message message;
  message.AddData(SArray<char>(7));
  EXPECT_EQ(ReadBlocks(message, element).status().code(), StatusCode::kInvalidArgument);

  message = Message();
  AddBlocks(Bytes<char>({1}, {'a', 'b', 'c'}), OTHER, &message);
  EXPECT_EQ(ReadBlocks(message, element).status().code(), StatusCode::kInvalidArgument);

  for (const std::vector<int>& lens : {std::vector<int>{1}, {1, 1}, {3, -1}, {2, 0, 0}}) {
    message = Message();
    AddBlocks(Bytes<float>({1, 2}, {1, 2, 3}, lens), FLOAT, &message);
    EXPECT_EQ(ReadBlocks(message, element).status().code(), StatusCode::kInvalidArgument)
        << DebugStr(lens.data(), lens.size());
  }

  message.AddData(SArray<char>(4));
  EXPECT_EQ(ReadBlocks(message, element).status().code(), StatusCode::kInvalidArgument);
}

TEST(KVMessageTest, RealignsWhatIsMisaligned) {
  SArray<char> memory(64);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i);
  Message message;
  message.AddData(memory.segment(1, 17));
  message.AddData(memory.segment(17, 25));
  message.AddData(memory.segment(25, 33));
  std::memset(memory.data() + 25, 0, 8);
  memory[25] = 1;
  memory[29] = 1;
  const KVBytes read = ReadBlocks(message, ElementType::Of<float>()).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read.keys.data()) % alignof(Key), 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read.vals.data()) % alignof(float), 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read.lens.data()) % alignof(int), 0u);
  EXPECT_EQ(static_cast<unsigned>(read.keys[0] & 0xff), 1u);
  EXPECT_EQ(read.lens[1], 1);
}

TEST(KVMessageTest, KeysMayRepeatButNotDecrease) {
  EXPECT_TRUE(Shape(Bytes<float>({0, 0, 3}, {1, 2, 3})).ok());
  const Status refused = Shape(Bytes<float>({1, 9, 7}, {1, 2, 3}));
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(refused.message(), "push: keys must not decrease: keys[2] = 7 comes after 9");
  EXPECT_FALSE(Shape(Bytes<float>({2, 1}, {}), false).ok());
}

TEST(KVMessageTest, ValuesAndLensMustFit) {
  EXPECT_TRUE(Shape(Bytes<float>({1, 2}, {1, 2, 3, 4})).ok());
  EXPECT_TRUE(Shape(Bytes<float>({1, 2}, {})).ok());
  EXPECT_TRUE(Shape(Bytes<float>({}, {})).ok());
  EXPECT_TRUE(Shape(Bytes<float>({1, 2, 3}, {1, 2, 3}, {3, 0, 0})).ok());
  EXPECT_FALSE(Shape(Bytes<float>({1, 2}, {1, 2, 3})).ok());
  EXPECT_FALSE(Shape(Bytes<float>({}, {1})).ok());
  EXPECT_FALSE(Shape(Bytes<float>({1, 2}, {1, 2, 3}, {3})).ok());
  EXPECT_FALSE(Shape(Bytes<float>({1, 2}, {1, 2, 3}, {4, -1})).ok());
  EXPECT_FALSE(Shape(Bytes<float>({1, 2}, {1, 2, 3}, {1, 1})).ok());
}

TEST(KVMessageTest, KeysAreCopiedWholeAndTheirOrderIsSeenEverywhere) {
  for (std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{2048}, std::size_t{2049}, std::size_t{6000}}) {
    std::vector<Key> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = i / 2;
    std::vector<Key> copy(count);
    EXPECT_TRUE(CopyInOrder(keys.data(), count, copy.data())) << count;
    EXPECT_EQ(copy, keys);
  }
  for (std::size_t drop : {1, 2047, 2048, 2049, 4095, 4096, 5999}) {
    std::vector<Key> keys(6000, 5);
    keys[drop] = 4;
    std::fill(keys.begin() + static_cast<long>(drop) + 1, keys.end(), 6);
    std::vector<Key> copy(keys.size());
    EXPECT_FALSE(CopyInOrder(keys.data(), keys.size(), copy.data())) << drop;
    EXPECT_EQ(copy, keys);
  }
}

}  // namespace
}  // namespace ps
