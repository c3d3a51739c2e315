#include "store/dense_shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "store/elements.h"
#include "tests/store/test_updaters.h"

namespace ps {
namespace {

using Rows = std::vector<std::uint64_t>;

TableSpec Spec(DType dtype, std::int64_t rows, std::int64_t width) {
  TableSpec spec;
  spec.name = "t";
  spec.dtype = dtype;
  spec.rows = rows;
  spec.width = width;
  return spec;
}

std::unique_ptr<DenseShard> Make(const TableSpec& spec, Updater* updater, std::uint64_t first_row = 0,
                                 MemoryBudget* budget = nullptr) {
  ShardPlan plan;
  plan.spec = &spec;
  plan.updater = updater;
  plan.first_row = first_row;
  plan.num_rows = static_cast<std::uint64_t>(spec.rows);
  plan.budget = budget;
  return DenseShard::Create(plan).value();
}

RowSet List(const Rows& rows) { return RowSet::List(rows.data(), rows.size()); }

template <typename T>
std::vector<T> ReadAll(const DenseShard& shard, const TableSpec& spec, std::uint64_t first_row = 0) {
  std::vector<T> values(static_cast<std::size_t>(spec.rows * spec.width), T{77});
  shard.Read(RowSet::Range(first_row, shard.num_rows()), values.data());
  return values;
}

template <typename T>
std::vector<T> Read(const DenseShard& shard, const Rows& rows, std::size_t width) {
  std::vector<T> values(rows.size() * width, T{77});
  shard.Read(List(rows), values.data());
  return values;
}

TEST(DenseShardTest, AddsWholeRangesRowsAndRepeatedRows) {
  for (const auto shortcut : {Updater::Shortcut::kNone, Updater::Shortcut::kAdd}) {
    AddingUpdater<float> add(shortcut);
    const TableSpec spec = Spec(DType::kF32, 5, 2);
    const auto shard = Make(spec, &add, 100);
    std::vector<float> whole(10);
    std::iota(whole.begin(), whole.end(), 0.0F);
    ASSERT_TRUE(shard->Update(RowSet::Range(100, 5), whole.data(), {}).ok());
    const Rows rows = {104, 101, 102, 101};
    const std::vector<float> delta = {1, 2, 3, 4, 5, 6, 7, 8};
    ASSERT_TRUE(shard->Update(List(rows), delta.data(), {}).ok());
    EXPECT_EQ(ReadAll<float>(*shard, spec, 100),
              (std::vector<float>{0, 1, 2 + 3 + 7, 3 + 4 + 8, 4 + 5, 5 + 6, 6, 7, 8 + 1, 9 + 2}));
    EXPECT_EQ(Read<float>(*shard, {104, 100}, 2), (std::vector<float>{9, 11, 0, 1}));
    EXPECT_EQ(shard->version(), 2U);
  }
}

TEST(DenseShardTest, AssignsAndSets) {
  AssigningUpdater assign;
  const TableSpec spec = Spec(DType::kI64, 3, 1);
  const auto shard = Make(spec, &assign);
  const std::vector<std::int64_t> delta = {5, 6, 7};
  ASSERT_TRUE(shard->Update(RowSet::Range(0, 3), delta.data(), {}).ok());
  const Rows rows = {2, 0, 2};
  ASSERT_TRUE(shard->Set(List(rows), delta.data()).ok());
  EXPECT_EQ(ReadAll<std::int64_t>(*shard, spec), (std::vector<std::int64_t>{6, 6, 7}));
}

TEST(DenseShardTest, IntegersWrapAround) {
  AddingUpdater<std::int8_t> add(Updater::Shortcut::kAdd);
  const TableSpec spec = Spec(DType::kI8, 100, 1);
  const auto shard = Make(spec, &add);
  const std::vector<std::int8_t> delta(100, 100);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(shard->Update(RowSet::Range(0, 100), delta.data(), {}).ok());
  EXPECT_EQ(ReadAll<std::int8_t>(*shard, spec), std::vector<std::int8_t>(100, -56));
}

TEST(DenseShardTest, StatesStayBesideTheirElements) {
  SumTimesCount<double> rule;
  const TableSpec spec = Spec(DType::kF64, 4, 3);
  const auto shard = Make(spec, &rule);
  const Rows rows = {3, 0, 3, 3};
  std::vector<double> delta(12);
  std::iota(delta.begin(), delta.end(), 1.0);  // row 3: 1 2 3, 7 8 9, 10 11 12; row 0: 4 5 6
  ASSERT_TRUE(shard->Update(List(rows), delta.data(), {}).ok());
  EXPECT_EQ(ReadAll<double>(*shard, spec),
            (std::vector<double>{4, 5, 6, 0, 0, 0, 0, 0, 0, 18 * 3, 21 * 3, 24 * 3}));
}

// What 16-bit tables do is what f32 does, rounded after each step, or (with masters) when it is read.
class HalvesTest : public testing::TestWithParam<std::tuple<DType, bool, bool>> {};

TEST_P(HalvesTest, ComputeInF32) {
  const auto [dtype, with_masters, whole] = GetParam();
  constexpr std::size_t kWidth = 3;
  constexpr std::size_t kRows = 1001;
  SumTimesCount<float> rule(whole);
  TableSpec spec = Spec(dtype, kRows, kWidth);
  spec.multi_precision = with_masters;
  const auto shard = Make(spec, &rule);
  std::vector<float> sums(kRows * kWidth);
  std::vector<float> counts(sums.size());
  std::mt19937 random(1);
  for (int step = 0; step < 4; ++step) {
    Rows rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    if (!whole) std::generate(rows.begin(), rows.end(), [&] { return random() % kRows; });
    std::vector<float> wide(rows.size() * kWidth);
    for (float& d : wide) d = static_cast<float>(static_cast<int>(random() % 64) - 32) / 16;
    std::vector<std::uint16_t> delta(wide.size());
    NarrowElements(dtype, wide.data(), delta.data(), wide.size());
    ASSERT_TRUE(shard->Update(whole ? RowSet::Range(0, kRows) : List(rows), delta.data(), {}).ok());
    for (std::size_t i = 0; i < wide.size(); ++i) {
      sums[rows[i / kWidth] * kWidth + i % kWidth] += wide[i];
      counts[rows[i / kWidth] * kWidth + i % kWidth] += 1;
    }
  }
  std::vector<float> products(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) products[i] = sums[i] * counts[i];
  std::vector<std::uint16_t> expected(products.size());
  NarrowElements(dtype, products.data(), expected.data(), products.size());
  EXPECT_EQ(ReadAll<std::uint16_t>(*shard, spec), expected);
  if (whole) {
    EXPECT_EQ(rule.largest_run(), kRows * kWidth);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HalvesTest,
                         testing::Combine(testing::Values(DType::kF16, DType::kBF16), testing::Bool(),
                                          testing::Bool()));

TEST(DenseShardTest, MastersKeepWhatHalvesLose) {
  for (const bool with_masters : {false, true}) {
    AddingUpdater<float> add(Updater::Shortcut::kAdd);
    TableSpec spec = Spec(DType::kBF16, 1, 1);
    spec.multi_precision = with_masters;
    const auto shard = Make(spec, &add);
    const float start = 256;
    const float small = 0.25F;
    std::uint16_t half;
    NarrowElements(DType::kBF16, &start, &half, 1);
    ASSERT_TRUE(shard->Set(RowSet::Range(0, 1), &half).ok());
    NarrowElements(DType::kBF16, &small, &half, 1);
    for (int i = 0; i < 16; ++i) ASSERT_TRUE(shard->Update(RowSet::Range(0, 1), &half, {}).ok());
    float value;
    WidenElements(DType::kBF16, ReadAll<std::uint16_t>(*shard, spec).data(), &value, 1);
    EXPECT_EQ(value, with_masters ? 260 : 256);
  }
}

TEST(DenseShardTest, MastersAreAppliedAndSetWithoutRounding) {
  for (const bool with_masters : {false, true}) {
    SumTimesCount<float> rule;
    TableSpec spec = Spec(DType::kBF16, 3, 2);
    spec.multi_precision = with_masters;
    const auto shard = Make(spec, &rule);
    const Rows rows = {2, 0};
    const std::vector<float> values = {256.25F, 1, 2, 3};
    ASSERT_TRUE(shard->ApplyMasters(List(rows), values.data(), false, {}).ok());
    ASSERT_TRUE(shard->ApplyMasters(List(rows), values.data(), false, {}).ok());
    std::vector<float> read(6);
    WidenElements(DType::kBF16, ReadAll<std::uint16_t>(*shard, spec).data(), read.data(), 6);
    EXPECT_EQ(read, (std::vector<float>{8, 12, 0, 0, 1024, 4}));  // 1025, rounded
    ASSERT_TRUE(shard->ApplyMasters(List(rows), values.data(), true, {}).ok());
    WidenElements(DType::kBF16, ReadAll<std::uint16_t>(*shard, spec).data(), read.data(), 6);
    EXPECT_EQ(read, (std::vector<float>{2, 3, 0, 0, 256, 1}));
    EXPECT_EQ(shard->version(), 3U);
  }
}

TEST(DenseShardTest, ARuleThatNeedsTheWholeGetsNothingElse) {
  SumTimesCount<float> rule(true);
  const TableSpec spec = Spec(DType::kF32, 5000, 1);
  const auto shard = Make(spec, &rule);
  const std::vector<float> delta(5000, 1.0F);
  const Status status = shard->Update(RowSet::Range(0, 4999), delta.data(), {});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(shard->version(), 0U);
  ASSERT_TRUE(shard->Update(RowSet::Range(0, 5000), delta.data(), {}).ok());
  EXPECT_EQ(rule.largest_run(), 5000U);
}

TEST(DenseShardTest, InitialValuesAreThereBeforeAnythingWasWritten) {
  AddingUpdater<float> add(Updater::Shortcut::kAdd);
  TableSpec spec = Spec(DType::kF32, 100000, 3);
  spec.init = Init::Uniform(-1, 1, 42);
  const auto shard = Make(spec, &add, 10);
  std::vector<float> expected(300000);
  InitialValues(spec.init, DType::kF32, 3).Fill(10, 100000, expected.data());
  // The first use of a row is each time another kind of use.
  const Rows rows = {70010, 30010};
  const std::vector<float> ones(6, 1.0F);
  ASSERT_TRUE(shard->Update(List(rows), ones.data(), {}).ok());
  ASSERT_TRUE(shard->Set(RowSet::Range(50010, 1), ones.data()).ok());
  EXPECT_EQ(Read<float>(*shard, {90011}, 3),
            (std::vector<float>(expected.begin() + 270003, expected.begin() + 270006)));
  for (const std::size_t row : {70000U, 30000U})
    for (std::size_t j = 0; j < 3; ++j) expected[row * 3 + j] += 1;
  std::fill_n(expected.begin() + 150000, 3, 1.0F);
  EXPECT_EQ(ReadAll<float>(*shard, spec, 10), expected);
}

TEST(DenseShardTest, HalvesHaveRoundedInitialValues) {
  for (const bool with_masters : {false, true}) {
    AddingUpdater<float> add;
    TableSpec spec = Spec(DType::kF16, 70000, 1);
    spec.init = Init::Constant(0.1);
    spec.multi_precision = with_masters;
    const auto shard = Make(spec, &add);
    EXPECT_EQ(ReadAll<std::uint16_t>(*shard, spec), std::vector<std::uint16_t>(70000, 0x2e66));
  }
}

TEST(DenseShardTest, ErasedRowsAreAsNeverWrittenAndCountAsChanged) {
  SumTimesCount<float> rule;
  TableSpec spec = Spec(DType::kF32, 4, 2);
  spec.init = Init::Constant(5);
  const auto shard = Make(spec, &rule);
  const std::vector<float> ones(8, 1.0F);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(shard->Update(RowSet::Range(0, 4), ones.data(), {}).ok());
  const Rows rows = {2, 1};
  const std::uint64_t before = shard->version();
  shard->Erase(List(rows));
  EXPECT_EQ(ReadAll<float>(*shard, spec), (std::vector<float>{9, 9, 5, 5, 5, 5, 9, 9}));
  std::vector<float> read(8);
  Shard::Changed changed;
  shard->ReadSince(RowSet::Range(0, 4), before, read.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{1, 2}));
  // The states went, too.
  ASSERT_TRUE(shard->Update(List(rows), ones.data(), {}).ok());
  EXPECT_EQ(ReadAll<float>(*shard, spec), (std::vector<float>{9, 9, 1, 1, 1, 1, 9, 9}));
}

TEST(DenseShardTest, DeltaReadsReturnWhatChangedAndMarkNothing) {
  AddingUpdater<float> add(Updater::Shortcut::kAdd);
  const TableSpec spec = Spec(DType::kF32, 6, 2);
  const auto shard = Make(spec, &add);
  const std::vector<float> delta = {5, 6};
  const Rows row4 = {4};
  ASSERT_TRUE(shard->Update(List(row4), delta.data(), {}).ok());
  std::vector<float> read(12, -1.0F);
  Shard::Changed changed;
  for (int i = 0; i < 2; ++i) {
    shard->ReadSince(RowSet::Range(0, 6), 0, read.data(), &changed);
    EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{4}));
    EXPECT_EQ(read[0], 5);
    EXPECT_EQ(read[1], 6);
    EXPECT_EQ(read[2], -1);
  }
  shard->ReadSince(RowSet::Range(0, 6), 1, read.data(), &changed);
  EXPECT_TRUE(changed.places.empty());
  const Rows asked = {1, 3, 4, 4, 5};
  const Rows row3 = {3};
  ASSERT_TRUE(shard->Set(List(row3), delta.data()).ok());
  shard->ReadSince(List(asked), 0, read.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{1, 2, 3}));
  shard->ReadSince(List(asked), 1, read.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{1}));
}

TEST(DenseShardTest, ShortRowsShareAVersionBySixtyFour) {
  AddingUpdater<float> add(Updater::Shortcut::kAdd);
  const TableSpec spec = Spec(DType::kF32, 200, 1);
  const auto shard = Make(spec, &add);
  const float one = 1;
  const Rows row70 = {70};
  ASSERT_TRUE(shard->Update(List(row70), &one, {}).ok());
  std::vector<float> read(200);
  Shard::Changed changed;
  shard->ReadSince(RowSet::Range(0, 200), 0, read.data(), &changed);
  ASSERT_EQ(changed.places.size(), 64U);
  EXPECT_EQ(changed.places.front(), 64U);
  EXPECT_EQ(changed.places.back(), 127U);
  EXPECT_EQ(read[6], 1);
}

TEST(DenseShardTest, PiecesRestoreValuesAndStatesElsewhere) {
  for (const DType dtype : {DType::kF32, DType::kF16}) {
    for (const bool with_masters : {false, true}) {
      SumTimesCount<float> rule;
      TableSpec spec = Spec(dtype, 40000, 5);
      spec.multi_precision = with_masters;
      spec.init = Init::Constant(3);
      const auto shard = Make(spec, &rule);
      const auto copy = Make(spec, &rule);
      std::vector<std::uint32_t> bytes(100000, 0x3c003c00);  // as halves: 1
      const std::vector<float> ones(200000, 1.0F);
      const void* const delta = dtype == DType::kF32 ? static_cast<const void*>(ones.data()) : bytes.data();
      ASSERT_TRUE(shard->Update(RowSet::Range(0, 30000), delta, {}).ok());
      int pieces = 0;
      ASSERT_TRUE(shard
                      ->ForEachPiece([&](const Shard::Piece& piece) {
                        ++pieces;
                        EXPECT_LE(piece.bytes, std::size_t{1} << 20);
                        return copy->Restore(piece);
                      })
                      .ok());
      EXPECT_GE(pieces, 3);
      copy->GoOnAfter(7);
      for (DenseShard* each : {shard.get(), copy.get()})
        ASSERT_TRUE(each->Update(RowSet::Range(0, 40000), delta, {}).ok());
      // The room of f32; halves leave the rest of it as it was.
      EXPECT_EQ(ReadAll<float>(*shard, spec), ReadAll<float>(*copy, spec));
      EXPECT_EQ(copy->version(), 8U);
    }
  }
}

TEST(DenseShardTest, ChangesAreNumberedWithTheTableAndOtherRowsKeepTheirs) {
  AddingUpdater<float> add;
  const auto shard = Make(Spec(DType::kF32, 3, 64), &add);
  std::vector<float> values(3 * 64, 1);
  ASSERT_TRUE(shard->Update(RowSet::Range(0, 3), values.data(), {}).ok());
  shard->GoOnAfter(40);
  ASSERT_TRUE(shard->Update(RowSet::Range(1, 1), values.data(), {}).ok());
  EXPECT_EQ(shard->version(), 41U);
  Shard::Changed changed;
  for (const std::uint64_t since : {1, 40}) {
    shard->ReadSince(RowSet::Range(0, 3), since, values.data(), &changed);
    EXPECT_EQ(changed.places, std::vector<std::uint32_t>{1}) << since;
  }
}

TEST(DenseShardTest, APieceOfAnotherShapeIsRefused) {
  SumTimesCount<float> rule;
  const TableSpec spec = Spec(DType::kF32, 3, 2);
  const auto shard = Make(spec, &rule);
  const std::vector<float> arrays(18, 1.0F);
  EXPECT_EQ(shard->Restore({RowSet::Range(0, 3), arrays.data(), 68}).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(shard->Restore({RowSet::Range(0, 3), arrays.data(), 72}).ok());
}

TEST(DenseShardTest, WhatTheBudgetDoesNotAllowIsNotMade) {
  AddingUpdater<float> add;
  MemoryBudget budget(10000);
  const TableSpec small = Spec(DType::kF32, 10, 100);
  {
    const auto shard = Make(small, &add, 0, &budget);
    EXPECT_GE(budget.used_bytes(), 4000U);
    const TableSpec large = Spec(DType::kF32, 20, 100);
    ShardPlan plan{&large, &add, 0, 20, &budget};
    const Status status = DenseShard::Create(plan).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("PS_SERVER_MEMORY_LIMIT"), std::string::npos) << status;
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(DenseShardTest, SizesBeyondMemoryAreAnError) {
  AddingUpdater<float> add;
  for (const std::int64_t rows : {std::int64_t{1} << 62, std::int64_t{1} << 50}) {
    const TableSpec spec = Spec(DType::kF64, rows, 1 << 10);
    MemoryBudget budget;
    ShardPlan plan{&spec, &add, 0, static_cast<std::uint64_t>(rows), &budget};
    EXPECT_EQ(DenseShard::Create(plan).status().code(), StatusCode::kResourceExhausted);
    EXPECT_EQ(budget.used_bytes(), 0U);
  }
}

TEST(DenseShardTest, AShardWithoutRowsIsFine) {
  AddingUpdater<float> add;
  const TableSpec spec = Spec(DType::kF32, 0, 3);
  const auto shard = Make(spec, &add);
  EXPECT_TRUE(shard->Update(RowSet::Range(0, 0), nullptr, {}).ok());
  EXPECT_TRUE(ReadAll<float>(*shard, spec).empty());
  EXPECT_TRUE(shard->ForEachPiece([](const Shard::Piece&) { return Status::Internal("none"); }).ok());
}

TEST(DenseShardTest, ALargeTableTakesNoMemoryBeforeItIsUsed) {
  AddingUpdater<float> add(Updater::Shortcut::kAdd);
  TableSpec spec = Spec(DType::kF32, std::int64_t{1} << 29, 1);  // 2 GB
  spec.init = Init::Uniform(0, 1, 1);
  const auto shard = Make(spec, &add);
  const std::uint64_t last = (std::uint64_t{1} << 29) - 1;
  float read;
  shard->Read(RowSet::Range(last, 1), &read);
  float expected;
  InitialValues(spec.init, DType::kF32, 1).Fill(last, 1, &expected);
  EXPECT_EQ(read, expected);
}

}  // namespace
}  // namespace ps
