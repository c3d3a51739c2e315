#include "store/client_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "device/half.h"

namespace ps {
namespace {

using Floats = std::vector<float>;

TableSpec Spec(const CodecSpec& codec, DType dtype = DType::kF32) {
  TableSpec spec;
  spec.name = "w";
  spec.rows = 64;
  spec.dtype = dtype;
  spec.push_codec = codec;
  return spec;
}

Share RunOf(int server, std::size_t first, std::size_t count) { return {server, first, count, {}, {}}; }

Share ListOf(int server, const std::vector<Key>& rows, const std::vector<std::uint32_t>& places) {
  return {server, 0, rows.size(), SArray<Key>(rows), places};
}

// A table of one column.
class ClientValuesTest : public testing::Test {
 protected:
  void Make(const TableSpec& spec, const MessageLimit& limit = MessageLimit()) {
    spec_ = spec;
    values_ = std::make_unique<ClientValues>(spec_, limit);
    ASSERT_TRUE(values_->Init().ok());
  }
  // What one server gets to see.
  Floats Decode(const SArray<char>& bytes, std::size_t count) {
    Floats decoded(count);
    const auto codec = MakeCodec(spec_.push_codec, spec_.dtype).value();
    EXPECT_TRUE(codec->Decode(bytes.data(), bytes.size(), count, decoded.data()).ok());
    return decoded;
  }

  TableSpec spec_;
  std::unique_ptr<ClientValues> values_;
};

TEST_F(ClientValuesTest, EachServerGetsThoseOfItsRowsInTheirOrder) {
  Make(Spec({"none", 0}));
  const Floats values{1, 2, 3};
  const auto taken =
      values_->Take({values.data(), false, false}, {ListOf(0, {4, 2}, {2, 0}), ListOf(1, {5}, {1})}).value();
  EXPECT_EQ(Decode(taken[0], 2), (Floats{3, 1}));
  EXPECT_EQ(Decode(taken[1], 1), Floats{2});
}

TEST_F(ClientValuesTest, WhatIsLentOrEncodedIsNotCopied) {
  Make(Spec({"none", 0}));
  const Floats values(6, 1);
  const char* const here = reinterpret_cast<const char*>(values.data());
  EXPECT_EQ(values_->Take({values.data(), true, false}, {RunOf(0, 1, 5)}).value()[0].data(), here + 4);
  EXPECT_NE(values_->Take({values.data(), false, false}, {RunOf(0, 1, 5)}).value()[0].data(), here + 4);
}

TEST_F(ClientValuesTest, ValuesThatAreSetAreNotEncoded) {
  Make(Spec({"2bit", 0.5}));
  const Floats values(6, 0.25f);
  const auto taken = values_->Take({values.data(), false, true}, {RunOf(0, 0, 6)}).value();
  EXPECT_EQ(taken[0].size(), 6 * sizeof(float));
}

TEST_F(ClientValuesTest, WhatIsKeptBackComesLater) {
  Make(Spec({"2bit", 0.5}));
  const Floats values(3, 0.3f);
  EXPECT_EQ(Decode(values_->Take({values.data(), false, false}, {RunOf(0, 0, 3)}).value()[0], 3),
            Floats(3, 0));
  EXPECT_EQ(Decode(values_->Take({values.data(), false, false}, {RunOf(0, 0, 3)}).value()[0], 3),
            Floats(3, 0.5f));
}

// Of every codec that keeps something back.
class Refused : public ClientValuesTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Codecs, Refused, testing::Values("2bit", "1bit", "topk"));

// Sends `shares` after a refused call and without one: the servers must see the same.
TEST_P(Refused, ACallLeavesNothingBehindAtAnyServer) {
  const Floats values{0.3f, 0.4f, 0.3f, 0.2f};
  const std::vector<Share> good = {ListOf(0, {0, 1}, {0, 1}), ListOf(1, {4, 5}, {2, 3})};
  const auto twice = [&](bool with_refused, const Floats& wrong, const std::vector<Share>& shares) {
    Make(Spec({GetParam(), 0}));
    std::vector<Floats> seen;
    for (int i = 0; i < 3; ++i) {
      if (with_refused) {
        const Status refused = values_->Take({wrong.data(), false, false}, shares).status();
        EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
        EXPECT_NE(refused.message().find("table 'w'"), std::string::npos) << refused;
        EXPECT_NE(refused.message().find("server 1"), std::string::npos) << refused;
      }
      const std::vector<SArray<char>> taken = values_->Take({values.data(), false, false}, good).value();
      for (const SArray<char>& part : taken) seen.push_back(Decode(part, 2));
    }
    return seen;
  };
  const std::vector<Floats> expected = twice(false, values, good);
  const std::vector<Share> repeats = {good[0], ListOf(1, {4, 4}, {2, 3})};
  EXPECT_EQ(twice(true, values, repeats), expected) << "a row is listed twice";
  Floats wrong = values;
  wrong[3] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(twice(true, wrong, good), expected) << "a value is not finite";
}

// The sum with what was kept back is what cannot be carried.
TEST_F(ClientValuesTest, ASumThatIsTooLargeLeavesNothingBehindEither) {
  Make(Spec({"topk", 0.5}));
  const std::vector<Share> shares = {RunOf(0, 0, 2), RunOf(1, 2, 2)};
  const Floats first{1, 0.75f, 3e38f, 3e38f};
  EXPECT_TRUE(values_->Take({first.data(), false, false}, shares).ok());  // keeps 0.75 and 3e38 back
  const Floats second{1, 1, 3e38f, 3e38f};
  EXPECT_FALSE(values_->Take({second.data(), false, false}, shares).ok());
  const Floats zeros(4, 0);
  EXPECT_EQ(Decode(values_->Take({zeros.data(), false, false}, shares).value()[0], 2), (Floats{0, 0.75f}));
}

TEST_F(ClientValuesTest, WhatIsTooLongForAMessageLeavesNothingBehind) {
  for (const char* codec : {"none", "sparse", "2bit"}) {
    const Floats values(64, 0.3f);
    const std::vector<Share> shares = {RunOf(0, 0, 2), ListOf(1, {2, 3}, {2, 3})};
    TableSpec spec = Spec({codec, 0});
    Make(spec, {150});
    ASSERT_TRUE(values_->Take({values.data(), false, false}, shares).ok()) << codec;
    std::vector<Key> rows(20);
    std::iota(rows.begin(), rows.end(), 10);
    const std::vector<Share> large = {RunOf(0, 0, 2), ListOf(1, rows, std::vector<std::uint32_t>(20))};
    const Status refused = values_->Take({values.data(), false, false}, large).status();
    EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted) << codec << refused;
    const auto sent = values_->Take({values.data(), false, false}, shares).value();
    EXPECT_EQ(Decode(sent[0], 2), Floats(2, std::string(codec) == "2bit" ? 0.5f : 0.3f)) << codec;
  }
}

TEST_F(ClientValuesTest, NothingBehindTheValuesIsLookedAt) {
  Make(Spec({"2bit", 0.5}, DType::kF16));
  std::vector<Half> values(12, Half::FromBits(0xffff));  // not a number
  std::fill_n(values.begin(), 6, Half(1.0f));
  EXPECT_TRUE(values_->Take({values.data(), false, false}, {RunOf(0, 0, 3), RunOf(1, 3, 3)}).ok());
}

}  // namespace
}  // namespace ps
