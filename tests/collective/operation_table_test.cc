#include "collective/operation_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ps {
namespace {

constexpr std::int64_t kTimeoutMs = 10000;

Signature Allreduce(std::uint64_t count, DType dtype = DType::kI32) {
  return {CollectiveKind::kAllreduce, ReduceOp::kSum, dtype, 0, count};
}

// Tables of several ranks; messages are delivered when the test says so.
class OperationTableTest : public testing::Test {
 protected:
  struct Rank : CollectiveSink {
    void Send(Packed&& packed) override { sends.push_back(std::move(packed)); }
    void Answer(const Asked& asked) override { answers.push_back(asked); }
    void End(int token, const Status& outcome) override { ended[token] = outcome; }
    std::unique_ptr<OperationTable> NewTable(const OperationTable::Bounds& bounds) {
      return std::make_unique<OperationTable>(
          this, [](int node) { return "worker " + std::to_string((node - 9) / 2); }, kTimeoutMs, bounds);
    }

    std::unique_ptr<OperationTable> own = NewTable({});
    std::map<int, Status> ended;
    std::deque<Packed> sends;
    std::vector<Asked> answers;
    std::vector<std::int32_t> array = std::vector<std::int32_t>(50000, 1);
  };
  static int NodeOf(int rank) { return rank * 2 + 9; }

  void Make(int size) {
    ranks_.clear();
    for (int rank = 0; rank < size; ++rank) ranks_.push_back(std::make_unique<Rank>());
    for (int rank = 0; rank < size; ++rank) At(rank).own->SetGroup(GroupOf(size, rank));
  }
  static GroupMembers GroupOf(int size, int me, std::uint64_t first_incarnation = 100) {
    std::vector<GroupMembers::Member> members;
    for (int rank = 0; rank < size; ++rank)
      members.push_back({NodeOf(rank), (rank == 0 ? first_incarnation : 200) + static_cast<unsigned>(rank)});
    return GroupMembers(members, NodeOf(me));
  }
  Rank& At(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

  Status Begin(int rank, int token, const Signature& signature, const std::string& name = "",
               std::int64_t now_ms = 0) {
    Rank& at = At(rank);
    char* const array = reinterpret_cast<char*>(at.array.data());
    const Algorithm algorithm =
        ChooseAlgorithm(signature.kind, signature.bytes(), static_cast<int>(ranks_.size()));
    const Status begun = at.own->Begin({token, name, signature, algorithm, {array, array, 0}}, now_ms);
    Collect(rank);
    return begun;
  }
  void Collect(int rank) {
    Rank& at = At(rank);
    for (const Asked& asked : std::exchange(at.answers, {})) {
      const int to = (asked.sender - 9) / 2;
      At(to).own->OnAnswer(asked.timestamp, NodeOf(rank));
      Collect(to);
    }
  }
  void Hand(int from, const CollectiveSink::Packed& send) {
    const int to = (send.node - 9) / 2;
    Asked asked;
    asked.sender = NodeOf(from);
    asked.timestamp = send.token;
    At(to).own->OnPacket({NodeOf(from), DecodePacket(send.packet).value(), send.values, asked});
    Collect(to);
  }
  // Everything that is on its way, and what it leads to.
  void DeliverAll() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
        while (!At(rank).sends.empty()) {
          const CollectiveSink::Packed send = std::move(At(rank).sends.front());
          At(rank).sends.pop_front();
          Hand(rank, send);
          moved = true;
        }
    }
  }
  void ExpectAllEnded(StatusCode code, const std::string& text) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ASSERT_EQ(ranks_[rank]->ended.count(1), 1u) << rank;
      const Status& status = ranks_[rank]->ended[1];
      EXPECT_EQ(status.code(), code) << rank << ": " << status;
      EXPECT_NE(status.message().find(text), std::string::npos) << rank << ": " << status;
      EXPECT_EQ(ranks_[rank]->own->num_open(), 0u);
    }
  }

  // One rank calls something else than the others.
  void ExpectDifference(const Signature& common, const Signature& other) {
    for (const auto& [size, odd] :
         {std::pair(2, 0), {2, 1}, {3, 0}, {3, 2}, {4, 1}, {7, 0}, {7, 3}, {7, 6}}) {
      Make(size);
      for (int rank = 0; rank < size; ++rank) ThrowIfError(Begin(rank, 1, rank == odd ? other : common));
      DeliverAll();
      ExpectAllEnded(StatusCode::kInvalidArgument, "worker " + std::to_string(odd));
      ExpectAllEnded(StatusCode::kInvalidArgument, common.ToString());
      ExpectAllEnded(StatusCode::kInvalidArgument, other.ToString());
    }
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
};

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

TEST_F(OperationTableTest, TheFirstWhoseTimeIsUpNamesWhoHasNotCome) {
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

TEST_F(OperationTableTest, ALostRankEndsWhatIsUnderWayAndWhatComes) {
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

TEST_F(OperationTableTest, TheLossOfSomebodyElseChangesNothing) {
  Make(2);
  ThrowIfError(Begin(0, 1, Allreduce(4)));
  At(0).own->OnLost(7, Status::Unavailable("server 0 was lost"));
  ThrowIfError(Begin(1, 1, Allreduce(4)));
  DeliverAll();
  ExpectAllEnded(StatusCode::kOk, "");
}

TEST_F(OperationTableTest, WhoTakesALostPlaceBeginsAnewWithTheOthers) {
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

TEST_F(OperationTableTest, WhatCanNotBeSentEndsItForAll) {
  Make(3);
  for (int rank = 0; rank < 3; ++rank) ThrowIfError(Begin(rank, 1, Allreduce(4)));
  At(2).own->OnRefused(1, Status::ResourceExhausted("too large"));
  Collect(2);
  At(0).sends.clear();
  At(1).sends.clear();
  DeliverAll();
  ExpectAllEnded(StatusCode::kResourceExhausted, "allreduce of 4 i32 (sum), number 0: too large");
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

TEST_F(OperationTableTest, TheEndOfAllIsTold) {
  Make(2);
  for (int rank = 0; rank < 2; ++rank) ThrowIfError(Begin(rank, 1, Allreduce(4)));
  At(0).sends.clear();
  At(0).own->EndAll(Status::Cancelled("closed"));
  Collect(0);
  At(1).sends.clear();
  DeliverAll();
  ExpectAllEnded(StatusCode::kCancelled, "closed");
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
