#include "base/version.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace ps {
namespace {

TEST(VersionTest, IsASemanticVersion) {
  EXPECT_TRUE(std::regex_match(std::string(VersionString()), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
}

TEST(VersionTest, ProtocolVersionIsNotTheZeroOfAnUnfilledHeader) { EXPECT_GT(kProtocolVersion, 0); }

}  // namespace
}  // namespace ps
