#include "c_api/error.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "ps/c/base.h"

namespace ps::c_api {
namespace {

TEST(CApiErrorTest, AnExceptionBecomesItsCodeAndText) {
  EXPECT_EQ(Call([] { throw Error(Status::NotFound("no key 7")); }), PS_NOT_FOUND);
  EXPECT_STREQ(PSGetLastError(), "no key 7");
  EXPECT_EQ(PSGetLastErrorCode(), PS_NOT_FOUND);
  EXPECT_EQ(Call([] { throw std::bad_alloc(); }), PS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Call([] { throw std::runtime_error("odd"); }), PS_INTERNAL);
  EXPECT_NE(std::string(PSGetLastError()).find("odd"), std::string::npos);
}

TEST(CApiErrorTest, WhatSucceedsLeavesTheLastFailureAlone) {
  EXPECT_EQ(PSSetLastError(PS_UNAVAILABLE, "gone"), PS_UNAVAILABLE);
  EXPECT_EQ(Call([] {}), PS_OK);
  EXPECT_EQ(PSGetLastErrorCode(), PS_UNAVAILABLE);
}

TEST(CApiErrorTest, AThreadKnowsItsOwnFailuresOnly) {
  PSSetLastError(PS_UNAVAILABLE, "gone");
  std::thread([] {
    EXPECT_EQ(PSGetLastErrorCode(), PS_OK);
    EXPECT_STREQ(PSGetLastError(), "");
  }).join();
}

TEST(CApiErrorTest, ACodeThatThereIsNotIsInternal) {
  EXPECT_EQ(PSSetLastError(77, nullptr), PS_INTERNAL);
  EXPECT_EQ(PSSetLastError(0, "no failure"), PS_INTERNAL);
  EXPECT_STREQ(PSCodeName(PS_NOT_FOUND), "NotFound");
  EXPECT_STREQ(PSCodeName(-1), "Unknown");
  EXPECT_STREQ(PSCodeName(256), "Unknown");
}

TEST(CApiErrorTest, ACallbackFailsWithWhatItSaid) {
  EXPECT_TRUE(OutcomeOfCallback(PS_OK).ok());
  EXPECT_EQ(OutcomeOfCallback(PSSetLastError(PS_CANCELLED, "enough")), Status::Cancelled("enough"));
  EXPECT_EQ(OutcomeOfCallback(PS_NOT_FOUND).code(), StatusCode::kNotFound);
  EXPECT_EQ(OutcomeOfCallback(1234).code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace ps::c_api
