#include "ps/array_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/store_world.h"

namespace ps {
namespace {

class ArrayTableTest : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, ArrayTableTest, EveryWay(), NameOfWay);

TEST_P(ArrayTableTest, TakesAndFillsArraysOfAnyKind) {
  StoreWorld world(GetParam(), 2, 1);
  ArrayOptions options = ArrayOptions().Name("w").Size(4);
  options.spec().min_split = 0;
  ArrayTable<float> table(world[0], options);
  EXPECT_EQ(table.size(), 4u);
  const std::vector<float> values = {1, 2, 3, 4};
  table.Add(values);
  SArray<float> shared(values);
  table.AddAsync(shared);
  table.AddAsync({values.data(), values.size()});
  std::vector<float> as_vector;
  table.Get(&as_vector);
  EXPECT_EQ(as_vector, (std::vector<float>{3, 6, 9, 12}));
  table.Get(shared);
  EXPECT_EQ(shared[3], 12);
  float plain[4];
  table.GetAsync({plain, 4}).Wait();
  EXPECT_EQ(plain[2], 9);
}

// One rule per table, not per process.
TEST_P(ArrayTableTest, TblVec55EachHasItsOwnRule) {
  StoreWorld world(GetParam(), 1, 1);
  ArrayTable<float> sgd(world[0], ArrayOptions().Name("sgd").Size(1).Updater("sgd"));
  ArrayTable<float> add(world[0], ArrayOptions().Name("add").Size(1));
  const std::vector<float> one = {1};
  std::vector<float> read;
  sgd.Add(one);
  add.Add(one);
  sgd.Get(&read);
  EXPECT_EQ(read[0], -1);
  add.Get(&read);
  EXPECT_EQ(read[0], 1);
}

TEST_P(ArrayTableTest, TblCase03WorkersWithUnequalNumbersOfRoundsLeave) {
  const int batches[] = {10, 12, 12, 15};
  StoreWorld world(GetParam(), 2, 4);
  world.Run([&](int worker, Store& store) {
    ArrayOptions options = ArrayOptions().Name("w").Size(6).Mode(Consistency::Bsp());
    options.spec().min_split = 0;
    ArrayTable<float> table(store, options);
    std::vector<float> read;
    for (int round = 1; round <= batches[worker]; ++round) {
      table.AddAsync(std::vector<float>(6, 1));
      table.Get(&read);
      const int sum =
          4 * std::min(round, 10) + 3 * std::min(std::max(round - 10, 0), 2) + std::max(round - 12, 0);
      ASSERT_EQ(read, std::vector<float>(6, static_cast<float>(sum)))
          << "worker " << worker << " round " << round;
    }
    table.store_table().Leave().Wait();
    store.Barrier();
    ArrayTable<float> again(store, options);
    EXPECT_THROW(again.Get({read.data(), 5}), Error);
    if (worker == 3) {
      table.Get(&read);
      EXPECT_EQ(read, std::vector<float>(6, 49)) << "10 + 12 + 12 + 15";
    }
  });
}

}  // namespace
}  // namespace ps
