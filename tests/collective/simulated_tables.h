// Tables of several ranks in one thread.
#ifndef PS_TESTS_COLLECTIVE_SIMULATED_TABLES_H_
#define PS_TESTS_COLLECTIVE_SIMULATED_TABLES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "collective/operation_table.h"

namespace ps {

inline Signature Allreduce(std::uint64_t count, DType dtype = DType::kI32) {
  return {CollectiveKind::kAllreduce, ReduceOp::kSum, dtype, 0, count};
}

// Tables of several ranks; messages are delivered when the test says so.
class SimulatedTables : public testing::Test {
 protected:
  struct Rank : CollectiveSink {
    void Send(Packed&& packed) override {
      if (fails_to_send) throw std::bad_alloc();
      bytes_sent += packed.values.size();
      sends.push_back(std::move(packed));
    }
    void Answer(const Asked& asked, const Status& outcome) override { answers.emplace_back(asked, outcome); }
    void End(int token, const Status& outcome) override { ended[token] = outcome; }
    std::unique_ptr<OperationTable> NewTable(const OperationTable::Bounds& bounds,
                                             std::size_t most_ahead_bytes = std::size_t{64} << 20) {
      return std::make_unique<OperationTable>(
          this, [this](int node) { return "worker " + std::to_string((node - 9) / 2) + suffix; }, 10000,
          bounds, most_ahead_bytes);
    }

    std::unique_ptr<OperationTable> own = NewTable({});
    std::map<int, Status> ended;
    std::deque<Packed> sends;
    std::vector<std::pair<Asked, Status>> answers;
    std::size_t bytes_sent = 0;  // of values
    bool fails_to_send = false;
    std::string suffix;  // of names
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
    const Status begun =
        at.own->Begin({token, at.own->group().tag(), name, signature, algorithm, {array, array, 0}}, now_ms);
    Collect(rank);
    return begun;
  }
  void Collect(int rank) {
    Rank& at = At(rank);
    for (const auto& [asked, outcome] : std::exchange(at.answers, {})) {
      const int to = (asked.sender - 9) / 2;
      if (to < 0) continue;
      if (outcome.ok()) {
        At(to).own->OnAnswer(asked.timestamp, NodeOf(rank));
      } else {
        At(to).own->OnRefused(asked.timestamp, Status(outcome.code(), "refused: " + outcome.message()));
      }
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

}  // namespace ps

#endif  // PS_TESTS_COLLECTIVE_SIMULATED_TABLES_H_
