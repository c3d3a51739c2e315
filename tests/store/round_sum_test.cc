#include "store/round_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "store/elements.h"
#include "tests/store/test_updaters.h"

namespace ps {
namespace {

using Rows = std::vector<std::uint64_t>;

RowSet List(const Rows& rows) { return RowSet::List(rows.data(), rows.size()); }

struct Shape {
  TableSpec::Kind kind;
  DType dtype;
  std::int64_t rows;
  std::int64_t width;
};

// A shard of rows [100, 100 + rows) and the sum of its rounds.
struct Fixture {
  Fixture(const Shape& shape, Updater* updater, MemoryBudget* budget = nullptr) {
    spec.name = "t";
    spec.kind = shape.kind;
    spec.dtype = shape.dtype;
    spec.rows = shape.rows;
    spec.width = shape.width;
    plan.spec = &spec;
    plan.updater = updater;
    plan.first_row = 100;
    plan.num_rows = static_cast<std::uint64_t>(shape.rows);
    shard = MakeShard(plan).value();
    plan.budget = budget;
    sum = std::make_unique<RoundSum>(plan);
  }
  RowSet Whole() const { return RowSet::Range(100, plan.num_rows); }
  template <typename T>
  std::vector<T> Read(const RowSet& rows) const {
    std::vector<T> values(rows.count * static_cast<std::size_t>(spec.width));
    shard->Read(rows, values.data());
    return values;
  }

  TableSpec spec;
  ShardPlan plan;
  std::unique_ptr<Shard> shard;
  std::unique_ptr<RoundSum> sum;
};

TEST(RoundSumTest, TheUpdaterSeesTheSumOnce) {
  SumTimesCount<float> rule;
  Fixture f({TableSpec::kDense, DType::kF32, 3, 2}, &rule);
  const std::vector<float> a = {1, 2, 3, 4, 5, 6};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(f.sum->Fold(f.Whole(), a.data()).ok());
  ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, false, {}).ok());
  EXPECT_EQ(f.Read<float>(f.Whole()), (std::vector<float>{3, 6, 9, 12, 15, 18}));  // each count is 1
  EXPECT_EQ(f.shard->version(), 1U);
}

TEST(RoundSumTest, RowsThatNobodyNamedAreNotUpdated) {
  AddingUpdater<float> add;
  Fixture f({TableSpec::kDense, DType::kF32, 1000, 2}, &add);
  const Rows rows = {105, 103, 105};
  const std::vector<float> a = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(f.sum->Fold(List(rows), a.data()).ok());
  ASSERT_TRUE(f.sum->Fold(RowSet::Range(103, 2), a.data()).ok());
  ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, false, {}).ok());
  EXPECT_EQ(f.Read<float>(RowSet::Range(103, 3)), (std::vector<float>{4, 6, 3, 4, 6, 8}));
  std::vector<float> read(2000);
  Shard::Changed changed;
  f.shard->ReadSince(f.Whole(), 0, read.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{3, 4, 5}));
}

TEST(RoundSumTest, AnEmptyRoundChangesNothing) {
  AddingUpdater<float> add;
  Fixture f({TableSpec::kDense, DType::kF32, 3, 1}, &add);
  ASSERT_TRUE(f.sum->Fold(List({}), nullptr).ok());
  EXPECT_TRUE(f.sum->is_empty());
  ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, false, {}).ok());
  EXPECT_EQ(f.shard->version(), 0U);
}

TEST(RoundSumTest, EachRoundBeginsAnew) {
  AddingUpdater<float> add;
  Fixture f({TableSpec::kDense, DType::kF32, 2, 1}, &add);
  const std::vector<float> ones = {1, 1};
  const Rows row = {101};
  for (int round = 0; round < 4; ++round) {
    if (round % 2 == 0) {
      ASSERT_TRUE(f.sum->Fold(f.Whole(), ones.data()).ok());
    } else {
      ASSERT_TRUE(f.sum->Fold(List(row), ones.data()).ok());
    }
    ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, false, {}).ok());
    EXPECT_TRUE(f.sum->is_empty());
  }
  EXPECT_EQ(f.Read<float>(f.Whole()), (std::vector<float>{2, 4}));
}

TEST(RoundSumTest, SetsAndScales) {
  AddingUpdater<double> add;
  Fixture f({TableSpec::kDense, DType::kF64, 2, 1}, &add);
  const std::vector<double> a = {3, 4.5};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(f.sum->Fold(f.Whole(), a.data()).ok());
  ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1.0 / 3, true, {}).ok());
  EXPECT_EQ(f.Read<double>(f.Whole()), a);
}

constexpr std::uint64_t kRows = 300;
constexpr std::size_t kWidth = 3;

// Numbers of mixed size, whose sum depends on the order.
template <typename T>
std::vector<T> MixedSizes(std::size_t count, std::mt19937_64* random) {
  std::vector<T> values(count);
  for (T& value : values) {
    const double fraction = static_cast<double>((*random)() % 2048) - 1024;
    const double mixed = std::ldexp(fraction, static_cast<int>((*random)() % 20));
    value = std::is_floating_point_v<T> ? static_cast<T>(mixed) : static_cast<T>((*random)());
    if ((*random)() % 8 == 0) value = static_cast<T>(-0.0);
  }
  return values;
}

// What adding each element on its own gives.
template <typename T>
class PlainSum {
 public:
  void Fold(const RowSet& rows, const std::vector<T>& delta) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      const auto begin = delta.begin() + static_cast<std::ptrdiff_t>(i * kWidth);
      const std::vector<T> row(begin, begin + kWidth);
      const auto [found, is_new] = sums.emplace(rows[i], row);
      for (std::size_t j = 0; j < kWidth && !is_new; ++j) found->second[j] += row[j];
    }
  }
  std::map<std::uint64_t, std::vector<T>> sums;
};

template <typename T>
void CheckOrder(TableSpec::Kind kind, DType dtype) {
  AssigningUpdater assign;
  Fixture f({kind, dtype, kRows, kWidth}, &assign);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    PlainSum<T> expected;
    for (int part = 0; part < 6; ++part) {
      const bool whole = kind == TableSpec::kDense && random() % 3 == 0;
      Rows list(random() % 400);
      for (std::uint64_t& row : list) row = 100 + random() % kRows;
      const RowSet rows = whole ? f.Whole() : random() % 3 == 0 ? RowSet::Range(150, 70) : List(list);
      const std::vector<T> delta = MixedSizes<T>(rows.count * kWidth, &random);
      ASSERT_TRUE(f.sum->Fold(rows, delta.data()).ok());
      expected.Fold(rows, delta);
    }
    ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, true, {}).ok());
    for (const auto& [row, sums] : expected.sums) {
      const std::vector<T> read = f.Read<T>(RowSet::Range(row, 1));
      ASSERT_EQ(std::memcmp(read.data(), sums.data(), kWidth * sizeof(T)), 0)
          << "seed " << seed << ", " << row;
    }
  }
}

TEST(RoundSumTest, EachElementIsSummedInTheOrderOfTheCalls) {
  CheckOrder<float>(TableSpec::kDense, DType::kF32);
  CheckOrder<double>(TableSpec::kDense, DType::kF64);
  CheckOrder<float>(TableSpec::kHash, DType::kF32);
  CheckOrder<std::uint32_t>(TableSpec::kDense, DType::kU32);
}

TEST(RoundSumTest, HalvesAreSummedInF32) {
  for (const bool by_list : {false, true}) {
    for (const TableSpec::Kind kind : {TableSpec::kDense, TableSpec::kHash}) {
      AddingUpdater<float> add(Updater::Shortcut::kAdd);
      Fixture f({kind, DType::kF16, 2, 5000}, &add);
      const float large = 60000;
      std::uint16_t half;
      NarrowElements(DType::kF16, &large, &half, 1);
      const std::vector<std::uint16_t> delta(10000, half);
      const Rows rows = {100, 101};
      const RowSet set = by_list ? List(rows) : f.Whole();
      // Twice that is more than a half can hold; the mean is not.
      for (int i = 0; i < 2; ++i) ASSERT_TRUE(f.sum->Fold(set, delta.data()).ok());
      ASSERT_TRUE(f.sum->Apply(f.shard.get(), 0.5, false, {}).ok());
      EXPECT_EQ(f.Read<std::uint16_t>(f.Whole()), delta);
    }
  }
}

TEST(RoundSumTest, IntegersWrapAround) {
  AssigningUpdater assign;
  Fixture f({TableSpec::kDense, DType::kI8, 1, 1}, &assign);
  const std::int8_t hundred = 100;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(f.sum->Fold(f.Whole(), &hundred).ok());
  ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, false, {}).ok());
  EXPECT_EQ(f.Read<std::int8_t>(f.Whole())[0], -56);
}

TEST(RoundSumTest, WhatTheBudgetDoesNotAllowIsNotFolded) {
  AddingUpdater<float> add;
  MemoryBudget budget(60000);
  {
    Fixture f({TableSpec::kDense, DType::kF32, 200, 100}, &add, &budget);
    const std::vector<float> ones(20000, 1.0F);
    const Rows row = {150};
    ASSERT_TRUE(f.sum->Fold(List(row), ones.data()).ok());
    EXPECT_EQ(budget.used_bytes(), f.sum->bytes());
    for (const RowSet& rows : {f.Whole(), RowSet::Range(100, 199)}) {
      const Status status = f.sum->Fold(rows, ones.data());
      EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
      EXPECT_NE(status.message().find("PS_SERVER_MEMORY_LIMIT"), std::string::npos) << status;
    }
    EXPECT_EQ(budget.used_bytes(), f.sum->bytes());
    ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, false, {}).ok());
    EXPECT_EQ(f.Read<float>(RowSet::Range(149, 2))[0], 0);
    EXPECT_EQ(f.Read<float>(RowSet::Range(149, 2))[100], 1);
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(RoundSumTest, MemoryStaysTheSameOverRounds) {
  AddingUpdater<float> add;
  Fixture f({TableSpec::kHash, DType::kF32, 0, 4}, &add);
  std::mt19937_64 random(1);
  std::size_t after_first = 0;
  for (int round = 0; round < 20; ++round) {
    Rows rows(1000);
    for (std::uint64_t& row : rows) row = random();
    const std::vector<float> delta(4000, 1.0F);
    ASSERT_TRUE(f.sum->Fold(List(rows), delta.data()).ok());
    ASSERT_TRUE(f.sum->Apply(f.shard.get(), 1, false, {}).ok());
    if (round == 0) after_first = f.sum->bytes();
    EXPECT_EQ(f.sum->bytes(), after_first);
  }
}

}  // namespace
}  // namespace ps
