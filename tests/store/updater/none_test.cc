#include <gtest/gtest.h>

#include "ps/updater.h"

namespace ps {
namespace {

TEST(NoneTest, IsForEveryTypeAndKeepsNothing) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kI32, DType::kBool}) {
    const auto updater = MakeUpdater(kNoUpdater, {}, {dtype, 2});
    ASSERT_TRUE(updater.ok()) << updater.status();
    EXPECT_EQ(updater.value()->NumStates(), 0);
    EXPECT_FALSE(updater.value()->NeedsWhole());
    EXPECT_EQ(updater.value()->shortcut(), Updater::Shortcut::kNone);
  }
}

TEST(NoneTest, HasNoOptions) {
  const Status status = MakeUpdater(kNoUpdater, {{"lr", "1"}}, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("lr"), std::string::npos) << status;
}

}  // namespace
}  // namespace ps
