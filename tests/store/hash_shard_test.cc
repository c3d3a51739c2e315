#include "store/hash_shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/elements.h"
#include "tests/store/test_updaters.h"

namespace ps {
namespace {

using Keys = std::vector<std::uint64_t>;

TableSpec Spec(DType dtype, std::int64_t width) {
  TableSpec spec;
  spec.name = "t";
  spec.kind = TableSpec::kHash;
  spec.dtype = dtype;
  spec.width = width;
  return spec;
}

std::unique_ptr<HashShard> Make(const TableSpec& spec, Updater* updater, MemoryBudget* budget = nullptr) {
  ShardPlan plan;
  plan.spec = &spec;
  plan.updater = updater;
  plan.budget = budget;
  return HashShard::Create(plan).value();
}

RowSet List(const Keys& keys) { return RowSet::List(keys.data(), keys.size()); }

template <typename T>
std::vector<T> Read(const HashShard& shard, const Keys& keys, std::size_t width) {
  std::vector<T> values(keys.size() * width, T{77});
  shard.Read(List(keys), values.data());
  return values;
}

TEST(HashShardTest, AddsToRowsThatItMakes) {
  for (const auto shortcut : {Updater::Shortcut::kNone, Updater::Shortcut::kAdd}) {
    AddingUpdater<float> add(shortcut);
    const auto shard = Make(Spec(DType::kF32, 2), &add);
    const Keys keys = {0, UINT64_MAX, 7, 0, 0};
    const std::vector<float> delta = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    ASSERT_TRUE(shard->Update(List(keys), delta.data(), {}).ok());
    EXPECT_EQ(Read<float>(*shard, {7, 0, UINT64_MAX}, 2), (std::vector<float>{5, 6, 17, 20, 3, 4}));
    EXPECT_EQ(shard->num_rows(), 3U);
    EXPECT_EQ(shard->version(), 1U);
  }
}

TEST(HashShardTest, ReadingAMissingKeyMakesNothing) {
  AddingUpdater<float> add;
  TableSpec spec = Spec(DType::kF32, 1);
  EXPECT_EQ(Read<float>(*Make(spec, &add), {7}, 1), std::vector<float>{0});
  spec.init = Init::Uniform(2, 3, 11);
  const auto shard = Make(spec, &add);
  float expected;
  InitialValues(spec.init, DType::kF32, 1).Fill(7, 1, &expected);
  EXPECT_EQ(Read<float>(*shard, {7}, 1), std::vector<float>{expected});
  EXPECT_EQ(shard->num_rows(), 0U);
  const Keys keys = {7};
  const float one = 1;
  ASSERT_TRUE(shard->Update(List(keys), &one, {}).ok());
  EXPECT_EQ(Read<float>(*shard, {7}, 1), std::vector<float>{expected + 1});
}

TEST(HashShardTest, SetsAndAssigns) {
  AssigningUpdater assign;
  const auto shard = Make(Spec(DType::kI64, 1), &assign);
  const Keys keys = {5, 6, 5};
  const std::vector<std::int64_t> values = {1, 2, 3};
  ASSERT_TRUE(shard->Set(List(keys), values.data()).ok());
  EXPECT_EQ(Read<std::int64_t>(*shard, {5, 6}, 1), (std::vector<std::int64_t>{3, 2}));
  ASSERT_TRUE(shard->Update(List(keys), values.data() + 0, {}).ok());
  EXPECT_EQ(Read<std::int64_t>(*shard, {5, 6}, 1), (std::vector<std::int64_t>{3, 2}));
}

// Against a map, with everything that can happen to a key.
template <typename T>
void CheckAgainstMap(DType dtype, bool with_masters, const Init& init) {
  constexpr std::size_t kWidth = 3;
  constexpr std::uint64_t kSeed = 4;
  std::cout << NameOf(dtype) << " seed " << kSeed << "\n";
  SumTimesCount<float> rule;
  TableSpec spec = Spec(dtype, kWidth);
  spec.multi_precision = with_masters;
  spec.init = init;
  const auto shard = Make(spec, &rule);
  std::map<std::uint64_t, std::pair<float, float>> sums;  // of a key's elements, which are all equal
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    Keys keys(random() % 500);
    for (std::uint64_t& key : keys) key = random() % 5000 << 40;
    if (round % 10 == 9) {
      shard->Erase(List(keys));
      for (const std::uint64_t key : keys) sums.erase(key);
      continue;
    }
    std::vector<float> delta;
    for (const std::uint64_t key : keys) {
      const auto d = static_cast<float>(random() % 4);
      delta.insert(delta.end(), kWidth, d);
      sums[key].first += d;
      sums[key].second += 1;
    }
    std::vector<T> narrow(delta.size());
    if constexpr (sizeof(T) == 2) {
      NarrowElements(dtype, delta.data(), narrow.data(), delta.size());
    } else {
      narrow.assign(delta.begin(), delta.end());
    }
    ASSERT_TRUE(shard->Update(List(keys), narrow.data(), {}).ok());
  }
  ASSERT_EQ(shard->num_rows(), sums.size());
  for (std::uint64_t key = 0; key < 5000; ++key) {
    std::vector<float> expected(kWidth, static_cast<float>(init.low));
    const auto found = sums.find(key << 40);
    if (found != sums.end()) expected.assign(kWidth, found->second.first * found->second.second);
    std::vector<T> narrow(kWidth);
    if constexpr (sizeof(T) == 2) {
      NarrowElements(dtype, expected.data(), narrow.data(), kWidth);
    } else {
      narrow.assign(expected.begin(), expected.end());
    }
    ASSERT_EQ(Read<T>(*shard, {key << 40}, kWidth), narrow) << key;
  }
}

TEST(HashShardTest, DoesWhatAMapDoes) {
  CheckAgainstMap<float>(DType::kF32, false, Init::Constant(0));
  CheckAgainstMap<float>(DType::kF32, false, Init::Constant(9));
}

TEST(HashShardTest, DoesWhatAMapDoesWithHalves) {
  for (const bool with_masters : {false, true}) {
    CheckAgainstMap<std::uint16_t>(DType::kF16, with_masters, Init::Constant(0.1));
    CheckAgainstMap<std::uint16_t>(DType::kBF16, with_masters, Init::Constant(0));
  }
}

TEST(HashShardTest, MastersAreAppliedAndSetWithoutRounding) {
  for (const bool with_masters : {false, true}) {
    SumTimesCount<float> rule;
    TableSpec spec = Spec(DType::kBF16, 1);
    spec.multi_precision = with_masters;
    const auto shard = Make(spec, &rule);
    const Keys keys = {2, 9};
    const std::vector<float> values = {256.25F, 1};
    const auto read = [&] {
      std::vector<float> wide(2);
      WidenElements(DType::kBF16, Read<std::uint16_t>(*shard, keys, 1).data(), wide.data(), 2);
      return wide;
    };
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(shard->ApplyMasters(List(keys), values.data(), false, {}).ok());
    EXPECT_EQ(read(), (std::vector<float>{1024, 4}));  // 1025, rounded
    ASSERT_TRUE(shard->ApplyMasters(List(keys), values.data(), true, {}).ok());
    EXPECT_EQ(read(), (std::vector<float>{256, 1}));
  }
}

TEST(HashShardTest, StatesOfAReusedRowAreZero) {
  SumTimesCount<double> rule;
  const auto shard = Make(Spec(DType::kF64, 1), &rule);
  const double one = 1;
  const Keys a = {1};
  const Keys b = {2};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(shard->Update(List(a), &one, {}).ok());
  shard->Erase(List(a));
  EXPECT_EQ(shard->num_rows(), 0U);
  ASSERT_TRUE(shard->Update(List(b), &one, {}).ok());
  EXPECT_EQ(Read<double>(*shard, {1, 2}, 1), (std::vector<double>{0, 1}));
}

TEST(HashShardTest, DeltaReadsReturnWhatChanged) {
  AddingUpdater<float> add(Updater::Shortcut::kAdd);
  const auto shard = Make(Spec(DType::kF32, 1), &add);
  const Keys keys = {10, 20};
  const std::vector<float> delta = {1, 2};
  ASSERT_TRUE(shard->Update(List(keys), delta.data(), {}).ok());
  const Keys one = {20};
  ASSERT_TRUE(shard->Update(List(one), delta.data(), {}).ok());
  const Keys asked = {30, 20, 10, 20};
  std::vector<float> read(4, -1.0F);
  Shard::Changed changed;
  for (int i = 0; i < 2; ++i) {
    shard->ReadSince(List(asked), 1, read.data(), &changed);
    EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{1, 3}));
    EXPECT_EQ(read, (std::vector<float>{3, 3, -1, -1}));
  }
  shard->ReadSince(List(asked), 0, read.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(HashShardTest, ErasedKeysCountAsChanged) {
  AddingUpdater<float> add;
  const auto shard = Make(Spec(DType::kF32, 1), &add);
  const Keys keys = {10, 20};
  const std::vector<float> delta = {1, 2};
  ASSERT_TRUE(shard->Update(List(keys), delta.data(), {}).ok());
  const Keys gone = {10};
  shard->Erase(List(gone));
  std::vector<float> read(2, -1.0F);
  Shard::Changed changed;
  shard->ReadSince(List(keys), 1, read.data(), &changed);
  EXPECT_EQ(changed.places, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(read[0], 0);
  shard->ReadSince(List(keys), shard->version(), read.data(), &changed);
  EXPECT_TRUE(changed.places.empty());
}

TEST(HashShardTest, PiecesRestoreValuesAndStatesElsewhere) {
  for (const DType dtype : {DType::kF32, DType::kF16}) {
    for (const bool with_masters : {false, true}) {
      SumTimesCount<float> rule;
      TableSpec spec = Spec(dtype, 5);
      spec.multi_precision = with_masters;
      const auto shard = Make(spec, &rule);
      const auto copy = Make(spec, &rule);
      Keys keys(30000);
      std::mt19937_64 random(1);
      for (std::uint64_t& key : keys) key = random();
      const std::vector<std::uint32_t> halves(75000, 0x3c003c00);
      const std::vector<float> floats(150000, 1.0F);
      const void* const ones = dtype == DType::kF32 ? static_cast<const void*>(floats.data()) : halves.data();
      ASSERT_TRUE(shard->Update(List(keys), ones, {}).ok());
      shard->Erase(RowSet::List(keys.data(), 100));
      int pieces = 0;
      ASSERT_TRUE(shard
                      ->ForEachPiece([&](const Shard::Piece& piece) {
                        ++pieces;
                        EXPECT_LE(piece.bytes, std::size_t{1} << 20);
                        return copy->Restore(piece);
                      })
                      .ok());
      EXPECT_GE(pieces, 2);
      EXPECT_EQ(copy->num_rows(), 29900U);
      copy->GoOnAfter(50);
      for (HashShard* each : {shard.get(), copy.get()}) ASSERT_TRUE(each->Update(List(keys), ones, {}).ok());
      EXPECT_EQ(copy->version(), 51U);
      EXPECT_EQ(Read<float>(*shard, keys, 5), Read<float>(*copy, keys, 5));
    }
  }
}

TEST(HashShardTest, TheErrorOfWhoTakesPiecesEndsThem) {
  AddingUpdater<float> add;
  const auto shard = Make(Spec(DType::kF32, 1), &add);
  EXPECT_TRUE(shard->ForEachPiece([](const Shard::Piece&) { return Status::Internal("none"); }).ok());
  const Keys keys = {1};
  const float one = 1;
  ASSERT_TRUE(shard->Update(List(keys), &one, {}).ok());
  EXPECT_EQ(shard->ForEachPiece([](const Shard::Piece&) { return Status::Cancelled("enough"); }).code(),
            StatusCode::kCancelled);
}

TEST(HashShardTest, APieceOfAnotherShapeIsRefused) {
  AddingUpdater<float> add;
  const auto shard = Make(Spec(DType::kF32, 2), &add);
  const Keys keys = {1, 2};
  const std::vector<float> arrays(4, 1.0F);
  EXPECT_EQ(shard->Restore({List(keys), arrays.data(), 12}).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(shard->Restore({List(keys), arrays.data(), 16}).ok());
}

TEST(HashShardTest, ChangesAreNumberedWithTheTableAndOtherRowsKeepTheirs) {
  AddingUpdater<float> add;
  const auto shard = Make(Spec(DType::kF32, 1), &add);
  const Keys keys = {1, 2};
  const Keys second = {2};
  const std::vector<float> ones(2, 1);
  ASSERT_TRUE(shard->Update(List(keys), ones.data(), {}).ok());
  shard->GoOnAfter(40);
  ASSERT_TRUE(shard->Update(List(second), ones.data(), {}).ok());
  EXPECT_EQ(shard->version(), 41U);
  std::vector<float> read(2);
  Shard::Changed changed;
  shard->ReadSince(List(keys), 40, read.data(), &changed);
  EXPECT_EQ(changed.places, std::vector<std::uint32_t>{1});
  shard->ReadSince(List(keys), 1, read.data(), &changed);
  EXPECT_EQ(changed.places, std::vector<std::uint32_t>{1});
}

TEST(HashShardTest, WhatTheBudgetDoesNotAllowIsNotApplied) {
  AddingUpdater<float> add(Updater::Shortcut::kAdd);
  MemoryBudget budget(100000);
  {
    const auto shard = Make(Spec(DType::kF32, 100), &add, &budget);
    Keys keys(100);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    const std::vector<float> delta(100 * 1000, 1.0F);
    ASSERT_TRUE(shard->Update(List(keys), delta.data(), {}).ok());
    // A thousand times keys that are there, and as often one that is not: room for one row is enough.
    Keys same(1000, 5);
    std::fill_n(same.begin(), 500, 100);
    ASSERT_TRUE(shard->Update(List(same), delta.data(), {}).ok());
    EXPECT_EQ(Read<float>(*shard, {5, 100}, 100)[0], 501);

    Keys more(1000);
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = i;
    const std::uint64_t before = shard->version();
    for (const Status& status :
         {shard->Update(List(more), delta.data(), {}), shard->Set(List(more), delta.data())}) {
      EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
      EXPECT_NE(status.message().find("PS_SERVER_MEMORY_LIMIT"), std::string::npos) << status;
    }
    EXPECT_EQ(shard->version(), before);
    EXPECT_EQ(shard->num_rows(), 101U);
    EXPECT_EQ(Read<float>(*shard, {5}, 100)[0], 501);

    // Rows that were erased are room.
    shard->Erase(List(keys));
    ASSERT_TRUE(shard->Update(RowSet::List(more.data() + 200, 100), delta.data(), {}).ok());
    EXPECT_LE(budget.used_bytes(), budget.limit_bytes());
    EXPECT_EQ(budget.used_bytes(), shard->bytes());
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(HashShardTest, ARuleThatNeedsTheWholeIsRefused) {
  SumTimesCount<float> rule(true);
  const TableSpec spec = Spec(DType::kF32, 1);
  ShardPlan plan;
  plan.spec = &spec;
  plan.updater = &rule;
  EXPECT_EQ(HashShard::Create(plan).status().code(), StatusCode::kInvalidArgument);
}

// The owner of a key on one of many servers, or one of their threads, has only keys that some hash puts
// there: here those whose Mix64 has the same upper bits.
TEST(HashShardTest, KeysOfOneServerSpreadOverItsIndex) {
  AddingUpdater<float> add(Updater::Shortcut::kAdd);
  const auto shard = Make(Spec(DType::kF32, 1), &add);
  Keys keys;
  for (std::uint64_t key = 0; keys.size() < 20000; ++key)
    if (Mix64(key) >> 58 == 5) keys.push_back(key);
  const std::vector<float> ones(keys.size(), 1.0F);
  ASSERT_TRUE(shard->Update(List(keys), ones.data(), {}).ok());
  EXPECT_EQ(Read<float>(*shard, keys, 1), ones);
  EXPECT_LT(shard->bytes(), keys.size() * 80);
}

}  // namespace
}  // namespace ps
