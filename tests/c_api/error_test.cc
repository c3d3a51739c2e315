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
  EXPECT_EQ(PSSetLastError(77, nullptr), 77);
  EXPECT_EQ(PSGetLastErrorCode(), PS_INTERNAL);
  EXPECT_EQ(PSSetLastError(0, "no failure"), PS_INTERNAL);
  EXPECT_STREQ(PSCodeName(PS_NOT_FOUND), "NotFound");
  EXPECT_STREQ(PSCodeName(-1), "Unknown");
  EXPECT_STREQ(PSCodeName(256), "Unknown");
}

TEST(CApiErrorTest, ACallbackFailsWithWhatItSaid) {
  EXPECT_TRUE(OutcomeOf([] { return PS_OK; }).ok());
  EXPECT_TRUE(OutcomeOf([] {
                PSSetLastError(PS_CANCELLED, "thought better of it");
                return PS_OK;
              }).ok());
  EXPECT_EQ(OutcomeOf([] { return PSSetLastError(PS_CANCELLED, "enough"); }), Status::Cancelled("enough"));
  EXPECT_EQ(OutcomeOf([] { return static_cast<int>(PS_NOT_FOUND); }).code(), StatusCode::kNotFound);
  EXPECT_EQ(OutcomeOf([] { return 1234; }).code(), StatusCode::kInternal);
}

TEST(CApiErrorTest, ACodeOfTheProgramsOwnKeepsItsText) {
  EXPECT_EQ(OutcomeOf([] {
              PSSetLastError(-1, "the disk is full");
              return -1;
            }),
            Status::Internal("the disk is full"));
}

TEST(CApiErrorTest, WhatACallbackDoesNotSayIsNotTakenFromBefore) {
  PSSetLastError(PS_NOT_FOUND, "of another matter");
  const Status outcome = OutcomeOf([] { return static_cast<int>(PS_NOT_FOUND); });
  EXPECT_EQ(outcome.message().find("another matter"), std::string::npos) << outcome;
  // But the call that it has failed with is its reason.
  const Status passed_on = OutcomeOf([] { return PSRequestWait(nullptr, 0); });
  EXPECT_NE(passed_on.message().find("PSRequest"), std::string::npos) << passed_on;
}

TEST(CApiErrorTest, NoTimeIsLongerThanAYear) {
  EXPECT_EQ(CheckTimeout(-1), -1);
  EXPECT_EQ(CheckTimeout(5), 5);
  EXPECT_EQ(CheckTimeout(INT64_MAX), 365LL * 24 * 3600 * 1000);
  EXPECT_EQ(CheckBarrierTimeout(0), 1);
  EXPECT_EQ(CheckBarrierTimeout(-1), -1);
}

}  // namespace
}  // namespace ps::c_api
