#include "store/spec_bytes.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ps {
namespace {

TableSpec Full() {
  TableSpec spec;
  spec.name = std::string("embedding \xff", 11);
  spec.dtype = DType::kBF16;
  spec.rows = 1000000;
  spec.width = 64;
  spec.init = Init::Uniform(-0.5, 0.25, 0xfedcba9876543210);
  spec.updater = "adam";
  spec.updater_options = {{"lr", "0.001"}, {"beta1", "0.9"}};
  spec.multi_precision = true;
  spec.consistency = Consistency::Bsp(2);
  spec.apply = TableSpec::kMerged;
  spec.mean = true;
  spec.auto_close = false;
  spec.deterministic = false;
  spec.push_codec = {"2bit", 0.5};
  spec.pull_codec = {"f16", 0};
  spec.min_split = 12345;
  return spec;
}

TEST(SpecBytesTest, RoundTripsEveryField) {
  const Result<TableSpec> again = DecodeSpec(EncodeSpec(Full()));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again.value().DifferenceTo(Full()), "");
  TableSpec plain;
  plain.name = "counts";
  plain.kind = TableSpec::kHash;
  const Result<TableSpec> same = DecodeSpec(EncodeSpec(plain));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_TRUE(same.value() == plain);
}

// Specs are hashed, and stored in checkpoints of today.
TEST(SpecBytesTest, TheEncodingIsTheSameForAllTimes) {
  EXPECT_EQ(HashOf(Full()), 0xD55928BDB22C5878u);
  EXPECT_EQ(TableId("weights"), DigestOf("weights"));
}

TEST(SpecBytesTest, EveryFieldHasItsShareOfTheHash) {
  std::set<std::uint64_t> hashes{HashOf(Full())};
  const std::vector<std::function<void(TableSpec*)>> changes = {
      [](TableSpec* s) { s->name += "x"; },
      [](TableSpec* s) { s->dtype = DType::kF16; },
      [](TableSpec* s) { s->kind = TableSpec::kHash; },
      [](TableSpec* s) { s->rows = 7; },
      [](TableSpec* s) { s->width = 7; },
      [](TableSpec* s) { s->init.kind = Init::kConstant; },
      [](TableSpec* s) { s->init.low = -1; },
      [](TableSpec* s) { s->init.high = 1; },
      [](TableSpec* s) { s->init.seed = 7; },
      [](TableSpec* s) { s->updater = "sgd"; },
      [](TableSpec* s) { s->updater_options["lr"] = "0.1"; },
      [](TableSpec* s) { s->multi_precision = false; },
      [](TableSpec* s) { s->consistency.mode = Consistency::kSsp; },
      [](TableSpec* s) { s->consistency.bound = 1; },
      [](TableSpec* s) { s->consistency.backup = 1; },
      [](TableSpec* s) { s->apply = TableSpec::kEach; },
      [](TableSpec* s) { s->mean = false; },
      [](TableSpec* s) { s->auto_close = true; },
      [](TableSpec* s) { s->deterministic = true; },
      [](TableSpec* s) { s->push_codec.name = "1bit"; },
      [](TableSpec* s) { s->push_codec.parameter = 1; },
      [](TableSpec* s) { s->pull_codec.name = "none"; },
      [](TableSpec* s) { s->pull_codec.parameter = 1; },
      [](TableSpec* s) { s->min_split = 0; },
  };
  for (const auto& change : changes) {
    TableSpec other = Full();
    change(&other);
    EXPECT_TRUE(hashes.insert(HashOf(other)).second) << other.DifferenceTo(Full());
  }
}

TEST(SpecBytesTest, EqualSpecsHaveEqualBytes) {
  TableSpec zero = Full();
  zero.init.low = 0.0;
  TableSpec minus_zero = zero;
  minus_zero.init.low = -0.0;
  ASSERT_TRUE(zero == minus_zero);
  EXPECT_EQ(EncodeSpec(zero), EncodeSpec(minus_zero));
}

TEST(SpecBytesTest, RefusesWhatIsNotASpec) {
  EXPECT_EQ(DecodeSpec("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeSpec("\xff\xff\xff\xff").status().code(), StatusCode::kInvalidArgument);
  TableSpec wrong = Full();
  wrong.rows = -1;
  EXPECT_EQ(DecodeSpec(EncodeSpec(wrong)).status(), wrong.Validate());
  wrong = Full();
  wrong.dtype = static_cast<DType>(200);
  EXPECT_FALSE(DecodeSpec(EncodeSpec(wrong)).ok());
}

TEST(SpecBytesTest, RefusesWhatIsNotItsOnlyEncoding) {
  const std::string bytes = EncodeSpec(Full());
  const Result<TableSpec> newer = DecodeSpec(bytes + "\xc0\x3e\x01");  // field 1000
  ASSERT_FALSE(newer.ok());
  EXPECT_NE(newer.status().message().find("parts that are not known here"), std::string::npos)
      << newer.status();
  EXPECT_FALSE(DecodeSpec(bytes + bytes).ok());
}

// Whatever is taken for a spec is the only encoding of it.
void ExpectCanonical(const std::string& bytes) {
  const Result<TableSpec> result = DecodeSpec(bytes);
  if (result.ok()) {
    EXPECT_EQ(EncodeSpec(result.value()), bytes);
  }
}

TEST(SpecBytesTest, SurvivesEveryTruncationAndFlippedBit) {
  const std::string bytes = EncodeSpec(Full());
  for (std::size_t size = 0; size < bytes.size(); ++size) ExpectCanonical(bytes.substr(0, size));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string other = bytes;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    ExpectCanonical(other);
  }
}

}  // namespace
}  // namespace ps
