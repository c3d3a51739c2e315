#include "table/multiverso/request_ids.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ps/status.h"
#include "store/ticket_source.h"

namespace multiverso {
namespace {

using ps::Status;

// A request that ends when the test says so.
class Request : public ps::TicketSource {
 public:
  Status Wait(const std::chrono::milliseconds* /*timeout*/) override {
    return is_done ? outcome : Status::FailedPrecondition("it would wait for ever");
  }
  bool done() override { return is_done; }
  void Then(Continuation /*continuation*/) override {}

  bool is_done = false;
  Status outcome;
};

ps::StatusCode CodeOf(RequestIds* ids, int id) {
  try {
    ids->Wait(id);
  } catch (const ps::Error& error) {
    return error.code();
  }
  return ps::StatusCode::kOk;
}

TEST(RequestIdsTest, TblVec10WaitingTwiceIsFineAndAnUnknownIdIsAnError) {
  RequestIds ids;
  EXPECT_EQ(CodeOf(&ids, 0), ps::StatusCode::kInvalidArgument) << "none was given";
  const int first = ids.Add(ps::Ticket());
  const int second = ids.Add(ps::Ticket());
  EXPECT_NE(first, second);
  ids.Wait(first);
  ids.Wait(first);
  ids.Wait(second);
  for (const int unknown : {second + 1, -1, 1 << 30})
    EXPECT_EQ(CodeOf(&ids, unknown), ps::StatusCode::kInvalidArgument) << unknown;
  EXPECT_EQ(ids.size(), 0u);
}

TEST(RequestIdsTest, AReadIsFinishedOnceBeforeWaitReturns) {
  RequestIds ids;
  int num_finished = 0;
  const int id = ids.Add(ps::Ticket(), [&] { ++num_finished; });
  EXPECT_EQ(num_finished, 0);
  ids.Wait(id);
  ids.Wait(id);
  EXPECT_EQ(num_finished, 1);
}

TEST(RequestIdsTest, WhatNobodyWaitsForIsFinishedAndForgotten) {
  RequestIds ids;
  const auto open = std::make_shared<Request>();
  const int waiting = ids.Add(ps::Ticket(open));
  int num_finished = 0;
  constexpr int kMany = 100000;
  int last = 0;
  for (int i = 0; i < kMany; ++i) last = ids.Add(ps::Ticket(), [&] { ++num_finished; });
  EXPECT_LT(ids.size(), 1000u);
  EXPECT_GT(num_finished, kMany - 1000);
  ids.Wait(last);
  EXPECT_EQ(CodeOf(&ids, waiting), ps::StatusCode::kFailedPrecondition) << "it is still known";
  open->is_done = true;
  ids.Wait(waiting);
}

TEST(RequestIdsTest, AFailureIsToldOnceAndNotForgottenBefore) {
  RequestIds ids;
  const auto failed = std::make_shared<Request>();
  failed->is_done = true;
  failed->outcome = Status::Unavailable("gone");
  int num_finished = 0;
  const int id = ids.Add(ps::Ticket(failed), [&] { ++num_finished; });
  for (int i = 0; i < 1000; ++i) ids.Add(ps::Ticket());
  EXPECT_EQ(CodeOf(&ids, id), ps::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(&ids, id), ps::StatusCode::kOk);
  EXPECT_EQ(num_finished, 0);
}

TEST(RequestIdsTest, FailuresThatNobodyAsksForTakeNoMemory) {
  RequestIds ids;
  const auto failed = std::make_shared<Request>();
  failed->is_done = true;
  failed->outcome = Status::Unavailable("gone");
  for (int i = 0; i < 50000; ++i) ids.Add(ps::Ticket(failed));
  EXPECT_LT(ids.size(), 5000u);
}

TEST(RequestIdsTest, IdsBeginAgain) {
  RequestIds ids(RequestIds::kIds - 1);
  const auto failed = std::make_shared<Request>();
  failed->is_done = true;
  failed->outcome = Status::Unavailable("gone");
  EXPECT_EQ(ids.Add(ps::Ticket(failed)), static_cast<int>(RequestIds::kIds - 1));
  EXPECT_EQ(ids.Add(ps::Ticket()), 0);
  EXPECT_EQ(CodeOf(&ids, static_cast<int>(RequestIds::kIds - 1)), ps::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(&ids, 0), ps::StatusCode::kOk);
  EXPECT_EQ(CodeOf(&ids, 1), ps::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace multiverso
