#include "collective/operation_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "tests/collective/simulated_tables.h"

namespace ps {
namespace {

class OperationTableEndTest : public SimulatedTables {};

TEST_F(OperationTableEndTest, TheFirstWhoseTimeIsUpNamesWhoHasNotCome) {
  Make(4);
  for (const int rank : {0, 1, 3}) ThrowIfError(Begin(rank, 1, Allreduce(4), "", rank));
  EXPECT_EQ(At(0).own->next_ms(), 1000);
  for (const std::int64_t now_ms : {1003, 10000})
    for (const int rank : {0, 1, 3}) {
      At(rank).own->OnTime(now_ms);
      Collect(rank);
      DeliverAll();
    }
  const Status& status = At(0).ended[1];
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message(),
            "allreduce of 4 i32 (sum), number 0: worker 2 has not come after 10 s (PS_BARRIER_TIMEOUT)");
  ThrowIfError(Begin(2, 1, Allreduce(4)));
  ExpectAllEnded(StatusCode::kDeadlineExceeded, "worker 2 has not come");
  EXPECT_EQ(At(0).own->next_ms(), std::numeric_limits<std::int64_t>::max());
}

TEST_F(OperationTableEndTest, ALostRankEndsWhatIsUnderWayAndWhatComes) {
  Make(3);
  for (const int rank : {0, 2}) ThrowIfError(Begin(rank, 1, Allreduce(4)));
  for (const int rank : {0, 2}) {
    At(rank).own->OnLost(201, Status::Unavailable("worker 1 was lost"));
    Collect(rank);
    EXPECT_EQ(At(rank).ended[1].message(), "allreduce of 4 i32 (sum), number 0: worker 1 was lost");
    ThrowIfError(Begin(rank, 2, Allreduce(4), "a"));
    EXPECT_EQ(At(rank).ended[2].code(), StatusCode::kUnavailable);
  }
}

TEST_F(OperationTableEndTest, TheLossOfSomebodyElseChangesNothing) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  At(0).own->OnLost(7, Status::Unavailable("server 0 was lost"));
  ThrowIfError(Begin(1, 1, Allreduce(4)));
  DeliverAll();
  ExpectAllEnded(StatusCode::kOk, "");
}

TEST_F(OperationTableEndTest, WhoTakesALostPlaceBeginsAnewWithTheOthers) {
  Make(2);
  for (int token = 1; token <= 3; ++token) ThrowIfError(Begin(1, token, Allreduce(4)));
  // Rank 0 was lost before it called the first one; another process comes, and calls.
  ranks_[0] = std::make_unique<Rank>();
  for (int rank = 0; rank < 2; ++rank) At(rank).own->SetGroup(GroupOf(2, rank, 777));
  Collect(1);
  EXPECT_EQ(At(1).ended.size(), 3u);
  EXPECT_EQ(At(1).ended[3].code(), StatusCode::kUnavailable);
  EXPECT_NE(At(1).ended[3].message().find("worker 0 was lost"), std::string::npos);
  At(1).sends.clear();
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  ThrowIfError(Begin(1, 4, Allreduce(4)));
  DeliverAll();
  EXPECT_TRUE(At(0).ended[1].ok());
  EXPECT_TRUE(At(1).ended[4].ok());
}

TEST_F(OperationTableEndTest, WhoWasLostItselfDoesNothingAlone) {
  Make(3);
  ThrowIfError(Begin(1, 1, Allreduce(4)));
  At(1).own->OnOwnLoss(Status::Unavailable("worker 1 was lost"));
  Collect(1);
  EXPECT_EQ(At(1).ended[1].message(), "allreduce of 4 i32 (sum), number 0: worker 1 was lost");
  for (const std::uint64_t incarnation : {100, 202}) At(1).own->OnLost(incarnation, Status::Unavailable("x"));
  const Status begun = Begin(1, 2, Allreduce(4));
  EXPECT_EQ(begun.code(), StatusCode::kUnavailable);
  EXPECT_NE(begun.message().find("worker 1 was lost"), std::string::npos) << begun;
}

TEST_F(OperationTableEndTest, TheLostOneIsNamedAsItWas) {
  Make(2);
  ThrowIfError(Begin(1, 1, Allreduce(4)));
  At(1).suffix = " (the newcomer's address)";
  At(1).own->SetGroup(GroupOf(2, 1, 777));
  EXPECT_NE(At(1).ended[1].message().find("worker 0 was lost"), std::string::npos) << At(1).ended[1];
  ThrowIfError(Begin(1, 2, Allreduce(4)));
  At(1).own->SetGroup(GroupOf(3, 1, 777));
  EXPECT_NE(At(1).ended[2].message().find("there are more workers now"), std::string::npos) << At(1).ended[2];
}

TEST_F(OperationTableEndTest, AnOperationEndsHereAlsoWhereTheOthersCanNotBeTold) {
  Make(2);
  for (int rank = 0; rank < 2; ++rank) ThrowIfError(Begin(rank, 1, Allreduce(rank == 0 ? 4 : 5)));
  At(0).fails_to_send = true;
  EXPECT_NO_THROW(DeliverAll());
  EXPECT_EQ(At(0).ended[1].code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(At(0).own->num_open(), 0u);
}

TEST_F(OperationTableEndTest, SaysHowFarAnOperationIs) {
  Make(3);
  for (const int rank : {0, 1}) ThrowIfError(Begin(rank, 1, Allreduce(4), "a"));
  for (const int rank : {0, 1}) At(rank).own->OnTime(1000);
  DeliverAll();
  EXPECT_EQ(At(0).own->Progress(1), "allreduce of 4 i32 (sum), \"a\": worker 2 has not come");
  EXPECT_EQ(At(0).own->Progress(2), "");
}

TEST_F(OperationTableEndTest, WhatCanNotBeSentEndsItForAll) {
  Make(3);
  for (int rank = 0; rank < 3; ++rank) ThrowIfError(Begin(rank, 1, Allreduce(4)));
  At(2).own->OnRefused(1, Status::ResourceExhausted("too large"));
  Collect(2);
  At(0).sends.clear();
  At(1).sends.clear();
  DeliverAll();
  ExpectAllEnded(StatusCode::kResourceExhausted, "allreduce of 4 i32 (sum), number 0: too large");
}

TEST_F(OperationTableEndTest, TheEndOfAllIsTold) {
  Make(2);
  for (int rank = 0; rank < 2; ++rank) ThrowIfError(Begin(rank, 1, Allreduce(4)));
  At(0).sends.clear();
  At(0).own->EndAll(Status::Cancelled("closed"));
  Collect(0);
  At(1).sends.clear();
  DeliverAll();
  ExpectAllEnded(StatusCode::kCancelled, "closed");
}

}  // namespace
}  // namespace ps
