#include "collective/numbering.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

TEST(NumberingTest, CountsEachName) {
  Numbering numbering;
  EXPECT_EQ(numbering.Next("a"), 0u);
  numbering.Use("a");
  numbering.Use("a");
  numbering.Use("");
  EXPECT_EQ(numbering.Next("a"), 2u);
  EXPECT_EQ(numbering.Next(""), 1u);
  EXPECT_EQ(numbering.Next("b"), 0u);
}

TEST(NumberingTest, DoesNotForgetThoseWithoutAName) {
  Numbering numbering(4);
  numbering.Use("");
  for (int i = 0; i < 100; ++i) numbering.Use(std::to_string(i));
  EXPECT_EQ(numbering.Next(""), 1u);
}

TEST(NumberingTest, RemembersTheLastNames) {
  Numbering numbering(4);
  numbering.Use("kept");
  for (int i = 0; i < 100; ++i) {
    numbering.Use(std::to_string(i));
    numbering.Use("kept");
  }
  EXPECT_EQ(numbering.Next("kept"), 101u);
  for (int i = 96; i < 100; ++i) EXPECT_EQ(numbering.Next(std::to_string(i)), 1u);
  EXPECT_EQ(numbering.Next("0"), 0u);
}

}  // namespace
}  // namespace ps
