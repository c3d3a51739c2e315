// The tables under Multiverso's names: ArrayWorker, MatrixWorkerTable, MatrixWorker, SparseMatrixWorkerTable.
#include "ps/multiverso/built_in_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "ps/multiverso/array_table.h"
#include "ps/multiverso/create_table.h"
#include "ps/multiverso/matrix_table.h"
#include "tests/support/memory.h"
#include "tests/support/multiverso_job.h"
#include "tests/support/watchdog.h"

namespace multiverso {
namespace {

using Ints = std::vector<int>;

// One process, which is worker and server; by default tables add, asynchronously.
class MultiversoTablesTest : public testing::Test {
 protected:
  MultiversoTablesTest() : bound_(&session_) { session_.Start({}, {}, nullptr); }
  ~MultiversoTablesTest() override {
    if (session_.is_started()) session_.End();
  }
  void Restart(const std::string& rule) {
    session_.End();
    TableDefaults defaults;
    defaults.rule = rule;
    session_.Start({}, defaults, nullptr);
  }
  template <typename Option>
  static std::unique_ptr<typename Option::WorkerTableType> Create(const Option& option) {
    return std::unique_ptr<typename Option::WorkerTableType>(MV_CreateTable(option));
  }

  ps::Watchdog watchdog_{std::chrono::seconds(60)};
  Session session_;
  ScopedSession bound_;
};

Ints Numbers(int count, int first = 0) {
  Ints numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

template <typename Table>
Ints Read(Table* table, std::size_t size, int preset = -1) {
  Ints values(size, preset);
  table->Get(values.data(), size);
  return values;
}

TEST_F(MultiversoTablesTest, TblVec01And02AnArrayAddsInOrder) {
  const auto table = Create(ArrayTableOption<int>(10));
  const Ints delta = Numbers(10);
  table->Add(delta.data(), 10);
  EXPECT_EQ(Read(table.get(), 10), delta);
  table->AddAsync(delta.data(), 10);
  Ints values(10);
  const int id = table->GetAsync(values.data(), 10);
  table->Wait(id);
  table->Wait(id);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 2 * i);
  EXPECT_EQ(StatusOf([&] { table->Wait(id + 1); }).code(), ps::StatusCode::kInvalidArgument);
}

TEST_F(MultiversoTablesTest, TblVec07AnArrayMayHaveOneElement) {
  const auto table = Create(ArrayTableOption<double>(1));
  const double value = 2.5;
  table->Add(&value, 1);
  double read = 0;
  table->Get(&read, 1);
  EXPECT_EQ(read, 2.5);
}

TEST_F(MultiversoTablesTest, TblVec25And27RowsComeInAnyOrderAndMayRepeat) {
  const auto table = Create(MatrixTableOption<int>(6, 2));
  const Ints ids = {5, 1};
  const Ints rows = {1, 2, 3, 4};
  table->Add(rows.data(), rows.size(), ids.data(), 2);
  const Ints reversed = {1, 5};
  Ints read(4);
  table->Get(read.data(), read.size(), reversed.data(), 2);
  EXPECT_EQ(read, (Ints{3, 4, 1, 2}));
  Ints row(2);
  table->Get(5, row.data(), 2);
  EXPECT_EQ(row, (Ints{1, 2}));
  const Ints twice = {1, 1};
  table->Add(Ints{1, 1, 1, 1}.data(), 4, twice.data(), 2);
  table->Wait(table->GetAsync(1, row.data(), 2));
  EXPECT_EQ(row, (Ints{5, 6}));
}

TEST_F(MultiversoTablesTest, RowsMayLieAnywhere) {
  const auto table = Create(MatrixTableOption<int>(4, 2));
  Ints a = {1, 2};
  Ints b = {3, 4};
  table->Wait(table->AddAsync({3, 0}, {a.data(), b.data()}, 2));
  table->Add(Ints{3}, std::vector<int*>{a.data()}, 2);
  Ints c(2);
  table->Get({0, 3}, {c.data(), a.data()}, 2);
  EXPECT_EQ(c, (Ints{3, 4}));
  EXPECT_EQ(a, (Ints{2, 4}));
  const int id = table->GetAsync({3, 3}, {b.data(), c.data()}, 2);
  table->Wait(id);
  EXPECT_EQ(b, a);
  EXPECT_EQ(c, a);
}

TEST_F(MultiversoTablesTest, TblVec28WrongCallsAreRefusedAndChangeNothing) {
  const auto table = Create(MatrixTableOption<int>(6, 2));
  Ints row = {1, 2, 3};
  const Ints one = {0};
  const auto refused = [](const ps::Status& status, const std::string& why) {
    EXPECT_EQ(status.code(), ps::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(why), std::string::npos) << status;
  };
  refused(StatusOf([&] { table->Get(6, row.data(), 2); }), "there is no row 6");
  refused(StatusOf([&] { table->Add(-2, row.data(), 2); }), "there is no row -2");
  refused(StatusOf([&] { table->Add(row.data(), 3); }), "3 elements");
  refused(StatusOf([&] { table->Add(row.data(), 3, one.data(), 1); }), "3 elements");
  refused(StatusOf([&] { table->Add(row.data(), 2, one.data(), -1); }), "no -1 rows");
  refused(StatusOf([&] { table->Add({0, 1}, {row.data()}, 2); }), "2 rows are named, and 1 given");
  refused(StatusOf([&] { table->Add({0, 1}, {row.data(), nullptr}, 2); }), "row 1 given is null");
  refused(StatusOf([&] { table->Get({0, 1}, {nullptr, row.data()}, 2); }), "row 0 given is null");
  refused(StatusOf([&] { table->Get(row.data(), 2, nullptr, 1); }), "no rows are named");
  refused(StatusOf([&] { table->Get(one, {row.data()}, 3); }), "a row of 3 elements");
  EXPECT_EQ(Read(table.get(), 12), Ints(12, 0));
}

TEST_F(MultiversoTablesTest, StartValuesAreDrawnFromTheRange) {
  const auto table = Create(MatrixTableOption<float>(100, 10, -0.5, 0.5));
  std::vector<float> values(1000);
  table->Get(values.data(), values.size());
  double sum = 0;
  for (const float value : values) {
    ASSERT_GE(value, -0.5F);
    ASSERT_LT(value, 0.5F);
    sum += value;
  }
  EXPECT_NE(values[0], values[1]);
  EXPECT_NEAR(sum / 1000, 0, 0.05);
}

TEST_F(MultiversoTablesTest, TblVec30SeveralReadsMayBeUnderWay) {
  const auto table = Create(MatrixTableOption<int>(3, 2));
  const Ints all = Numbers(6);
  table->AddAsync(all.data(), 6);
  Ints a(6);
  Ints b(6);
  const int first = table->GetAsync(a.data(), 6);
  const int second = table->GetAsync(b.data(), 6);
  table->Wait(second);
  table->Wait(first);
  EXPECT_EQ(a, all);
  EXPECT_EQ(b, all);
}

TEST_F(MultiversoTablesTest, TblVec32To37ADeltaReadBringsWhatHasChanged) {
  const auto table = Create(MatrixOption<int>(6, 2, true));
  EXPECT_EQ(Read(table.get(), 12), Ints(12, 0));
  const Ints row = {5, 6};
  table->Add(4, row.data(), 2);
  Ints expected(12, -1);
  expected[8] = 5;
  expected[9] = 6;
  EXPECT_EQ(Read(table.get(), 12), expected);
  EXPECT_EQ(Read(table.get(), 12), Ints(12, -1)) << "nothing has changed";

  table->Add(3, row.data(), 2);
  Ints kept = {7, 7};
  Ints changed = {7, 7};
  table->Get({1, 3}, {kept.data(), changed.data()}, 2);
  EXPECT_EQ(kept, (Ints{7, 7}));
  EXPECT_EQ(changed, row);
}

TEST_F(MultiversoTablesTest, TblVec38EachOfTwoBuffersHasItsOwnMemory) {
  const auto table = Create(MatrixOption<int>(6, 2, true, true));
  GetOption a;
  EXPECT_EQ(a.worker_id(), 0);
  GetOption b;
  b.set_worker_id(MV_WorkerId() + MV_NumWorkers());
  const auto read = [&](const GetOption& option) {
    Ints values(12, -1);
    table->Get(values.data(), 12, &option);
    return values;
  };
  read(a);
  const Ints row = {1, 2};
  table->Add(2, row.data(), 2);
  Ints all(12, 0);
  all[4] = 1;
  all[5] = 2;
  EXPECT_EQ(read(b), all);
  Ints delta(12, -1);
  delta[4] = 1;
  delta[5] = 2;
  EXPECT_EQ(read(a), delta);
  GetOption full;
  full.set_worker_id(-1);
  EXPECT_EQ(read(full), all);
  GetOption other;
  other.set_worker_id(5);
  EXPECT_EQ(StatusOf([&] { read(other); }).code(), ps::StatusCode::kInvalidArgument);
}

TEST_F(MultiversoTablesTest, TblVec40TheSparseFormIsExact) {
  const auto table = Create(SparseMatrixTableOption<double>(6, 2));
  EXPECT_EQ(table->store_table().spec().push_codec.name, "sparse");
  std::vector<double> values(12);
  table->Get(values.data(), 12);
  const std::vector<double> row = {0.1, 0.2};
  table->Add(0, row.data(), 2);
  table->Get(values.data(), 12);
  EXPECT_EQ(values[0], 0.1);
  EXPECT_EQ(values[1], 0.2);
}

TEST_F(MultiversoTablesTest, TblVec17And45RulesAreThoseOfTheFlag) {
  Restart("sgd");
  const auto integers = Create(ArrayTableOption<int>(1));
  const int three = 3;
  integers->Add(&three, 1);
  EXPECT_EQ(Read(integers.get(), 1), Ints{-3});
  Restart("smooth");
  const auto table = Create(ArrayTableOption<float>(1));
  const float one = 1;
  float value = 0;
  table->Add(&one, 1);
  table->Get(&value, 1);
  EXPECT_EQ(value, -1) << "momentum 0: as sgd";
  AddOption option;
  option.set_momentum(0.5F);
  table->Add(&one, 1, &option);
  table->Add(&one, 1);
  table->Get(&value, 1);
  EXPECT_EQ(value, -3) << "the mean of ones is 1, whatever the momentum";
  const float zero = 0;
  table->Add(&zero, 1);
  table->Get(&value, 1);
  EXPECT_EQ(value, -3.5F) << "the momentum still holds";
}

TEST_F(MultiversoTablesTest, RatesOfAnAddThatIsRefusedAreSaidWithTheNext) {
  Restart("smooth");
  const auto table = Create(ArrayTableOption<float>(1));
  const float ones[] = {1, 1};
  AddOption option;
  option.set_momentum(0.5F);
  EXPECT_THROW(table->Add(ones, 2, &option), ps::Error) << "there is one element";
  EXPECT_THROW(table->AddAsync(ones, 2, &option), ps::Error);
  table->Add(ones, 1, &option);
  float value = 0;
  table->Get(&value, 1);
  EXPECT_EQ(value, -0.5F);
}

TEST_F(MultiversoTablesTest, TblVec47AdagradIsWhatItWasMeantToBe) {
  Restart("adagrad_worker");
  const auto table = Create(ArrayTableOption<float>(1));
  const float delta = 0.1F;
  float value = 0;
  for (const double expected : {-.1, -.170711, -.228446}) {
    table->Add(&delta, 1);
    table->Get(&value, 1);
    EXPECT_NEAR(value, expected, 1e-6);
  }
}

TEST_F(MultiversoTablesTest, TblVec84AddsThatNobodyWaitsForTakeNoMemory) {
  const auto table = Create(MatrixTableOption<int>(16, 2));
  const Ints row = {1, 1};
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) table->AddAsync(i % 16, row.data(), 2);
  };
  add(20000);
  const std::int64_t before = ps::HeapBytes();
  add(100000);
  EXPECT_LT(ps::HeapBytes() - before, 1 << 20);
  Ints value(2);
  table->Get(3, value.data(), 2);
  EXPECT_EQ(value, (Ints{7500, 7500}));
}

TEST(MultiversoTablesJobTest, TblVec04And35SumsAreExactAfterABarrierForAll) {
  const ps::Watchdog watchdog(std::chrono::seconds(60));
  RunJob({{0, 0}, {1, -1}, {-1, 1}}, {}, [] {
    const std::unique_ptr<ArrayWorker<int>> array(MV_CreateTable(ArrayTableOption<int>(5)));
    const std::unique_ptr<MatrixWorker<int>> matrix(MV_CreateTable(MatrixOption<int>(6, 2, true)));
    Ints seen(12, -1);
    if (matrix != nullptr) matrix->Get(seen.data(), 12);
    MV_Barrier();
    const Ints delta = Numbers(5, 1);
    for (int round = 1; round <= 20; ++round) {
      if (array != nullptr) array->AddAsync(delta.data(), 5);
      if (array != nullptr) array->AddAsync(delta.data(), 5);
      if (MV_WorkerId() == 0) matrix->AddAsync(4, delta.data(), 2);
      MV_Barrier();
      if (array != nullptr) {
        const Ints values = Read(array.get(), 5);
        for (int i = 0; i < 5; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], (i + 1) * round * 2 * 2);
        Ints expected(12, -1);
        expected[8] = round;
        expected[9] = 2 * round;
        EXPECT_EQ(Read(matrix.get(), 12), expected) << "both workers, the adder included";
      }
      MV_Barrier();
    }
  });
}

}  // namespace
}  // namespace multiverso
