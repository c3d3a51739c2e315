#include "ps/matrix_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ps/half.h"
#include "tests/support/store_world.h"

namespace ps {
namespace {

class MatrixTableTest : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, MatrixTableTest, EveryWay(), NameOfWay);

TEST_P(MatrixTableTest, RowsAreNamedByNumbersAndListsOfAnyType) {
  StoreWorld world(GetParam(), 2, 1);
  MatrixTable<int> table(world[0], MatrixOptions().Name("m").Rows(6).Cols(2));
  EXPECT_EQ(table.num_rows(), 6u);
  EXPECT_EQ(table.num_cols(), 2u);
  table.Add({5, 1}, std::vector<int>{1, 2, 3, 4});
  std::vector<int> read;
  table.Get(5, &read);
  EXPECT_EQ(read, (std::vector<int>{1, 2}));
  table.Get({0, 1}, &read);
  EXPECT_EQ(read, (std::vector<int>{0, 0, 3, 4}));
  table.Get(std::vector<int>{1, 5}, &read);
  EXPECT_EQ(read, (std::vector<int>{3, 4, 1, 2}));
  table.Get(std::vector<std::uint64_t>{5, 5}, &read);
  EXPECT_EQ(read, (std::vector<int>{1, 2, 1, 2}));
  const std::int64_t ids[] = {1, 2, 3};
  SArray<int> rows(6);
  table.GetAsync({ids, 3}, rows).Wait();
  EXPECT_EQ(rows[0], 3);
  table.Get(std::vector<int>(), &read);
  EXPECT_TRUE(read.empty());
  table.Get(&read);
  EXPECT_EQ(read, (std::vector<int>{0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 1, 2}));
}

template <typename T>
void AddTwice(Store& store, const char* name) {
  MatrixTable<T> table(store, MatrixOptions().Name(name).Rows(3).Cols(2));
  std::vector<T> values;
  for (int i = 0; i < 6; ++i) values.push_back(static_cast<T>(static_cast<float>(i)));
  table.Add(values);
  table.AddAsync({2, 0}, {values.data() + 2, 4});
  std::vector<T> read;
  table.Get(&read);
  const float expected[] = {4, 6, 2, 3, 6, 8};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(static_cast<float>(read[i]), expected[i]) << name << " " << i;
}

TEST_P(MatrixTableTest, ElementsAreOfAnyNumericType) {
  StoreWorld world(GetParam(), 2, 1);
  AddTwice<float>(world[0], "float");
  AddTwice<double>(world[0], "double");
  AddTwice<Half>(world[0], "half");
  AddTwice<BFloat16>(world[0], "bfloat16");
  AddTwice<std::int8_t>(world[0], "int8");
  AddTwice<std::uint8_t>(world[0], "uint8");
  AddTwice<std::int16_t>(world[0], "int16");
  AddTwice<std::uint16_t>(world[0], "uint16");
  AddTwice<int>(world[0], "int");
  AddTwice<unsigned>(world[0], "unsigned");
  AddTwice<long>(world[0], "long");                    // NOLINT: by that name
  AddTwice<long long>(world[0], "long long");          // NOLINT: the same DType
  AddTwice<unsigned long>(world[0], "unsigned long");  // NOLINT
}

// A uniform start depends on the seed alone, not on the number of servers.
TEST_P(MatrixTableTest, StartsWithRandomValuesThatNoPartitionChanges) {
  std::vector<float> first;
  for (const int servers : {1, 3}) {
    StoreWorld world(GetParam(), servers, 1);
    MatrixOptions options = MatrixOptions().Name("m").Rows(40).Cols(5).Init(Init::Uniform(-0.1, 0.1, 7));
    options.spec().min_split = 0;
    MatrixTable<float> table(world[0], options);
    std::vector<float> read;
    table.Get(&read);
    for (const float value : read) EXPECT_TRUE(value >= -0.1F && value < 0.1F) << value;
    EXPECT_NE(read[0], read[1]);
    if (first.empty()) first = read;
    EXPECT_EQ(read, first);
  }
}

}  // namespace
}  // namespace ps
