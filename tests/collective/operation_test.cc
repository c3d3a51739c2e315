#include "collective/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ps/dtype_of.h"
#include "tests/collective/simulated_ranks.h"

namespace ps {
namespace {

constexpr CollectiveKind kKinds[] = {CollectiveKind::kBroadcast, CollectiveKind::kAllreduce,
                                     CollectiveKind::kReduceScatter, CollectiveKind::kAllgather};

std::vector<Algorithm> AlgorithmsOf(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kBroadcast: return {Algorithm::kTree, Algorithm::kChain};
    case CollectiveKind::kAllreduce:
      return {Algorithm::kDoubling, Algorithm::kHalving, Algorithm::kRing, Algorithm::kDirect};
    case CollectiveKind::kReduceScatter: return {Algorithm::kRing, Algorithm::kDirect};
    case CollectiveKind::kAllgather: return {Algorithm::kBruck, Algorithm::kRing, Algorithm::kDirect};
    case CollectiveKind::kBarrier: return {Algorithm::kRollCall};
  }
  return {};
}

// What each rank has, and what must come of it. Values wrap in small types, as sums do.
template <typename T>
struct Example {
  CollectiveKind kind;
  int size;
  std::uint64_t count;
  int root;
  std::vector<std::vector<T>> in;  // by rank
  std::vector<T> expected;

  Example(CollectiveKind the_kind, int the_size, std::uint64_t the_count)
      : kind(the_kind), size(the_size), count(the_count), root(the_size - 1) {
    for (int rank = 0; rank < size; ++rank) {
      std::vector<T>& values = in.emplace_back(count);
      for (std::uint64_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(static_cast<std::uint64_t>(rank + 1) * 3 + i * 5 + i / 7);
    }
    for (std::uint64_t i = 0; i < count; ++i) expected.push_back(Expected(i));
  }
  Signature signature() const {
    const auto of = static_cast<std::uint32_t>(kind == CollectiveKind::kBroadcast ? root : 0);
    return {kind, ReduceOp::kSum, DTypeOf<T>::value, of, count};
  }
  Range Block(int rank) const { return BlockOf(count, rank, size); }
  T Expected(std::uint64_t i) const {
    if (kind == CollectiveKind::kBroadcast) return in[static_cast<std::size_t>(root)][i];
    if (kind == CollectiveKind::kAllgather) {
      int owner = 0;
      while (Block(owner).end() <= i) ++owner;
      return in[static_cast<std::size_t>(owner)][i];
    }
    std::uint64_t sum = 0;
    for (const std::vector<T>& values : in) sum += static_cast<std::uint64_t>(values[i]);
    return static_cast<T>(sum);
  }

  void Check(Algorithm algorithm, std::uint64_t piece, unsigned seed) const {
    std::vector<std::vector<T>> arrays = in;
    std::vector<std::vector<T>> parts;
    SimulatedRanks ranks(size, seed);
    const bool scatters = kind == CollectiveKind::kReduceScatter;
    for (int rank = 0; rank < size; ++rank) parts.emplace_back(Block(rank).size());
    for (int rank = 0; rank < size; ++rank) {
      char* const array = reinterpret_cast<char*>(arrays[static_cast<std::size_t>(rank)].data());
      char* const part = reinterpret_cast<char*>(parts[static_cast<std::size_t>(rank)].data());
      ranks.Add(rank, signature(), MakePlan(algorithm, signature(), rank, size, piece),
                {array, scatters ? part : array, scatters ? Block(rank).begin() : 0});
    }
    const std::string what = signature().ToString() + ", " + std::to_string(size) + " ranks, algorithm " +
                             std::to_string(static_cast<int>(algorithm)) + ", pieces of " +
                             std::to_string(piece) + ", seed " + std::to_string(seed);
    ASSERT_TRUE(ranks.Run()) << what;
    for (std::size_t rank = 0; rank < in.size(); ++rank) {
      const Range mine = scatters ? Block(static_cast<int>(rank)) : Range(0, count);
      const std::vector<T>& out = scatters ? parts[rank] : arrays[rank];
      ASSERT_EQ(out.size(), mine.size());
      const bool is_right =
          std::equal(out.begin(), out.end(), expected.begin() + static_cast<std::ptrdiff_t>(mine.begin()));
      ASSERT_TRUE(is_right) << what << ", rank " << rank;
      ASSERT_TRUE(!scatters || arrays[rank] == in[rank]) << what << ", rank " << rank;
    }
  }
};

std::vector<std::uint64_t> CountsFor(int size) {
  const auto p = static_cast<std::uint64_t>(size);
  std::vector<std::uint64_t> counts = {0, 1, 2, p - 1, p, p + 1, 3 * p + 1};
  for (std::uint64_t power = 4; power <= 256; power *= 4)
    for (const std::uint64_t count : {power - 1, power, power + 1}) counts.push_back(count);
  return counts;
}

template <typename T>
void CheckKind(CollectiveKind kind, int size, const std::vector<std::uint64_t>& counts, std::uint64_t piece) {
  if (size == 1 && kind == CollectiveKind::kReduceScatter) return;  // there is nothing to exchange
  for (const std::uint64_t count : counts) {
    const Example<T> example(kind, size, count);
    for (const Algorithm algorithm : AlgorithmsOf(kind))
      example.Check(algorithm, piece, static_cast<unsigned>(size * 1000 + count));
  }
}

template <typename T>
void CheckAll(const std::vector<std::uint64_t>& more_counts, std::uint64_t piece, int most_ranks = 9) {
  for (int size = 1; size <= most_ranks; ++size) {
    std::vector<std::uint64_t> counts = CountsFor(size);
    counts.insert(counts.end(), more_counts.begin(), more_counts.end());
    for (const CollectiveKind kind : kKinds) CheckKind<T>(kind, size, counts, piece);
  }
}

TEST(OperationTest, EveryKindIsExactForAnyNumberOfRanksAndElements) { CheckAll<std::int64_t>({}, 5); }

TEST(OperationTest, PiecesMayBeAsLargeAsTheArray) { CheckAll<std::int32_t>({1000}, 1 << 20); }

TEST(OperationTest, SmallIntegersWrapAround) {
  CheckAll<std::int8_t>({}, 16, 5);
  CheckAll<std::uint16_t>({}, 16, 5);
}

TEST(OperationTest, ManyPiecesGoThroughTheWindow) {
  for (int size = 2; size <= 9; ++size)
    for (const CollectiveKind kind : kKinds) CheckKind<std::int64_t>(kind, size, {100003}, 1000);
}

TEST(OperationTest, AnyOrderOfArrivalIsAsGood) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Example<std::int64_t> example(kKinds[seed % 4], 2 + static_cast<int>(seed % 8), 67 + seed);
    for (const Algorithm algorithm : AlgorithmsOf(example.kind)) example.Check(algorithm, 3, seed);
  }
}

// --- floats ---

// Of magnitudes that make the order of additions matter.
std::vector<float> Uneven(int rank) {
  std::vector<float> values(501);
  const float factor = (rank % 2 == 0 ? 1e-3F : 1e5F) / static_cast<float>(rank + 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1) * factor;
  return values;
}

void CheckSameBits(Algorithm algorithm, int size) {
  const Signature signature{CollectiveKind::kAllreduce, ReduceOp::kSum, DType::kF32, 0, 501};
  std::vector<std::vector<float>> arrays;
  for (int rank = 0; rank < size; ++rank) arrays.push_back(Uneven(rank));
  SimulatedRanks ranks(size, 1);
  for (int rank = 0; rank < size; ++rank) {
    char* const array = reinterpret_cast<char*>(arrays[static_cast<std::size_t>(rank)].data());
    ranks.Add(rank, signature, MakePlan(algorithm, signature, rank, size), {array, array, 0});
  }
  ASSERT_TRUE(ranks.Run());
  for (const std::vector<float>& values : arrays)
    EXPECT_EQ(std::memcmp(values.data(), arrays[0].data(), values.size() * sizeof(float)), 0);
}

TEST(OperationTest, AllRanksHaveTheSameBits) {
  for (const Algorithm algorithm : AlgorithmsOf(CollectiveKind::kAllreduce))
    for (int size = 2; size <= 9; ++size) CheckSameBits(algorithm, size);
}

// --- what it costs ---

TEST(OperationTest, AllForLargeArraysMoveEachElementTwiceAtMost) {
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kHalving, Algorithm::kDirect})
    for (const int size : {2, 4, 8}) {
      const Example<std::int64_t> example(CollectiveKind::kAllreduce, size, 8 * 1024);
      std::vector<std::vector<std::int64_t>> arrays = example.in;
      SimulatedRanks ranks(size, 3);
      for (int rank = 0; rank < size; ++rank) {
        char* const array = reinterpret_cast<char*>(arrays[static_cast<std::size_t>(rank)].data());
        ranks.Add(rank, example.signature(), MakePlan(algorithm, example.signature(), rank, size),
                  {array, array, 0});
      }
      ASSERT_TRUE(ranks.Run());
      const std::uint64_t bytes = example.count * sizeof(std::int64_t);
      for (int rank = 0; rank < size; ++rank)
        EXPECT_EQ(ranks.bytes_of(rank), 2 * (bytes - bytes / static_cast<std::uint64_t>(size)));
    }
}

// --- what is sent, and when ---

// One of three ranks that gather three blocks of four elements.
class OneOfThree : public testing::Test, private OperationSink {
 protected:
  void Send(OutgoingValues&& values) override { sent_.push_back(std::move(values)); }
  void Answer(const Asked&) override {}

  static constexpr Signature kSignature{CollectiveKind::kAllgather, ReduceOp::kSum, DType::kI32, 0, 12};

  Status HearToken(int from, std::uint32_t round) {
    return operation_.Receive(from, {round, 0, {}, false, {}});
  }

  std::vector<std::int32_t> array_{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0};
  char* const bytes_ = reinterpret_cast<char*>(array_.data());
  Operation operation_{
      kSignature, MakePlan(Algorithm::kDirect, kSignature, 0, 3), 0, {bytes_, bytes_, 0}, this};
  std::vector<OutgoingValues> sent_;
};

TEST_F(OneOfThree, ValuesGoToWhoHasCome) {
  ThrowIfError(operation_.Begin(false));
  EXPECT_EQ(sent_.size(), 2u) << "tokens to both";
  ThrowIfError(HearToken(1, 0));
  ASSERT_EQ(sent_.size(), 3u);
  EXPECT_EQ(sent_[2].to, 1);
  ThrowIfError(HearToken(2, 1));
  ASSERT_EQ(sent_.size(), 4u);
  EXPECT_EQ(sent_[3].to, 2);
}

TEST_F(OneOfThree, APatientOneTellsThatItIsThereAndWaitsForAll) {
  ThrowIfError(operation_.Begin(true));
  EXPECT_EQ(sent_.size(), 2u) << "tokens to both";
  operation_.Prepare();
  array_[3] = 5;  // which a program must not do, but it shows that nothing was copied yet
  ThrowIfError(HearToken(1, 0));
  EXPECT_EQ(sent_.size(), 2u);
  EXPECT_FALSE(operation_.has_all());
  ThrowIfError(HearToken(2, 1));
  EXPECT_TRUE(operation_.has_all());
  ASSERT_EQ(sent_.size(), 4u);
  EXPECT_EQ(reinterpret_cast<const std::int32_t*>(sent_[2].values.data())[3], 5);
}

TEST_F(OneOfThree, WhatGoesToSeveralIsCopiedOnceWhileTheyAreOnTheirWay) {
  ThrowIfError(operation_.Begin(false));
  operation_.Prepare();
  array_[3] = 5;  // which a program must not do, but who has copied it does not see it
  ThrowIfError(HearToken(1, 0));
  ThrowIfError(HearToken(2, 1));
  ASSERT_EQ(sent_.size(), 4u);
  EXPECT_EQ(reinterpret_cast<const std::int32_t*>(sent_[2].values.data())[3], 4);
  EXPECT_EQ(sent_[2].values.data(), sent_[3].values.data());
}

// --- what must not come ---

class TwoRanks : public testing::Test, private OperationSink {
 protected:
  void Send(OutgoingValues&& values) override { sent_.push_back(std::move(values)); }
  void Answer(const Asked&) override {}

  static constexpr Signature kSignature{CollectiveKind::kAllreduce, ReduceOp::kSum, DType::kI32, 0, 4};

  ArrivedValues Values(std::uint32_t round, std::uint64_t begin, std::size_t bytes) {
    return {round, begin, SArray<char>(bytes), false, {}};
  }

  std::vector<std::int32_t> array_{1, 2, 3, 4};
  char* const bytes_ = reinterpret_cast<char*>(array_.data());
  Operation operation_{kSignature, MakePlan(kSignature, 0, 2), 0, {bytes_, bytes_, 0}, this};
  std::vector<OutgoingValues> sent_;
};

TEST_F(TwoRanks, WhatDoesNotFitIsRefused) {
  ThrowIfError(operation_.Begin(false));
  EXPECT_EQ(operation_.waits_for(), 1);
  const Status status = operation_.Receive(1, Values(0, 0, 12));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "12 bytes at element 0 of round 0 instead of 16 at element 0 of round 0");
  EXPECT_EQ(array_, (std::vector<std::int32_t>{1, 2, 3, 4}));
}

TEST_F(TwoRanks, AnotherRoundIsRefused) {
  ThrowIfError(operation_.Begin(false));
  EXPECT_FALSE(operation_.Receive(1, Values(1, 0, 16)).ok());
}

TEST_F(TwoRanks, APeerThatSendsMoreThanItMayIsRefused) {
  Status status;
  for (std::size_t i = 0; i <= Operation::kMostWaiting && status.ok(); ++i)
    status = operation_.Receive(7, Values(0, 0, 16));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST_F(TwoRanks, AnswersThatNobodyWaitsForChangeNothing) {
  ThrowIfError(operation_.OnAnswer(1));
  ThrowIfError(operation_.Begin(false));
  EXPECT_EQ(sent_.size(), 1u);
  ThrowIfError(operation_.Receive(1, Values(0, 0, 16)));
  EXPECT_TRUE(operation_.done());
  EXPECT_EQ(operation_.waits_for(), -1);
}

TEST_F(TwoRanks, WhatIsSentIsNotTheProgramsMemory) {
  ThrowIfError(operation_.Begin(false));
  ASSERT_EQ(sent_.size(), 1u);
  array_.assign(4, 0);
  EXPECT_EQ(reinterpret_cast<const std::int32_t*>(sent_[0].values.data())[3], 4);
}

}  // namespace
}  // namespace ps
