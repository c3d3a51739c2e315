#include "c_api/settings.h"

#include <gtest/gtest.h>

#include <string>

#include "ps/c/base.h"
#include "ps/c/runtime.h"
#include "ps/status.h"

namespace ps::c_api {
namespace {

class SettingsTest : public testing::Test {
 protected:
  ~SettingsTest() override { Environment::Init({}); }

  int SetRole(const char* role) {
    const char* const name = "DMLC_ROLE";
    return PSSetEnv(1, &name, &role);
  }
};

TEST_F(SettingsTest, TheLastValueOfANameCounts) {
  const char* const names[] = {"A", "B", "A"};
  const char* const values[] = {"1", "2", "3"};
  EXPECT_EQ(SettingsOf(3, names, values), (Environment::Map{{"A", "3"}, {"B", "2"}}));
  EXPECT_TRUE(SettingsOf(0, nullptr, nullptr).empty());
}

TEST_F(SettingsTest, WhatIsNullIsRefusedByName) {
  const char* const names[] = {"PS_VERBOSE", nullptr};
  const char* const values[] = {nullptr, "1"};
  EXPECT_EQ(PSSetEnv(1, nullptr, values), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSSetEnv(1, names, nullptr), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSSetEnv(1, names + 1, values + 1), PS_INVALID_ARGUMENT);
  EXPECT_EQ(PSSetEnv(1, names, values), PS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(PSGetLastError()).find("PS_VERBOSE"), std::string::npos);
}

TEST_F(SettingsTest, TheRoleIsThatOfTheLastSettings) {
  int role = -1;
  for (const auto& [text, expected] : {std::pair{"server", PS_SERVER},
                                       {"scheduler", PS_SCHEDULER},
                                       {"worker", PS_WORKER},
                                       {"", PS_WORKER}}) {
    ASSERT_EQ(SetRole(text), PS_OK);
    EXPECT_EQ(PSGetRole(&role), PS_OK);
    EXPECT_EQ(role, expected) << text;
  }
  EXPECT_EQ(PSGetRole(nullptr), PS_INVALID_ARGUMENT);
}

TEST_F(SettingsTest, ARoleThatThereIsNotIsAnErrorWithItsText) {
  ASSERT_EQ(SetRole("boss"), PS_OK);
  int role = -1;
  EXPECT_EQ(PSGetRole(&role), PS_INVALID_ARGUMENT);
  EXPECT_EQ(role, -1);
  EXPECT_NE(std::string(PSGetLastError()).find("boss"), std::string::npos);
}

}  // namespace
}  // namespace ps::c_api
