#include <gtest/gtest.h>

#include <string>

#include "ps/updater.h"

namespace ps {
namespace {

TEST(TextTest, IsANameAndOptions) {
  const Result<UpdaterChoice> choice = ParseUpdater("adam lr=1e-3 wd=.01");
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice.value().name, "adam");
  EXPECT_EQ(choice.value().options, (UpdaterOptions{{"lr", "1e-3"}, {"wd", ".01"}}));
}

TEST(TextTest, BlanksAreOfAnyKindAndNumber) {
  const Result<UpdaterChoice> choice = ParseUpdater(" \tsgd\n  lr=1\r\n steps=1,2 ");
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice.value().name, "sgd");
  EXPECT_EQ(choice.value().options, (UpdaterOptions{{"lr", "1"}, {"steps", "1,2"}}));
  EXPECT_TRUE(ParseUpdater("add").value().options.empty());
}

TEST(TextTest, TheFirstSignSeparates) {
  EXPECT_EQ(ParseUpdater("mine text=a=b empty=").value().options,
            (UpdaterOptions{{"text", "a=b"}, {"empty", ""}}));
}

TEST(TextTest, WhatIsNotInThisFormIsRefusedWithAnExample) {
  for (const char* text : {"", "  ", "lr=1", "adam lr", "adam =1", "adam lr=1 lr=2", "adam lr =1"}) {
    const Status status = ParseUpdater(text).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_NE(status.message().find("adam lr=1e-3"), std::string::npos) << status;
  }
}

TEST(TextTest, WhatIsParsedCanBeMade) {
  const UpdaterChoice choice =
      ParseUpdater("momentum lr=.5 momentum=.5 schedule=multifactor steps=3").value();
  EXPECT_TRUE(MakeUpdater(choice.name, choice.options, {}).ok());
}

}  // namespace
}  // namespace ps
