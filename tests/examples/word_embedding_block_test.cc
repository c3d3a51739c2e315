// Blocks: what a worker computes between a read and an Add.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "examples/word_embedding/block.h"

namespace embedding {
namespace {

// Words w0, w1, ... in sentences of different lengths; w0 is the most frequent one.
std::vector<Sentence> MakeText(std::size_t num_sentences) {
  std::vector<Sentence> text;
  for (std::size_t i = 0; i < num_sentences; ++i) {
    Sentence sentence;
    for (std::size_t j = 0; j < 3 + i % 5; ++j) sentence.push_back("w" + std::to_string((i * j) % 11));
    text.push_back(sentence);
  }
  return text;
}

class BlockTest : public testing::Test {
 protected:
  Options PlainOptions() const {
    Options options;
    options.subsample = 0;
    options.window = 2;
    options.negative = 3;
    return options;
  }
  Block MakeOf(const Options& options, const std::vector<std::size_t>& sentences,
               std::uint64_t seed = 1) const {
    return BlockMaker(options, vocabulary_)
        .Make(corpus_, sentences.data(), sentences.data() + sentences.size(), seed);
  }

  // The rows of the words of a sentence.
  std::vector<std::uint64_t> RowsOfSentence(std::size_t sentence) const {
    const RowOrder order(vocabulary_.size());
    std::vector<std::uint64_t> rows;
    for (std::size_t i = corpus_.offsets[sentence]; i < corpus_.offsets[sentence + 1]; ++i)
      rows.push_back(order.RowOf(corpus_.words[i]));
    return rows;
  }
  // Those at most `reach` places away.
  static std::vector<std::uint64_t> RowsAround(const std::vector<std::uint64_t>& rows, std::size_t at,
                                               std::size_t reach) {
    std::vector<std::uint64_t> around;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i != at && i + reach >= at && i <= at + reach) around.push_back(rows[i]);
    }
    return around;
  }

  const std::vector<Sentence> text_ = MakeText(40);
  const Vocabulary vocabulary_{text_, 1};
  const Corpus corpus_ = Encode(text_, vocabulary_);
};

TEST(RowOrderTest, IsOneToOneAndPutsNeighboursFarApart) {
  for (const std::size_t num_rows : {1u, 2u, 7u, 10u, 5369u}) {
    const RowOrder order(num_rows);
    std::set<std::uint64_t> rows;
    for (std::uint32_t id = 0; id < num_rows; ++id) rows.insert(order.RowOf(id));
    EXPECT_EQ(rows.size(), num_rows);
    EXPECT_LT(*rows.rbegin(), num_rows);
  }
  const RowOrder order(5000);
  std::size_t in_first_half = 0;
  for (std::uint32_t id = 0; id < 100; ++id) in_first_half += order.RowOf(id) < 2500 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(in_first_half), 50, 5);
}

TEST_F(BlockTest, AWindowHasTheWordsAroundAndTheWordItself) {
  const Block block = MakeOf(PlainOptions(), {7});
  const std::vector<std::uint64_t> rows = RowsOfSentence(7);
  ASSERT_EQ(block.windows.size(), rows.size());
  std::size_t input = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    std::vector<std::uint64_t> seen;
    for (; input < block.windows[at].inputs_end; ++input)
      seen.push_back(block.input_rows.at(block.inputs[input]));
    EXPECT_TRUE(seen == RowsAround(rows, at, 1) || seen == RowsAround(rows, at, 2)) << "window " << at;
  }
  EXPECT_EQ(input, block.inputs.size());
}

TEST_F(BlockTest, AWordIsToBeToldFromOthers) {
  const Block block = MakeOf(PlainOptions(), {4});
  const std::vector<std::uint64_t> rows = RowsOfSentence(4);
  std::size_t target = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    EXPECT_EQ(block.output_rows.at(block.targets.at(target).place), rows[at]);
    EXPECT_EQ(block.targets[target].label, 1);
    for (++target; target < block.windows.at(at).targets_end; ++target) {
      EXPECT_NE(block.output_rows.at(block.targets[target].place), rows[at]);
      EXPECT_EQ(block.targets[target].label, 0);
    }
  }
  EXPECT_EQ(target, block.targets.size());
}

TEST_F(BlockTest, ReadsEachRowOnceAndOnlyThoseThatItNeeds) {
  const Block block = MakeOf(PlainOptions(), {0, 1, 2, 3, 4, 5});
  for (const auto& [rows, used] :
       {std::make_pair(block.input_rows, std::set<std::uint32_t>(block.inputs.begin(), block.inputs.end())),
        std::make_pair(block.output_rows, [&block] {
          std::set<std::uint32_t> places;
          for (const Target& target : block.targets) places.insert(target.place);
          return places;
        }())}) {
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::set<std::uint64_t>(rows.begin(), rows.end()).size(), rows.size());
    EXPECT_EQ(used.size(), rows.size());
  }
}

TEST_F(BlockTest, FollowsFromItsSentencesAndTheSeedAlone) {
  Options options = PlainOptions();
  options.subsample = 0.05;
  const Block block = MakeOf(options, {3, 9, 27}, 5);
  const Block same = MakeOf(options, {3, 9, 27}, 5);
  const Block other = MakeOf(options, {3, 9, 27}, 6);
  EXPECT_EQ(block.inputs, same.inputs);
  EXPECT_EQ(block.output_rows, same.output_rows);
  EXPECT_EQ(block.num_words, other.num_words);
  EXPECT_TRUE(block.inputs != other.inputs || block.output_rows != other.output_rows);
}

TEST_F(BlockTest, ASentenceHasTheSameExamplesInAnyBlock) {
  const auto inputs_of = [this](const std::vector<std::size_t>& sentences) {
    const Block block = MakeOf(PlainOptions(), sentences);
    std::vector<std::uint64_t> rows;
    for (const std::uint32_t place : block.inputs) rows.push_back(block.input_rows.at(place));
    for (const Target& target : block.targets) rows.push_back(block.output_rows.at(target.place));
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  std::vector<std::uint64_t> apart = inputs_of({3});
  const std::vector<std::uint64_t> others = inputs_of({9, 27});
  apart.insert(apart.end(), others.begin(), others.end());
  std::sort(apart.begin(), apart.end());
  EXPECT_EQ(inputs_of({27, 3, 9}), apart);
}

TEST_F(BlockTest, SentencesOfOneWordHaveNothingToPredict) {
  const std::vector<Sentence> text = {{"a"}, {"b"}};
  const Vocabulary vocabulary(text, 1);
  const Corpus corpus = Encode(text, vocabulary);
  const std::vector<std::size_t> sentences = {0, 1};
  const Block block =
      BlockMaker(PlainOptions(), vocabulary).Make(corpus, sentences.data(), sentences.data() + 2, 1);
  EXPECT_TRUE(block.windows.empty());
  EXPECT_TRUE(block.input_rows.empty());
  EXPECT_EQ(block.num_words, 2u);
}

TEST_F(BlockTest, HierarchicalSoftmaxAsksForTheTurnsToTheWord) {
  Options options = PlainOptions();
  options.hierarchical = true;
  const Block block = MakeOf(options, {6});
  const HuffmanTree tree(vocabulary_.counts());
  const RowOrder order(tree.num_nodes());
  std::size_t target = 0;
  for (std::size_t i = corpus_.offsets[6]; i < corpus_.offsets[7]; ++i) {
    for (const HuffmanTree::Turn& turn : tree.path(corpus_.words[i])) {
      ASSERT_LT(target, block.targets.size());
      EXPECT_EQ(block.output_rows.at(block.targets[target].place), order.RowOf(turn.node));
      EXPECT_EQ(block.targets[target].label, turn.right ? 0 : 1);
      ++target;
    }
  }
  EXPECT_EQ(target, block.targets.size());
}

TEST_F(BlockTest, APlanHasEachSentenceOnceInAnOrderOfItsOwnPerEpoch) {
  BlockPlan plan(corpus_, 30);
  std::vector<std::vector<std::size_t>> orders;
  for (const std::uint64_t seed : {1u, 2u, 1u}) {
    plan.Shuffle(seed);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < plan.num_blocks(); ++i) {
      std::size_t num_words = 0;
      for (const std::size_t* sentence = plan.begin(i); sentence != plan.end(i); ++sentence) {
        order.push_back(*sentence);
        num_words += corpus_.offsets[*sentence + 1] - corpus_.offsets[*sentence];
      }
      EXPECT_LT(num_words, 30u + 7u);
      EXPECT_TRUE(num_words >= 30u || i + 1 == plan.num_blocks());
    }
    orders.push_back(order);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> all(text_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(order, all);
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_EQ(orders[0], orders[2]);
}

TEST(MixSeedsTest, DifferentPartsGiveDifferentSeeds) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t part = 0; part < 30; ++part) seeds.insert(MixSeeds(seed, part));
  }
  EXPECT_EQ(seeds.size(), 900u);
}

}  // namespace
}  // namespace embedding
