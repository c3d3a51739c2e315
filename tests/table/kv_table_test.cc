#include "ps/kv_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/store_world.h"

namespace ps {
namespace {

using Keys = std::vector<std::int64_t>;

class KVTableTest : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, KVTableTest, EveryWay(), NameOfWay);

TEST_P(KVTableTest, EveryNumberIsAKey) {
  StoreWorld world(GetParam(), 3, 1);
  KVTable<double> table(world[0], KVOptions().Name("k"));
  const Keys keys = {std::numeric_limits<std::int64_t>::min(), -1, 0, 1,
                     std::numeric_limits<std::int64_t>::max()};
  table.Add(keys, std::vector<double>{1, 2, 3, 4, 5});
  table.Add(-1, 0.5);
  std::vector<double> read;
  table.Get(keys, &read);
  EXPECT_EQ(read, (std::vector<double>{1, 2.5, 3, 4, 5}));
}

TEST_P(KVTableTest, RawIsWhatHasBeenReadHere) {
  StoreWorld world(GetParam(), 2, 1);
  KVTable<int> table(world[0], KVOptions().Name("k"));
  table.Add(Keys{-3, 9}, std::vector<int>{7, 1});
  EXPECT_TRUE(table.raw().empty()) << "nothing has been read yet";
  table.Get(Keys{-3, 5});
  EXPECT_EQ(table.raw(), (KVTable<int>::Raw{{-3, 7}, {5, 0}}));
  table.Add(-3, 1);
  EXPECT_EQ(table.raw().at(-3), 7) << "as it was read";
  std::vector<int> read;
  table.Get(-3, &read);
  EXPECT_EQ(read, std::vector<int>{8});
  EXPECT_EQ(table.raw().at(-3), 7) << "a read into an array leaves it alone";
  const Ticket first = table.GetAsync(Keys{-3, 9});
  table.AddAsync(-3, std::vector<int>{1});
  const Ticket second = table.GetAsync(Keys{-3});
  second.Wait();
  first.Wait();
  EXPECT_EQ(table.raw(), (KVTable<int>::Raw{{-3, 9}, {5, 0}, {9, 1}})) << "the later read counts";
}

TEST_P(KVTableTest, AReadIntoRawThatFailsBringsNothing) {
  StoreWorld world(GetParam(), 1, 2);
  KVTable<int> table(world[0], KVOptions().Name("k").Mode(Consistency::Bsp()));
  table.AddAsync(1, std::vector<int>{4});
  const Ticket waits_for_the_other = table.GetAsync(1);
  EXPECT_TRUE(table.raw().empty());
  world[0].Close();
  EXPECT_FALSE(waits_for_the_other.WaitFor(std::chrono::seconds(20)).ok());
  EXPECT_TRUE(table.raw().empty());
}

}  // namespace
}  // namespace ps
