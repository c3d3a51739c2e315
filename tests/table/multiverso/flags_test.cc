#include "ps/multiverso/flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ps/status.h"

MV_DEFINE_double(test_ratio, 0.5, "a ratio");
MV_DEFINE_int(test_count, 3, "a count");
MV_DEFINE_string(test_file, "none", "a file");
MV_DEFINE_bool(sync, true, "has the library's default, as it is the library's flag");
MV_DEFINE_string(port, "of another type", "is not the library's flag");

namespace multiverso {
namespace {

// argv of a program, and what is left of it.
std::vector<std::string> Parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> texts = arguments;
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(texts.size());
  ParseCMDFlags(&argc, argv.data());
  EXPECT_EQ(argv[static_cast<std::size_t>(argc)], nullptr);
  return {argv.begin(), argv.begin() + argc};
}

// The error of `call`; fails where there is none.
template <typename Call>
std::string ErrorOf(Call call) {
  try {
    call();
  } catch (const ps::Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

class MultiversoFlagsTest : public testing::Test {
 protected:
  void SetUp() override { internal::ResetFlags(); }
  void TearDown() override { internal::ResetFlags(); }
};

TEST_F(MultiversoFlagsTest, TblVec77KnownOnesLeaveArgvAndAllElseStays) {
  EXPECT_EQ(Parse({"prog", "-sync=true", "my-file.txt", "-x=1"}),
            (std::vector<std::string>{"prog", "my-file.txt", "-x=1"}));
  EXPECT_TRUE(MV_CONFIG_sync);
}

TEST_F(MultiversoFlagsTest, TblVec78ValuesAreReadWhole) {
  EXPECT_EQ(Parse({"prog", "-test_ratio=0.25", "-sync=1", "-test_count=-7", "-test_file=a=b"}),
            (std::vector<std::string>{"prog"}));
  EXPECT_EQ(MV_CONFIG_test_ratio, 0.25);
  EXPECT_TRUE(MV_CONFIG_sync);
  EXPECT_EQ(MV_CONFIG_test_count, -7);
  EXPECT_EQ(MV_CONFIG_test_file, "a=b");
  EXPECT_NE(ErrorOf([] {
              Parse({"prog", "-sync=maybe"});
            }).find("-sync=maybe: the value is true or false"),
            std::string::npos);
  for (const std::string text : {"-test_count=2x", "-test_count=", "-test_count=3000000000",
                                 "-test_ratio=1,5", "-test_ratio= 1", "-sync=TRUE"}) {
    EXPECT_NE(ErrorOf([&text] { Parse({"prog", text}); }).find(text + ": the value is "), std::string::npos);
  }
}

TEST_F(MultiversoFlagsTest, WhatLooksLikeAFlagButIsNoneStays) {
  const std::vector<std::string> arguments = {"-sync=true", "-",   "--sync=true", "-sync", "sync=true",
                                              "",           "-=1", "a-b=c",       "=",     "-unknown=1"};
  EXPECT_EQ(Parse(arguments), arguments) << "the first one is the program's name";
  EXPECT_FALSE(internal::IsFlagSet("sync"));
}

TEST_F(MultiversoFlagsTest, AFlagIsSetByNameAndType) {
  MV_SetFlag("sync", true);
  MV_SetFlag("updater_type", "sgd");
  MV_SetFlag("test_ratio", 2.5);
  SetCMDFlag("test_count", 9);
  EXPECT_TRUE(MV_CONFIG_sync);
  EXPECT_EQ(MV_CONFIG_test_ratio, 2.5);
  EXPECT_EQ(MV_CONFIG_test_count, 9);
  EXPECT_TRUE(internal::IsFlagSet("updater_type"));
  EXPECT_FALSE(internal::IsFlagSet("ma"));
}

TEST_F(MultiversoFlagsTest, AnUnknownNameIsAnErrorThatListsWhatThereIs) {
  const std::string unknown = ErrorOf([] { MV_SetFlag("snyc", true); });
  EXPECT_NE(unknown.find("there is no flag snyc; there are "), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("ps_role, sync, test_count"), std::string::npos) << unknown;
  const std::string type = ErrorOf([] { MV_SetFlag("sync", 1); });
  EXPECT_NE(type.find("flag sync is true or false, not a whole number"), std::string::npos) << type;
}

TEST_F(MultiversoFlagsTest, ANameMayBeDefinedAgain) {
  EXPECT_FALSE(MV_CONFIG_sync) << "the library's default";
  Parse({"prog", "-port=17"});
  EXPECT_EQ(MV_CONFIG_port, "17") << "the program's text as well as the library's number";
  EXPECT_NE(ErrorOf([] { Parse({"prog", "-port=x"}); }).find("whole number"), std::string::npos);
}

TEST_F(MultiversoFlagsTest, AProgramWithoutArgumentsMayAsk) {
  ParseCMDFlags(nullptr, nullptr);
  int argc = 0;
  char* argv[] = {nullptr};
  ParseCMDFlags(&argc, argv);
  EXPECT_EQ(argc, 0);
}

}  // namespace
}  // namespace multiverso
