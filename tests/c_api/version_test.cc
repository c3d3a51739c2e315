#include "base/version.h"

#include <gtest/gtest.h>

#include "ps/c/base.h"

namespace ps {
namespace {

TEST(CApiVersionTest, TheLibrarySaysWhatTheHeadersWereMadeFor) {
  EXPECT_EQ(PSAbiVersion(), PS_ABI_VERSION);
  EXPECT_STREQ(PSVersion(), VersionString());
}

}  // namespace
}  // namespace ps
