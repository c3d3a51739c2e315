// From mails to the files that are trained on.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "examples/spam_filter/bucket.h"
#include "examples/spam_filter/corpus.h"
#include "examples/spam_filter/near_duplicates.h"
#include "examples/spam_filter/synthetic.h"
#include "examples/spam_filter/vocabulary.h"

namespace spam {
namespace {

// Words w<first>, w<first + 1>, ... spelt with letters.
std::vector<std::string> Text(int first, int count) {
  std::vector<std::string> words;
  for (int i = first; i < first + count; ++i) {
    std::string word = "w";
    for (int rest = i; rest > 0; rest /= 26) word += static_cast<char>('a' + rest % 26);
    words.push_back(word);
  }
  return words;
}

std::string MailOf(const std::vector<std::string>& words, const std::string& header) {
  std::string mail = header + "\n\n";
  for (const std::string& word : words) mail += word + ' ';
  return mail;
}

TEST(BucketTest, SpreadsSimilarWordsAndKeepsZeroFree) {
  std::set<uint32_t> buckets;
  std::map<uint64_t, int> per_quarter;
  for (const std::string& word : Text(0, 4000)) {
    buckets.insert(BucketOf(word));
    ++per_quarter[KeyOfBucket(BucketOf(word)) >> 62];
  }
  EXPECT_EQ(buckets.count(kBiasBucket), 0u);
  EXPECT_LT(*buckets.rbegin(), kNumBuckets);
  EXPECT_GT(buckets.size(), 3970u);
  for (const auto& [quarter, count] : per_quarter) EXPECT_NEAR(count, 1000, 130) << "quarter " << quarter;
}

TEST(NearDuplicatesTest, GroupsTextsThatDifferInDetails) {
  NearDuplicates duplicates;
  std::vector<std::string> changed = Text(0, 100);
  changed[50] = "different";
  duplicates.Add(Text(0, 100));
  duplicates.Add(changed);
  duplicates.Add(Text(0, 100));
  duplicates.Add(Text(200, 100));
  const std::vector<uint64_t> groups = duplicates.Groups();
  EXPECT_EQ(groups[0], groups[1]);
  EXPECT_EQ(groups[0], groups[2]);
  EXPECT_NE(groups[0], groups[3]);
}

TEST(NearDuplicatesTest, KeepsTextsApartThatShareAQuarterOfTheirWords) {
  NearDuplicates duplicates;
  for (int i = 0; i < 20; ++i) duplicates.Add(Text(i * 75, 100));
  const std::vector<uint64_t> groups = duplicates.Groups();
  EXPECT_EQ(std::set<uint64_t>(groups.begin(), groups.end()).size(), 20u);
}

TEST(NearDuplicatesTest, GroupsShortAndEmptyTextsByContent) {
  NearDuplicates duplicates;
  for (const auto& words : {Text(0, 2), Text(0, 2), Text(5, 2), Text(0, 0), Text(0, 0)})
    duplicates.Add(words);
  const std::vector<uint64_t> groups = duplicates.Groups();
  EXPECT_EQ(groups[0], groups[1]);
  EXPECT_NE(groups[0], groups[2]);
  EXPECT_EQ(groups[3], groups[4]);
  EXPECT_NE(groups[0], groups[3]);
}

TEST(CorpusTest, KeepsDuplicatesOnOneSideAndHoldsOutAboutAFifth) {
  Corpus corpus;
  for (int i = 0; i < 400; ++i) {
    corpus.Add(MailOf(Text(i * 30, 30), "Received: a"), i % 2 == 0);
    corpus.Add(MailOf(Text(i * 30, 30), "Received: b"), i % 2 == 0);
  }
  const Split split = corpus.MakeSplit();
  std::set<std::set<uint32_t>> trained;
  for (const Example& example : split.train) trained.insert(example.buckets);
  for (const Example& example : split.held_out) EXPECT_EQ(trained.count(example.buckets), 0u);
  EXPECT_EQ(split.train.size() + split.held_out.size(), 800u);
  EXPECT_NEAR(static_cast<double>(split.held_out.size()), 160, 50);
  EXPECT_EQ(split.num_groups, 400u);
}

TEST(CorpusTest, SplitsAlikeWhateverTheOrder) {
  std::vector<std::string> mails;
  for (int i = 0; i < 50; ++i) mails.push_back(MailOf(Text(i * 10, 30), "Subject: s"));
  const auto write = [](const std::vector<std::string>& in_order) {
    Corpus corpus;
    for (const std::string& mail : in_order) corpus.Add(mail, false);
    std::ostringstream out;
    const Split split = corpus.MakeSplit();
    WriteLibsvm(split.train, out);
    out << "--\n";
    WriteLibsvm(split.held_out, out);
    return out.str();
  };
  const std::string forwards = write(mails);
  std::reverse(mails.begin(), mails.end());
  EXPECT_EQ(write(mails), forwards);
}

TEST(CorpusTest, WritesLibsvm) {
  std::ostringstream out;
  WriteLibsvm({{true, 0, {3, 17}}, {false, 0, {}}}, out);
  EXPECT_EQ(out.str(), "1 3:1 17:1\n0\n");
}

TEST(VocabularyTest, NamesABucketByItsMostFrequentWordAndReadsWhatItWrote) {
  Vocabulary vocabulary;
  vocabulary.Count({"money", "subject:re"});
  vocabulary.Count({"money"});
  std::stringstream file;
  WriteBuckets(vocabulary.Buckets(), file);
  const auto buckets = ReadBuckets(file);
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets.at(BucketOf("money")).word, "money");
  EXPECT_EQ(buckets.at(BucketOf("money")).num_mails, 2u);
}

TEST(VocabularyTest, PrefersTheMoreFrequentOfTwoWordsInABucket) {
  std::map<uint32_t, std::string> seen;
  std::string rare;
  std::string frequent;
  for (int i = 0; rare.empty(); ++i) {  // two words that collide: by the birthday bound after a few thousand
    const std::string word = "word" + std::to_string(i);
    const auto [it, is_new] = seen.emplace(BucketOf(word), word);
    if (!is_new) std::tie(rare, frequent) = std::make_pair(it->second, word);
  }
  Vocabulary vocabulary;
  vocabulary.Count({rare, frequent});
  vocabulary.Count({frequent});
  EXPECT_EQ(vocabulary.Buckets().at(BucketOf(rare)).word, frequent);
}

TEST(SyntheticTest, GivesTheSameMailsForTheSameSeed) {
  const auto write = [](uint64_t seed) {
    SyntheticOptions options;
    options.num_train = 50;
    options.num_held_out = 10;
    options.seed = seed;
    std::ostringstream out;
    WriteLibsvm(MakeSynthetic(options).split.train, out);
    return out.str();
  };
  EXPECT_EQ(write(1), write(1));
  EXPECT_NE(write(1), write(2));
}

TEST(SyntheticTest, KnowsTheBestPossibleAuc) {
  const SyntheticCorpus corpus = MakeSynthetic({});
  EXPECT_NEAR(corpus.best_auc, 0.96, 0.01);
  const auto is_spam = [](const Example& example) { return example.is_spam; };
  const auto num_spam = std::count_if(corpus.split.train.begin(), corpus.split.train.end(), is_spam);
  EXPECT_GT(num_spam, 4000);
  EXPECT_LT(num_spam, 16000);
}

}  // namespace
}  // namespace spam
