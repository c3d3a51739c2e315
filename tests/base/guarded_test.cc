#include "base/guarded.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace ps {
namespace {

TEST(GuardedTest, WhatTheCodeReturnsIsTheOutcome) {
  EXPECT_TRUE(Guarded([] { return Status::Ok(); }).ok());
  EXPECT_EQ(Guarded([] { return Status::NotFound("no key 3"); }), Status::NotFound("no key 3"));
}

TEST(GuardedTest, WhatEscapesIsAStatus) {
  EXPECT_EQ(Guarded([]() -> Status { throw Error(Status::Unavailable("server 1 is gone")); }),
            Status::Unavailable("server 1 is gone"));
  EXPECT_EQ(Guarded([]() -> Status { throw std::runtime_error("boom"); }), Status::Internal("boom"));
  EXPECT_EQ(Guarded([]() -> Status { throw std::bad_alloc(); }).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Guarded([]() -> Status { throw 7; }).code(), StatusCode::kInternal);
}

TEST(GuardedTest, AnErrorThatSaysOkIsNone) {
  EXPECT_EQ(Guarded([]() -> Status { throw Error(Status::Ok()); }).code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace ps
