#include "app/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "app/kv_message.h"
#include "message/node_id.h"

namespace ps {
namespace {

std::vector<Range> RangesOf(int num_servers) {
  std::vector<Range> ranges;
  const Key width = kMaxKey / static_cast<Key>(num_servers);
  for (int i = 0; i < num_servers; ++i)
    ranges.emplace_back(width * static_cast<Key>(i),
                        i + 1 == num_servers ? kMaxKey : width * static_cast<Key>(i + 1));
  return ranges;
}

KVBytes KeysOnly(const std::vector<Key>& keys) { return {SArray<Key>(keys), {}, {}, 0}; }

Message Answer(const std::vector<Key>& keys, const std::vector<float>& vals,
               const std::vector<int>& lens = {}) {
  Message message;
  AddBlocks(KVBytes::Of(KVPairs<float>{SArray<Key>(keys), SArray<float>(vals), SArray<int>(lens), 0}), FLOAT,
            &message);
  return message;
}

constexpr Key kHigh = 1ULL << 63;  // the first key of the second of two servers

struct TwoServers {
  explicit TwoServers(std::vector<Key> keys)
      : slices(SliceByRange(KeysOnly(keys), sizeof(float), RangesOf(2))) {
    pull.num_keys = keys.size();
    pull.element = ElementType::Of<float>();
    pull.vals = PullBuffer::Of(&vals);
    pull.lens = PullBuffer::Of(&lens);
  }
  Gather Make() { return Gather(pull, slices); }

  std::vector<float> vals;
  std::vector<int> lens;
  std::vector<Slice> slices;
  Gather::Pull pull;
};

TEST(GatherTest, PutsAnswersWhereTheirKeysAreInAnyOrderOfArrival) {
  TwoServers two({1, 2, kHigh});
  Gather gather = two.Make();
  ASSERT_TRUE(gather.Add(10, Answer({kHigh}, {5, 6})).ok());
  ASSERT_TRUE(gather.Add(8, Answer({1, 2}, {1, 2, 3, 4})).ok());
  ASSERT_TRUE(gather.Write().ok());
  EXPECT_EQ(two.vals, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(two.lens, (std::vector<int>{2, 2, 2}));
}

TEST(GatherTest, MemoryOfTheServerIsCopiedAndNotHandedOn) {
  for (const bool borrowed : {false, true}) {
    SArray<float> vals;
    Gather::Pull pull;
    pull.num_keys = 1;
    pull.element = ElementType::Of<float>();
    pull.vals = PullBuffer::Of(&vals);
    Gather gather(pull, SliceByRange(KeysOnly({1}), sizeof(float), RangesOf(1)));
    Message answer = Answer({1}, {5, 6});
    answer.meta.borrowed = borrowed;
    ASSERT_TRUE(gather.Add(8, answer).ok());
    ASSERT_TRUE(gather.Write().ok());
    ASSERT_EQ(vals.size(), 2u);
    EXPECT_EQ(vals[1], 6);
    EXPECT_EQ(reinterpret_cast<char*>(vals.data()) == answer.data[1].data(), !borrowed);
  }
}

TEST(GatherTest, MixesAnswersWithAndWithoutLens) {
  TwoServers two({1, 2, kHigh});
  Gather gather = two.Make();
  ASSERT_TRUE(gather.Add(8, Answer({1, 2}, {1, 2, 3}, {3, 0})).ok());
  ASSERT_TRUE(gather.Add(10, Answer({kHigh}, {5})).ok());
  ASSERT_TRUE(gather.Write().ok());
  EXPECT_EQ(two.vals, (std::vector<float>{1, 2, 3, 5}));
  EXPECT_EQ(two.lens, (std::vector<int>{3, 0, 1}));
}

TEST(GatherTest, AServerMayAnswerInAnotherOrder) {
  TwoServers two({1, 2, 2, 3});
  Gather gather = two.Make();
  ASSERT_TRUE(gather.Add(8, Answer({3, 2, 1, 2}, {30, 20, 10, 21})).ok());
  ASSERT_TRUE(gather.Write().ok());
  EXPECT_EQ(two.vals, (std::vector<float>{10, 20, 21, 30}));
}

// A slicer of the program may ask a server for nothing.
TEST(GatherTest, AnAnswerToNoKeysHasNoValues) {
  TwoServers two({1, 2});
  Gather gather = two.Make();
  EXPECT_EQ(gather.Add(10, Answer({}, {5})).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(gather.Add(10, Answer({}, {})).ok());
  ASSERT_TRUE(gather.Add(8, Answer({1, 2}, {1, 2})).ok());
  ASSERT_TRUE(gather.Write().ok());
  EXPECT_EQ(two.vals, (std::vector<float>{1, 2}));
}

TEST(GatherTest, ABufferMustBeEmptyOrFit) {
  TwoServers two({1, 2});
  two.vals = {7, 7, 7};
  Gather gather = two.Make();
  ASSERT_TRUE(gather.Add(8, Answer({1, 2}, {1, 2})).ok());
  const Status refused = gather.Write();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("3 elements, 2 came"), std::string::npos) << refused;
  EXPECT_EQ(two.vals, (std::vector<float>{7, 7, 7}));
}

TEST(GatherTest, LensMustBeEmptyOrFit) {
  TwoServers two({1, 2});
  two.lens = {1};
  Gather gather = two.Make();
  ASSERT_TRUE(gather.Add(8, Answer({1, 2}, {1, 2})).ok());
  EXPECT_EQ(gather.Write().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(two.vals.empty());
}

TEST(GatherTest, APushPullBringsAsManyValuesAsWerePushed) {
  TwoServers two({1, 2});
  two.pull.exact = true;
  two.pull.exact_vals = 4;
  Gather gather = two.Make();
  ASSERT_TRUE(gather.Add(8, Answer({1, 2}, {1, 2})).ok());
  EXPECT_EQ(gather.Write().code(), StatusCode::kInvalidArgument);
}

TEST(GatherTest, WrongAnswersNameTheServer) {
  const std::vector<Message> wrong = {
      Message(),                           // empty
      Answer({1}, {1}),                    // partial
      Answer({1, 3}, {1, 2}),              // a foreign key
      Answer({1, 2, 3}, {1, 2, 3}),        // too much
      Answer({1, 2}, {1, 2, 3}),           // does not divide
      Answer({1, 2}, {1, 2, 3}, {1, 1}),   // lens do not fit
      Answer({1, 2}, {1, 2, 3}, {4, -1}),  // negative lens
  };
  for (const Message& answer : wrong) {
    TwoServers two({1, 2});
    Gather gather = two.Make();
    const Status refused = gather.Add(8, answer);
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(refused.message().find("server 0 (id 8)"), std::string::npos) << refused;
  }
}

TEST(GatherTest, RefusesAnAnswerOfAnotherTypeAndOfNobodyAsked) {
  TwoServers two({1});
  Gather gather = two.Make();
  Message doubles;
  AddBlocks(KVBytes::Of(KVPairs<double>{SArray<Key>({1}), SArray<double>({1.0}), {}, 0}), DOUBLE, &doubles);
  EXPECT_FALSE(gather.Add(8, doubles).ok());
  EXPECT_FALSE(gather.Add(12, Answer({1}, {1})).ok());
  EXPECT_FALSE(gather.Add(9, Answer({1}, {1})).ok());
}

TEST(GatherTest, AnEmptyArrayTakesOverAWholeAnswer) {
  TwoServers two({1, 2});
  SArray<float> vals;
  two.pull.vals = PullBuffer::Of(&vals);
  Gather gather = two.Make();
  const Message answer = Answer({1, 2}, {1, 2});
  ASSERT_TRUE(gather.Add(8, answer).ok());
  ASSERT_TRUE(gather.Write().ok());
  EXPECT_EQ(static_cast<const void*>(vals.data()), static_cast<const void*>(answer.data[1].data()));
}

TEST(GatherTest, AllKeysMayBeAskedOfOneServer) {
  TwoServers two({kHigh, kHigh + 1});
  Gather gather(two.pull, 1, SArray<Key>({kHigh, kHigh + 1}));
  EXPECT_FALSE(gather.Add(8, Answer({kHigh, kHigh + 1}, {1, 2})).ok()) << "server 0 was not asked";
  EXPECT_FALSE(gather.Add(12, Answer({kHigh, kHigh + 1}, {1, 2})).ok());
  ASSERT_TRUE(gather.Add(10, Answer({kHigh + 1, kHigh}, {1, 2, 3}, {1, 2})).ok()) << "the other way round";
  ASSERT_TRUE(gather.Write().ok());
  EXPECT_EQ(two.vals, (std::vector<float>{2, 3, 1}));
  EXPECT_EQ(two.lens, (std::vector<int>{2, 1}));
}

TEST(GatherTest, AnArrayWithMemoryIsWrittenInPlace) {
  TwoServers two({1, 2});
  std::vector<float> memory(2);
  SArray<float> vals(memory.data(), memory.size());
  two.pull.vals = PullBuffer::Of(&vals);
  Gather gather = two.Make();
  ASSERT_TRUE(gather.Add(8, Answer({1, 2}, {1, 2})).ok());
  ASSERT_TRUE(gather.Write().ok());
  EXPECT_EQ(memory, (std::vector<float>{1, 2}));
}

// Random keys, lengths, partitions and orders of arrival, against a map from key to values.
TEST(GatherTest, AgreesWithANaiveModel) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const int servers = 1 + static_cast<int>(random() % 6);
    std::vector<Key> keys(1 + random() % 100);
    for (Key& key : keys) key = random() % 3 == 0 ? random() % 20 : random();
    std::sort(keys.begin(), keys.end());
    const bool even = seed % 3 == 0;
    std::map<Key, std::vector<float>> model;
    for (Key key : keys) {
      std::vector<float>& vals = model[key];
      vals.resize(even ? 3 : random() % 5);
      for (float& val : vals) val = static_cast<float>(random() % 1000);
    }
    std::vector<float> expected;
    std::vector<int> expected_lens;
    for (Key key : keys) {
      expected.insert(expected.end(), model[key].begin(), model[key].end());
      expected_lens.push_back(static_cast<int>(model[key].size()));
    }

    const KVBytes request = KeysOnly(keys);
    const auto slices = seed % 2 == 0 ? SliceByHash(request, sizeof(float), static_cast<std::size_t>(servers))
                                      : SliceByRange(request, sizeof(float), RangesOf(servers));
    std::vector<float> vals;
    std::vector<int> lens;
    Gather::Pull pull;
    pull.num_keys = keys.size();
    pull.element = ElementType::Of<float>();
    pull.vals = PullBuffer::Of(&vals);
    pull.lens = PullBuffer::Of(&lens);
    Gather gather(pull, slices);
    std::vector<std::size_t> order(slices.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t s : order) {
      if (slices[s].data.keys.empty()) continue;
      std::vector<Key> answered(slices[s].data.keys.begin(), slices[s].data.keys.end());
      if (random() % 4 == 0) std::shuffle(answered.begin(), answered.end(), random);
      std::vector<float> answer_vals;
      std::vector<int> answer_lens;
      for (Key key : answered) {
        answer_vals.insert(answer_vals.end(), model[key].begin(), model[key].end());
        answer_lens.push_back(static_cast<int>(model[key].size()));
      }
      if (even && random() % 2 == 0) answer_lens.clear();
      const int node = ServerIdOfRank(static_cast<int>(s));
      ASSERT_TRUE(gather.Add(node, Answer(answered, answer_vals, answer_lens)).ok());
    }
    ASSERT_TRUE(gather.Write().ok());
    ASSERT_EQ(vals, expected);
    ASSERT_EQ(lens, expected_lens);
  }
}

}  // namespace
}  // namespace ps
