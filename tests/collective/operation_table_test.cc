#include "collective/operation_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/collective/simulated_tables.h"

namespace ps {
namespace {

class OperationTableTest : public SimulatedTables {};

TEST_F(OperationTableTest, OperationsOfTheSameNumberBelongTogether) {
  Make(3);
  for (int token = 1; token <= 3; ++token)
    for (int rank = 0; rank < 3; ++rank) {
      ThrowIfError(Begin(rank, token, Allreduce(4)));
      if (rank < 2) DeliverAll();  // before the last one has begun
    }
  DeliverAll();
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(At(rank).ended.size(), 3u);
    EXPECT_EQ(At(rank).array[0], 27);
  }
}

TEST_F(OperationTableTest, NamesMatchInAnyOrder) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(4), "a"));
  ThrowIfError(Begin(0, 2, Allreduce(50000), "b"));
  ThrowIfError(Begin(1, 2, Allreduce(50000), "b"));
  DeliverAll();
  EXPECT_EQ(At(0).ended.size(), 1u);
  ThrowIfError(Begin(1, 1, Allreduce(4), "a"));
  DeliverAll();
  ExpectAllEnded(StatusCode::kOk, "");
}

TEST_F(OperationTableTest, ANameUnderWayCanNotBegin) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(4), "a"));
  EXPECT_EQ(Begin(0, 2, Allreduce(4), "a").code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(Begin(0, 3, Allreduce(4)).ok());
}

// Large and small arrays are exchanged in different ways: whoever differs is found all the same.
TEST_F(OperationTableTest, WhoDiffersIsNamedOnAllRanks) {
  const Signature kinds[] = {Allreduce(10),
                             Allreduce(11),
                             Allreduce(10, DType::kF32),
                             Allreduce(50000),
                             Allreduce(20000),
                             {CollectiveKind::kAllreduce, ReduceOp::kMax, DType::kI32, 0, 10},
                             {CollectiveKind::kReduceScatter, ReduceOp::kSum, DType::kI32, 0, 10},
                             {CollectiveKind::kBroadcast, ReduceOp::kSum, DType::kI32, 0, 10},
                             {CollectiveKind::kBroadcast, ReduceOp::kSum, DType::kI32, 1, 10},
                             {CollectiveKind::kAllgather, ReduceOp::kSum, DType::kI32, 0, 10},
                             {}};
  for (const Signature& common : kinds) {
    for (const Signature& other : kinds) {
      if (common != other) ExpectDifference(common, other);
    }
  }
}

TEST_F(OperationTableTest, AfterADifferenceTheNextOneGoesOn) {
  Make(3);
  for (int rank = 0; rank < 3; ++rank) ThrowIfError(Begin(rank, 1, Allreduce(rank == 1 ? 5 : 4)));
  DeliverAll();
  ExpectAllEnded(StatusCode::kInvalidArgument, "allreduce of 5 i32 (sum)");
  for (int rank = 0; rank < 3; ++rank) ThrowIfError(Begin(rank, 2, Allreduce(4)));
  DeliverAll();
  for (int rank = 0; rank < 3; ++rank) EXPECT_TRUE(At(rank).ended.at(2).ok());
}

TEST_F(OperationTableTest, WhoBeginsLateIsToldThatItHasFailed) {
  Make(3);
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  ThrowIfError(Begin(1, 1, Allreduce(5)));
  DeliverAll();
  ThrowIfError(Begin(2, 1, Allreduce(4)));
  ExpectAllEnded(StatusCode::kInvalidArgument, "worker 1");
}

TEST_F(OperationTableTest, WhatAFormerGroupHasSentIsDropped) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  At(1).own->SetGroup(GroupOf(2, 1, 777));
  DeliverAll();
  EXPECT_EQ(At(1).own->early_bytes(), 0u);
}

TEST_F(OperationTableTest, WhatAGroupToComeHasSentIsKept) {
  Make(2);
  At(0).own->SetGroup(GroupOf(2, 0, 777));
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  DeliverAll();
  At(1).own->SetGroup(GroupOf(2, 1, 777));
  ThrowIfError(Begin(1, 1, Allreduce(4)));
  DeliverAll();
  ExpectAllEnded(StatusCode::kOk, "");
}

TEST_F(OperationTableTest, EarlyOnesAreBounded) {
  Make(2);
  At(1).own = At(1).NewTable({2, 100});
  At(1).own->SetGroup(GroupOf(2, 1));
  for (int token = 1; token <= 3; ++token) ThrowIfError(Begin(0, token, Allreduce(4)));
  DeliverAll();
  EXPECT_EQ(At(0).ended.count(1), 0u);
  EXPECT_EQ(At(0).ended.count(2), 0u);
  EXPECT_EQ(At(0).ended[3].code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(At(1).own->early_bytes(), 32u);
}

// Whoever has no room hears of the end all the same.
TEST_F(OperationTableTest, WhatIsRefusedEndsOnAllRanks) {
  Make(4);
  At(1).own = At(1).NewTable({0, 100});
  At(1).own->SetGroup(GroupOf(4, 1));
  for (const int rank : {0, 2, 3}) ThrowIfError(Begin(rank, 1, Allreduce(4)));
  DeliverAll();
  for (const int rank : {0, 2, 3})
    EXPECT_EQ(At(rank).ended[1].code(), StatusCode::kResourceExhausted) << rank << At(rank).ended[1];
  ThrowIfError(Begin(1, 1, Allreduce(4)));
  ExpectAllEnded(StatusCode::kResourceExhausted, "no room for more of operations that it has not begun");
}

// As one has who was not there when they were.
TEST_F(OperationTableTest, WhatGroupsOfThePastHaveSentKeepsNobodyOut) {
  Make(2);
  Packet packet;
  packet.signature = Allreduce(4);
  for (std::uint64_t i = 0; i < 3 * OperationTable::kForeign.packets; ++i) {
    packet.id = {i % 2, "", i};
    At(1).own->OnPacket({NodeOf(0), packet, SArray<char>(16), Asked()});
  }
  EXPECT_LE(At(1).own->early_bytes(), 16 * OperationTable::kForeign.packets);
  At(1).answers.clear();
  At(0).own->SetGroup(GroupOf(2, 0, 777));
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  DeliverAll();  // of a group to come
  At(1).own->SetGroup(GroupOf(2, 1, 777));
  ThrowIfError(Begin(1, 1, Allreduce(4)));
  DeliverAll();
  ExpectAllEnded(StatusCode::kOk, "");
}

TEST_F(OperationTableTest, WhoIsNotInTheGroupBeginsNothing) {
  Make(2);
  At(1).own->SetGroup(GroupMembers({{NodeOf(0), 100}}, NodeOf(1)));
  EXPECT_EQ(Begin(1, 1, Allreduce(4)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(At(1).own->num_open(), 0u);
}

// Its parts were made for as many ranks as there were.
TEST_F(OperationTableTest, WhatWasCalledForAnotherGroupDoesNotBegin) {
  Make(3);
  const std::uint64_t former = At(0).own->group().tag();
  At(0).own->SetGroup(GroupMembers({{NodeOf(0), 100}, {NodeOf(2), 202}}, NodeOf(0)));
  std::vector<std::int32_t> part(2);
  const Signature signature{CollectiveKind::kReduceScatter, ReduceOp::kSum, DType::kI32, 0, 6};
  char* const in = reinterpret_cast<char*>(At(0).array.data());
  char* const out = reinterpret_cast<char*>(part.data());
  const Status begun = At(0).own->Begin({1, former, "", signature, Algorithm::kRing, {in, out, 0}}, 0);
  EXPECT_EQ(begun.code(), StatusCode::kUnavailable);
  EXPECT_NE(begun.message().find("worker 1 was lost"), std::string::npos) << begun;
  EXPECT_EQ(At(0).own->num_open(), 0u);
  EXPECT_TRUE(At(0).sends.empty());
}

TEST_F(OperationTableTest, WhatDoesNotFitEndsItWithTheNameOfTheSender) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  Packet packet;
  packet.id = {At(0).own->group().tag(), "", 0};
  packet.signature = Allreduce(4);
  packet.round = 17;
  At(0).own->OnPacket({NodeOf(1), packet, SArray<char>(16), Asked()});
  Collect(0);
  EXPECT_NE(At(0).ended[1].message().find("worker 1 has sent 16 bytes"), std::string::npos);
}

TEST_F(OperationTableTest, WhoIsNoMemberSaysNothing) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  Packet end;
  end.kind = Packet::kEnd;
  end.status = Status::Internal("no");
  end.id = {At(0).own->group().tag(), "", 0};
  At(0).own->OnPacket({8, end, {}, Asked()});
  Collect(0);
  EXPECT_TRUE(At(0).ended.empty());
}

TEST_F(OperationTableTest, WhatIsCopiedWhileARankIsLateIsBounded) {
  constexpr std::size_t kMost = 1 << 20;
  constexpr int kOperations = 100;
  Make(3);
  for (int rank = 0; rank < 3; ++rank) {
    At(rank).own = At(rank).NewTable({}, kMost);
    At(rank).own->SetGroup(GroupOf(3, rank));
  }
  for (const int rank : {0, 1}) {
    for (int token = 1; token <= kOperations; ++token)
      ThrowIfError(Begin(rank, token, Allreduce(50000), std::to_string(token)));
    DeliverAll();
    EXPECT_GT(At(rank).own->ahead_bytes(), kMost / 2);
    EXPECT_LE(At(rank).own->ahead_bytes(), kMost);
  }
  EXPECT_GT(At(0).bytes_sent, 0u);
  for (const int rank : {0, 1}) EXPECT_LE(At(rank).bytes_sent, kMost);
  for (int token = 1; token <= kOperations; ++token)
    ThrowIfError(Begin(2, token, Allreduce(50000), std::to_string(token)));
  DeliverAll();
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(At(rank).ended.size(), static_cast<std::size_t>(kOperations));
    for (const auto& [token, outcome] : At(rank).ended) EXPECT_TRUE(outcome.ok()) << token << ": " << outcome;
    EXPECT_EQ(At(rank).own->ahead_bytes(), 0u);
  }
}

TEST_F(OperationTableTest, WhoIsLastCopiesNothingAhead) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(50000)));
  EXPECT_GT(At(0).own->ahead_bytes(), 0u);
  DeliverAll();
  ThrowIfError(Begin(1, 1, Allreduce(50000)));
  EXPECT_EQ(At(1).own->ahead_bytes(), 0u);
  DeliverAll();
  ExpectAllEnded(StatusCode::kOk, "");
}

TEST_F(OperationTableTest, LateAnswersAndPacketsAreIgnored) {
  Make(2);
  for (int rank = 0; rank < 2; ++rank) ThrowIfError(Begin(rank, 1, Allreduce(4)));
  const CollectiveSink::Packed again = At(0).sends.front();
  DeliverAll();
  Hand(0, again);
  At(1).own->OnAnswer(1, NodeOf(0));
  At(1).own->OnRefused(1, Status::Internal("late"));
  Collect(1);
  ExpectAllEnded(StatusCode::kOk, "");
  EXPECT_EQ(At(1).own->early_bytes(), 0u);
}

}  // namespace
}  // namespace ps
