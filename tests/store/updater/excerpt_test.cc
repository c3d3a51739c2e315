#include "store/updater/excerpt.h"

#include <gtest/gtest.h>

#include <string>

#include "ps/updater.h"

namespace ps {
namespace {

TEST(ExcerptTest, ShortTextStaysAsItIs) {
  EXPECT_EQ(Excerpt("lr=1"), "lr=1");
  EXPECT_EQ(Excerpt(""), "");
  EXPECT_EQ(Excerpt("abc", 3), "abc");
}

TEST(ExcerptTest, LongTextIsCutAndOddBytesAreReplaced) {
  EXPECT_EQ(Excerpt("abcd", 3), "abc...");
  EXPECT_EQ(Excerpt("a\nb\x01\xff"), "a?b??");
}

// Options and names may come from another node.
TEST(ExcerptTest, MessagesOfUpdatersAreOfBoundedLength) {
  const std::string text(1 << 20, 'x');
  for (const Status& status :
       {MakeUpdater(text, {}, {}).status(), MakeUpdater("adam", {{text, "1"}}, {}).status(),
        MakeUpdater("adam", {{"lr", text}}, {}).status(),
        MakeUpdater("adam", {{"schedule", text}}, {}).status(), ParseUpdater(text + "=1").status(),
        ParseUpdater("adam " + text).status(), ParseUpdater("adam " + text + "=1 " + text + "=2").status()}) {
    EXPECT_FALSE(status.ok());
    EXPECT_LT(status.message().size(), 2000U) << status.message().substr(0, 100);
  }
}

}  // namespace
}  // namespace ps
