#include "ps/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/process_environment.h"
#include "base/thread.h"
#include "ps/internal/env.h"
#include "ps/internal/utils.h"
#include "ps/status.h"

namespace ps {
namespace {

// Tests share one process: each uses names of its own.

TEST(EnvironmentTest, EntriesWinOverTheProcess) {
  const Environment environment({{"PATH", "mine"}, {"ENV_TEST_A", "1"}});
  EXPECT_STREQ(environment.find("PATH"), "mine");
  EXPECT_STREQ(environment.find("ENV_TEST_A"), "1");
  EXPECT_EQ(environment.find("ENV_TEST_NOWHERE"), nullptr);
}

TEST(EnvironmentTest, AMapOnlyEnvironmentSeesNothingElse) {
  ASSERT_TRUE(ReadProcessVariable("PATH").has_value());
  const Environment with;
  const Environment without({}, Environment::Fallback::kMapOnly);
  EXPECT_NE(with.find("PATH"), nullptr);
  EXPECT_EQ(without.find("PATH"), nullptr);
  EXPECT_TRUE(without.Names().empty());
}

TEST(EnvironmentTest, TheTextFoundStaysValidUntilTheNextInit) {
  Environment::Init({{"ENV_TEST_B", "first"}});
  const char* found = Environment::Get()->find("ENV_TEST_B");
  for (int i = 0; i < 1000; ++i) {
    Environment::Get()->find(("ENV_TEST_" + std::to_string(i)).c_str());
  }
  EXPECT_STREQ(found, "first");
  Environment* const same = Environment::Init({{"ENV_TEST_B", "second"}});
  EXPECT_EQ(same, Environment::Get());
  EXPECT_STREQ(same->find("ENV_TEST_B"), "second");
  Environment::Init({});
  EXPECT_EQ(Environment::Get()->find("ENV_TEST_B"), nullptr);
  EXPECT_EQ(Environment::_GetSharedRef().get(), Environment::Get());
}

TEST(EnvironmentTest, PublishSetsTheProcessOnceAndRemembersIt) {
  Environment environment;
  EXPECT_FALSE(environment.IsPublished("ENV_TEST_C"));
  EXPECT_TRUE(environment.Publish("ENV_TEST_C", "3"));
  EXPECT_FALSE(environment.Publish("ENV_TEST_C", "4"));
  EXPECT_STREQ(environment.find("ENV_TEST_C"), "3");
  EXPECT_EQ(ReadProcessVariable("ENV_TEST_C"), "3");
  EXPECT_TRUE(environment.IsPublished("ENV_TEST_C"));
  const Environment another;
  EXPECT_TRUE(another.IsPublished("ENV_TEST_C")) << "whoever reads the process sees who wrote it";
}

TEST(EnvironmentTest, PublishLeavesWhatTheUserSet) {
  Environment environment(Environment::Map{{"ENV_TEST_D", "user"}});
  EXPECT_FALSE(environment.Publish("ENV_TEST_D", "library"));
  EXPECT_STREQ(environment.find("ENV_TEST_D"), "user");
  EXPECT_FALSE(environment.IsPublished("ENV_TEST_D"));
  EXPECT_FALSE(environment.Publish("PATH", "library"));
}

TEST(EnvironmentTest, AUsersEntryOverAPublishedNameIsAWishAgain) {
  Environment environment;
  environment.Publish("ENV_TEST_E", "1");
  const Environment with_wish(Environment::Map{{"ENV_TEST_E", "2"}});
  EXPECT_FALSE(with_wish.IsPublished("ENV_TEST_E"));
}

TEST(EnvironmentTest, PublishInAMapOnlyEnvironmentStaysInside) {
  Environment environment({}, Environment::Fallback::kMapOnly);
  EXPECT_TRUE(environment.Publish("ENV_TEST_F", "1"));
  EXPECT_TRUE(environment.IsPublished("ENV_TEST_F"));
  EXPECT_STREQ(environment.find("ENV_TEST_F"), "1");
  EXPECT_EQ(ReadProcessVariable("ENV_TEST_F"), std::nullopt);
}

TEST(EnvironmentTest, NamesListsEntriesAndTheProcess) {
  const Environment environment(Environment::Map{{"ENV_TEST_G", "1"}});
  const std::vector<std::string> names = environment.Names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "ENV_TEST_G"), 1);
  EXPECT_GE(std::count(names.begin(), names.end(), "PATH"), 1);
}

TEST(EnvironmentTest, ManyThreadsMayAskAndPublish) {
  Environment environment(Environment::Map{{"ENV_TEST_H", "1"}});
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(std::make_unique<Thread>("env", [&environment] {
      for (int n = 0; n < 200; ++n) {
        EXPECT_STREQ(environment.find("ENV_TEST_H"), "1");
        environment.Publish("ENV_TEST_I", "x");
      }
    }));
  }
}

TEST(GetEnvTest, GivesTextAndNumbers) {
  Environment::Init({{"ENV_TEST_J", "text"}, {"ENV_TEST_K", "-12"}, {"ENV_TEST_EMPTY", ""}});
  static_assert(std::is_same_v<decltype(GetEnv("X", "d")), const char*>);
  EXPECT_STREQ(GetEnv("ENV_TEST_J", "d"), "text");
  EXPECT_STREQ(GetEnv("ENV_TEST_NOWHERE", "d"), "d");
  EXPECT_EQ(GetEnv("ENV_TEST_J", std::string("d")), "text");
  EXPECT_EQ(GetEnv("ENV_TEST_K", 5), -12);
  EXPECT_EQ(GetEnv("ENV_TEST_NOWHERE", 5), 5);
  EXPECT_EQ(GetEnv("ENV_TEST_EMPTY", 5), 5);
  Environment::Init({});
}

TEST(GetEnvTest, NamesTheVariableWhoseTextIsNoNumber) {
  Environment::Init({{"ENV_TEST_L", "2x"}});
  try {
    GetEnv("ENV_TEST_L", 0);
    ADD_FAILURE() << "did not throw";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::InvalidArgument("ENV_TEST_L=\"2x\" is not a whole number"));
  }
  Environment::Init({});
}

}  // namespace
}  // namespace ps
