#include "ps/collective.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ps/local_cluster.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

template <typename T>
TensorView ViewOf(std::vector<T>* values) {
  TensorView view;
  view.data = values->data();
  view.shape = {static_cast<std::int64_t>(values->size())};
  view.dtype = DTypeOf<T>::value;
  return view;
}

// Element i of rank r.
std::int64_t Element(int rank, std::size_t i) {
  return (rank + 1) * 1000003LL + static_cast<std::int64_t>(i) * 7;
}

std::vector<std::int64_t> Contribution(int rank, std::size_t count) {
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = Element(rank, i);
  return values;
}

std::vector<std::int64_t> SumOf(int size, std::size_t count) {
  std::vector<std::int64_t> sum(count);
  for (int rank = 0; rank < size; ++rank)
    for (std::size_t i = 0; i < count; ++i) sum[i] += Element(rank, i);
  return sum;
}

class CollectiveTest : public testing::Test {
 protected:
  static void Run(int workers, const std::function<void(Collective&)>& body) {
    LocalCluster cluster(0, workers);
    cluster.Run([&](Postoffice& node) {
      if (node.is_worker()) body(*Collective::Of(&node));
    });
  }

  Watchdog watchdog_;
};

TEST_F(CollectiveTest, SumsOfAnyNumberOfRanksAndElements) {
  for (const int size : {1, 2, 3, 4, 5, 8, 9}) {
    Run(size, [size](Collective& collective) {
      EXPECT_EQ(collective.size(), size);
      for (const std::size_t count : {0, 1, 2, 3, 9, 1000, 5000, 100003}) {
        std::vector<std::int64_t> values = Contribution(collective.rank(), count);
        collective.Allreduce(ViewOf(&values));
        EXPECT_EQ(values, SumOf(size, count)) << size << " ranks, " << count << " elements";
      }
    });
  }
}

}  // namespace
}  // namespace ps
