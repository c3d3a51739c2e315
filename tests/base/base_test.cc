#include "ps/base.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ps {
namespace {

template <typename Body>
std::string MessageOf(Body body) {
  try {
    body();
  } catch (const dmlc::Error& e) {
    return e.what();
  }
  return "";
}

TEST(BaseTest, GroupsAreBitsOfAMask) {
  EXPECT_EQ(kScheduler + kServerGroup + kWorkerGroup, 7);
  EXPECT_EQ(kMaxKey, ~std::uint64_t{0});
}

TEST(CheckTest, SilentWhenTheConditionHolds) {
  CHECK(true) << "never";
  CHECK_EQ(1, 1);
  CHECK_NE(std::string("a"), "b");
  CHECK_LT(1, 2u);
  CHECK_GE(std::int64_t{5}, std::size_t{5});
  CHECK_NOTNULL("pointer");
}

TEST(CheckTest, ThrowsWithConditionValuesAndText) {
  const int three = 3;
  const std::string comparison = MessageOf([&] { CHECK_LE(three, 2) << "in round " << 7; });
  EXPECT_NE(comparison.find("Check failed: three <= 2 (3 vs. 2) : in round 7"), std::string::npos)
      << comparison;
  const std::string plain = MessageOf([&] { CHECK(three == 4) << "why"; });
  EXPECT_NE(plain.find("Check failed: three == 4: why"), std::string::npos) << plain;
}

TEST(CheckTest, EvaluatesItsOperandsOnce) {
  int calls = 0;
  CHECK_EQ(++calls, 1);
  MessageOf([&] { CHECK_EQ(++calls, 0); });
  EXPECT_EQ(calls, 2);
}

// The warning for an else that could belong to two ifs is an error in this build.
TEST(CheckTest, FitsIntoAnIfWithoutBraces) {
  bool reached_else = false;
  const bool condition = false;
  if (condition)
    CHECK_EQ(1, 2);
  else
    reached_else = true;
  EXPECT_TRUE(reached_else);
  if (!condition)
    CHECK(true);
  else
    ADD_FAILURE();
}

struct Plain {
  int value;
  friend bool operator==(const Plain& a, const Plain& b) { return a.value == b.value; }
};

enum class Color : std::uint8_t { kRed = 1, kBlue = 2 };

struct Constants {
  static const int kDeclaredOnly = 5;
};

TEST(CheckTest, ComparesWhatCannotBePrinted) {
  const std::map<int, int> map = {{1, 2}};
  CHECK_NE(map.find(1), map.end());
  CHECK_EQ(Plain{1}, Plain{1});
  CHECK_EQ(Constants::kDeclaredOnly, 5);
  EXPECT_NE(MessageOf([] { CHECK_EQ(Plain{1}, Plain{2}); }).find("(? vs. ?)"), std::string::npos);
  EXPECT_NE(MessageOf([] { CHECK_EQ(Color::kRed, Color::kBlue); }).find("(1 vs. 2)"), std::string::npos);
  EXPECT_NE(MessageOf([] { CHECK_EQ(std::vector<int>{}, std::vector<int>{1}); }).find("(? vs. ?)"),
            std::string::npos);
}

class NotCopied {
 public:
  NotCopied() = default;

 private:
  DISALLOW_COPY_AND_ASSIGN(NotCopied);
};
static_assert(!std::is_copy_constructible_v<NotCopied> && !std::is_copy_assignable_v<NotCopied>);

}  // namespace
}  // namespace ps
