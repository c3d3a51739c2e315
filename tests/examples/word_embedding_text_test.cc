// From a text to numbers of words, and what is drawn by how often they are there.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/word_embedding/huffman.h"
#include "examples/word_embedding/sampling.h"
#include "examples/word_embedding/text.h"
#include "examples/word_embedding/vocabulary.h"
#include "tests/support/temporary_file.h"

namespace embedding {
namespace {

TEST(TextTest, WordsAreRunsOfLettersInLowerCase) {
  EXPECT_EQ(WordsOf("And the LORD said, (Let there be) light: 12 x"),
            (Sentence{"and", "the", "lord", "said", "let", "there", "be", "light", "x"}));
  EXPECT_EQ(WordsOf(" 1, 2. "), Sentence{});
}

TEST(TextTest, ApostrophesInsideAWordAndLettersOfUtf8Stay) {
  EXPECT_EQ(WordsOf("thy brother's 'blood' crieth'"), (Sentence{"thy", "brother's", "blood", "crieth"}));
  EXPECT_EQ(WordsOf("na\xc3\xafve"), (Sentence{"na\xc3\xafve"}));
}

TEST(TextTest, ReadsALineAsASentenceUpToTheBound) {
  const ps::TemporaryFile file("a b c\n\nd e\n- -\nf g h i\n");
  EXPECT_EQ(ReadText(file.path(), 0),
            (std::vector<Sentence>{{"a", "b", "c"}, {"d", "e"}, {"f", "g", "h", "i"}}));
  EXPECT_EQ(ReadText(file.path(), 4), (std::vector<Sentence>{{"a", "b", "c"}, {"d", "e"}}));
  EXPECT_EQ(ReadText(file.path(), 3), (std::vector<Sentence>{{"a", "b", "c"}}));
}

TEST(TextTest, AFileThatIsNotThereIsNamed) {
  try {
    ReadText("no/such/file", 0);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/file"), std::string::npos);
  }
}

TEST(TextTest, EverySoManythSentenceIsHeldOut) {
  const SplitText split = HoldOut({{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}, 2);
  EXPECT_EQ(split.train, (std::vector<Sentence>{{"a"}, {"c"}, {"e"}}));
  EXPECT_EQ(split.held_out, (std::vector<Sentence>{{"b"}, {"d"}}));
}

TEST(VocabularyTest, NumbersFrequentWordsFirstAndEqualOnesByTheAlphabet) {
  const std::vector<Sentence> text = {{"b", "a", "c", "b"}, {"a", "d", "rare"}, {"d", "b"}};
  const Vocabulary vocabulary(text, 2);
  ASSERT_EQ(vocabulary.size(), 3u);
  EXPECT_EQ(vocabulary.word(0), "b");
  EXPECT_EQ(vocabulary.word(1), "a");
  EXPECT_EQ(vocabulary.word(2), "d");
  EXPECT_EQ(vocabulary.counts(), (std::vector<std::uint64_t>{3, 2, 2}));
  EXPECT_EQ(vocabulary.Find("d"), 2u);
  EXPECT_FALSE(vocabulary.Find("rare"));
}

TEST(VocabularyTest, EncodesSentencesWithoutTheWordsItDoesNotHave) {
  const std::vector<Sentence> text = {{"b", "a", "x", "b"}, {"y"}, {"a"}};
  const Corpus corpus = Encode(text, Vocabulary(text, 2));
  EXPECT_EQ(corpus.num_sentences(), 3u);
  EXPECT_EQ(corpus.words, (std::vector<std::uint32_t>{1, 0, 1, 0}));
  EXPECT_EQ(corpus.offsets, (std::vector<std::size_t>{0, 3, 3, 4}));
}

TEST(SamplingTest, DrawsWordsByTheirCountToThePowerOfThreeQuarters) {
  const std::vector<std::uint64_t> counts = {1000, 200, 200, 16, 1};
  double total = 0;
  for (const std::uint64_t count : counts) total += std::pow(static_cast<double>(count), 0.75);
  const NegativeSampler sampler(counts);
  Random random(7);
  constexpr int kDraws = 200000;
  std::vector<double> drawn(counts.size());
  for (int i = 0; i < kDraws; ++i) ++drawn.at(sampler.Draw(&random));
  for (std::size_t word = 0; word < counts.size(); ++word) {
    const double share = std::pow(static_cast<double>(counts[word]), 0.75) / total;
    // Five standard deviations.
    EXPECT_NEAR(drawn[word] / kDraws, share, 5 * std::sqrt(share / kDraws)) << "word " << word;
  }
}

TEST(SamplingTest, OneWordIsDrawnAlways) {
  Random random(1);
  EXPECT_EQ(NegativeSampler({5}).Draw(&random), 0u);
}

TEST(SamplingTest, LeavesOutFrequentWordsOnly) {
  const std::vector<std::uint64_t> counts = {900, 99, 1};
  const Subsampler subsampler(counts, 0.01);
  EXPECT_DOUBLE_EQ(subsampler.probability(0), (std::sqrt(90.0) + 1) / 90);
  EXPECT_DOUBLE_EQ(subsampler.probability(2), 1);
  const Subsampler nothing(counts, 0);
  for (std::uint32_t word = 0; word < 3; ++word) EXPECT_EQ(nothing.probability(word), 1);
  Random random(3);
  int kept = 0;
  for (int i = 0; i < 10000; ++i) kept += subsampler.Keeps(0, &random) ? 1 : 0;
  EXPECT_NEAR(kept, 10000 * subsampler.probability(0), 160);
}

TEST(HuffmanTest, PathsAreAPrefixCodeOfTheLeastLength) {
  const std::vector<std::uint64_t> counts = {50, 20, 10, 10, 5, 5};
  const HuffmanTree tree(counts);
  EXPECT_EQ(tree.num_nodes(), 5u);
  std::set<std::string> codes;
  std::uint64_t length = 0;
  double kraft = 0;
  for (std::uint32_t word = 0; word < counts.size(); ++word) {
    std::string code;
    for (const HuffmanTree::Turn& turn : tree.path(word)) {
      EXPECT_LT(turn.node, tree.num_nodes());
      code += turn.right ? '1' : '0';
    }
    EXPECT_EQ(tree.path(word).front().node, tree.path(0).front().node) << "all begin at the root";
    codes.insert(code);
    length += counts[word] * code.size();
    kraft += std::pow(2, -static_cast<double>(code.size()));
  }
  EXPECT_EQ(codes.size(), counts.size());
  EXPECT_EQ(kraft, 1);      // a full tree
  EXPECT_EQ(length, 210u);  // of all that were made: 10 + 20 + 30 + 50 + 100
}

TEST(HuffmanTest, TwoWordsHaveOneTurn) {
  const HuffmanTree tree({3, 2});
  ASSERT_EQ(tree.path(0).size(), 1u);
  ASSERT_EQ(tree.path(1).size(), 1u);
  EXPECT_NE(tree.path(0)[0].right, tree.path(1)[0].right);
}

}  // namespace
}  // namespace embedding
