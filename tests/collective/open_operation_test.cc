#include "collective/open_operation.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ps {
namespace {

TEST(OpenOperationTest, FinishesAfterSuccessOnly) {
  int num_finished = 0;
  const auto finish = [&] {
    ++num_finished;
    return Status::Ok();
  };
  OpenOperation good("", false, finish);
  EXPECT_FALSE(good.done());
  EXPECT_TRUE(good.Finish(Status::Ok()).empty());
  EXPECT_TRUE(good.done());
  OpenOperation bad("", false, finish);
  bad.Finish(Status::Unavailable("lost"));
  EXPECT_EQ(bad.outcome().message(), "lost");
  EXPECT_EQ(num_finished, 1);
}

TEST(OpenOperationTest, WhatFinishingThrowsIsTheOutcome) {
  OpenOperation operation("", true, []() -> Status { throw std::runtime_error("no copy"); });
  operation.Finish(Status::Ok());
  EXPECT_NE(operation.outcome().message().find("no copy"), std::string::npos);
}

TEST(OpenOperationTest, KeepsWhatIsToFollowUntilItIsDone) {
  OpenOperation operation("a", true, nullptr);
  OpenOperation::Continuation continuation = [](const Status&) {};
  EXPECT_TRUE(operation.Keep(&continuation));
  EXPECT_EQ(operation.Finish(Status::Ok()).size(), 1u);
  continuation = [](const Status&) {};
  EXPECT_FALSE(operation.Keep(&continuation));
  EXPECT_TRUE(continuation);
}

}  // namespace
}  // namespace ps
