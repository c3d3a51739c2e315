#include "kvstore/key_space.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace ps {
namespace {

TEST(KeySpaceTest, GroupsAscendAndKeepTheOrderOfTheirValues) {
  KeySpace space("kv");
  const auto groups = space.Group({3, 1, 3, 2, 1}, 5, "values").value();
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].key, KVKey(1));
  EXPECT_EQ(groups[0].places, (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(groups[1].places, (std::vector<std::size_t>{3}));
  EXPECT_EQ(groups[2].places, (std::vector<std::size_t>{0, 2}));
}

TEST(KeySpaceTest, NoKeysAreNoGroups) {
  KeySpace space("kv");
  EXPECT_TRUE(space.Group(std::vector<KVKey>(), 0, "values").value().empty());
}

TEST(KeySpaceTest, TheFirstKeySettlesTheKind) {
  KeySpace numbers("kv");
  ASSERT_FALSE(numbers.Group({3}, 0, "values").ok()) << "a call that fails settles it, too";
  const Status mixed = numbers.Group({"a"}, 1, "values").status();
  EXPECT_EQ(mixed.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(mixed.message().find("Mixed key types are not allowed"), std::string::npos) << mixed;
  KeySpace texts("kv");
  ASSERT_TRUE(texts.Group({"a"}, 1, "values").ok());
  EXPECT_NE(texts.Group({3}, 1, "values").status().message().find("Mixed key types are not allowed"),
            std::string::npos);
  KeySpace both("kv");
  EXPECT_FALSE(both.Group({KVKey(1), KVKey("a")}, 2, "values").ok());
}

TEST(KeySpaceTest, NumbersOfKeysAndValuesAreEqual) {
  KeySpace space("kv");
  const Status status = space.Group({1, 2}, 1, "values").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("2 keys and 1 values"), std::string::npos) << status;
}

TEST(KeySpaceTest, TextsHaveALength) {
  KeySpace space("kv");
  EXPECT_FALSE(space.Group({""}, 1, "values").ok());
  EXPECT_TRUE(space.Group({KVKey(std::string(200, 'x'))}, 1, "values").ok());
  EXPECT_FALSE(space.Group({KVKey(std::string(201, 'x'))}, 1, "values").ok());
}

TEST(KeySpaceTest, EveryKeyIsATableOfItsOwn) {
  const KeySpace space("kv");
  EXPECT_NE(space.TableOf(1), space.TableOf("1"));
  EXPECT_NE(space.TableOf(1), KeySpace("other").TableOf(1));
  EXPECT_NE(space.TableOf((std::int64_t{1} << 32) + 1), space.TableOf(1));
  EXPECT_LE(KeySpace(std::string(40, 'n')).TableOf(KVKey(std::string(200, 'x')), 255).size(), 255U);
  EXPECT_EQ(space.TableOf(std::numeric_limits<std::int64_t>::min()), "kv/kv/n/-9223372036854775808");
  EXPECT_EQ(space.TableOf(3).compare(0, space.Prefix().size(), space.Prefix()), 0);
}

TEST(KeySpaceTest, NoTextIsTheSliceOfAnotherOne) {
  const KeySpace space("kv");
  EXPECT_EQ(space.TableOf("w", 0), space.TableOf("w"));
  const std::string second = space.TableOf("w", 1);
  for (const char* text : {"w", "w#1", "#1/w", "1/w", "/w", "t#1/w"}) EXPECT_NE(space.TableOf(text), second);
  EXPECT_NE(space.TableOf("1/w", 1), space.TableOf("w", 11));
  EXPECT_EQ(second.compare(0, space.Prefix().size(), space.Prefix()), 0);
}

TEST(KeySpaceTest, NamesOfStoresAreChecked) {
  EXPECT_TRUE(KeySpace("a").Validate().ok());
  for (const std::string& wrong : {std::string(), std::string(41, 'n'), std::string("a/b")})
    EXPECT_EQ(KeySpace(wrong).Validate().code(), StatusCode::kInvalidArgument) << wrong;
}

}  // namespace
}  // namespace ps
