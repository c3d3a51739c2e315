#include "ps/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace ps {
namespace {

TEST(StatusTest, IsOkByDefaultAndHasNoText) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.ToString(), "OK");
}

TEST(StatusTest, EveryFactoryGivesItsCodeAndName) {
  struct Row {
    Status status;
    StatusCode code;
    const char* text;
  };
  const Row rows[] = {
      {Status::InvalidArgument("m"), StatusCode::kInvalidArgument, "InvalidArgument: m"},
      {Status::DeadlineExceeded("m"), StatusCode::kDeadlineExceeded, "DeadlineExceeded: m"},
      {Status::Unavailable("m"), StatusCode::kUnavailable, "Unavailable: m"},
      {Status::Cancelled("m"), StatusCode::kCancelled, "Cancelled: m"},
      {Status::NotFound("m"), StatusCode::kNotFound, "NotFound: m"},
      {Status::AlreadyExists("m"), StatusCode::kAlreadyExists, "AlreadyExists: m"},
      {Status::ResourceExhausted("m"), StatusCode::kResourceExhausted, "ResourceExhausted: m"},
      {Status::FailedPrecondition("m"), StatusCode::kFailedPrecondition, "FailedPrecondition: m"},
      {Status::Internal("m"), StatusCode::kInternal, "Internal: m"},
  };
  for (const Row& row : rows) {
    EXPECT_FALSE(row.status.ok());
    EXPECT_EQ(row.status.code(), row.code);
    EXPECT_EQ(row.status.ToString(), row.text);
  }
}

TEST(StatusTest, CodesKeepTheirNumbersBecauseTheyTravel) {
  EXPECT_EQ(static_cast<int>(StatusCode::kOk), 0);
  EXPECT_EQ(static_cast<int>(StatusCode::kUnavailable), 3);
  EXPECT_EQ(static_cast<int>(StatusCode::kInternal), 9);
}

TEST(StatusTest, AByteThatIsNoCodeBecomesAnInternalError) {
  const Status status(static_cast<StatusCode>(200), "from a peer");
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_STREQ(StatusCodeName(static_cast<StatusCode>(200)), "Unknown");
}

TEST(StatusTest, AnOkCodeDropsItsMessage) {
  EXPECT_TRUE(Status(StatusCode::kOk, "text").ok());
  EXPECT_EQ(Status(StatusCode::kOk, "text"), Status::Ok());
}

TEST(StatusTest, CompareByCodeAndMessage) {
  EXPECT_EQ(Status::NotFound("a"), Status::NotFound("a"));
  EXPECT_NE(Status::NotFound("a"), Status::NotFound("b"));
  EXPECT_NE(Status::NotFound("a"), Status::Internal("a"));
}

TEST(StatusTest, AMovedFromStatusIsStillUsable) {
  Status source = Status::NotFound("a");
  const Status target = std::move(source);
  EXPECT_EQ(target.message(), "a");
  source = Status::Ok();
  EXPECT_TRUE(source.ok());
}

TEST(StatusTest, ThrowIfErrorThrowsWhatDmlcProgramsCatch) {
  EXPECT_NO_THROW(ThrowIfError(Status::Ok()));
  try {
    ThrowIfError(Status::Unavailable("server 0 (id 8)"));
    FAIL() << "did not throw";
  } catch (const dmlc::Error& e) {
    EXPECT_STREQ(e.what(), "Unavailable: server 0 (id 8)");
    EXPECT_EQ(dynamic_cast<const Error&>(e).code(), StatusCode::kUnavailable);
  }
}

Status FailOn(bool fail, int* reached) {
  PS_RETURN_IF_ERROR(fail ? Status::Cancelled("stop") : Status::Ok());
  ++*reached;
  return Status::Ok();
}

TEST(StatusTest, ReturnIfErrorLeavesTheFunctionOnlyOnErrors) {
  int reached = 0;
  EXPECT_EQ(FailOn(true, &reached), Status::Cancelled("stop"));
  EXPECT_EQ(reached, 0);
  EXPECT_TRUE(FailOn(false, &reached).ok());
  EXPECT_EQ(reached, 1);
}

TEST(ResultTest, HoldsAValueOrAReason) {
  const Result<int> value(7);
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(value.value(), 7);
  EXPECT_TRUE(value.status().ok());
  const Result<int> error(Status::NotFound("no"));
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.status(), Status::NotFound("no"));
  EXPECT_THROW(error.value(), Error);
}

TEST(ResultTest, CarriesValuesThatOnlyMove) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(ResultTest, MadeOfAnOkStatusIsAnErrorNotAValue) {
  const Result<int> result{Status::Ok()};
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace ps
