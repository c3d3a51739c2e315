#include "group/row_sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/group/resources_fixture.h"
#include "tests/support/tensors.h"

namespace ps {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::size_t kBig = 3 * Workers::kPiece + 1;

class RowSumTest : public ResourcesFixture {
 protected:
  RowSumTest() : ResourcesFixture(kBig) {}
};

// Rows of `width` elements, the given ones one after the other.
template <typename T>
Tensor Rows(std::int64_t num_rows, std::int64_t width, const Ids& ids, const std::vector<T>& values,
            int device = 0) {
  Tensor dense =
      Tensor::Empty({static_cast<std::int64_t>(ids.size()), width}, DTypeOf<T>::value, DeviceId::Cpu(device));
  dense.CopyFrom(values.data());
  return Tensor::RowSparse({num_rows, width}, TensorOf(ids, DeviceId::Cpu(device)), dense);
}

TEST_F(RowSumTest, ARowOfSeveralIsTheirSum) {
  // V145
  for (Resources* const resources : All()) {
    const Tensor sum = SumRows(resources, DeviceId::Cpu(2),
                               {Rows<float>(4, 1, {0, 2}, {1, 1}, 1), Rows<float>(4, 1, {1, 2}, {2, 2}, 3)});
    EXPECT_TRUE(sum.is_row_sparse());
    EXPECT_EQ(sum.view().device, DeviceId::Cpu(2));
    EXPECT_EQ(ValuesOf<std::int64_t>(sum.ids()), (Ids{0, 1, 2}));
    EXPECT_EQ(ValuesOf<float>(sum), (std::vector<float>{1, 2, 3, 0}));
  }
}

TEST_F(RowSumTest, OneSourceIsCopied) {
  for (Resources* const resources : All()) {
    const Tensor only = Rows<double>(5, 2, {1, 4}, {1, 2, 3, 4}, 1);
    const Tensor sum = SumRows(resources, DeviceId::Cpu(1), {only});
    EXPECT_EQ(ValuesOf<double>(sum), ValuesOf<double>(only));
    EXPECT_NE(sum.Data(), only.Data());
    EXPECT_NE(sum.ids().Data(), only.ids().Data());
  }
}

TEST_F(RowSumTest, SourcesWithoutRowsCount) {
  for (Resources* const resources : All()) {
    const Tensor none = Rows<float>(3, 2, {}, {}, 1);
    EXPECT_EQ(SumRows(resources, DeviceId::Cpu(2), {none, none}).ids().view().size(), 0);
    const Tensor sum = SumRows(resources, DeviceId::Cpu(2), {none, Rows<float>(3, 2, {1}, {5, 6}, 4)});
    EXPECT_EQ(ValuesOf<float>(sum), (std::vector<float>{0, 0, 5, 6, 0, 0}));
    // Rows of no elements.
    EXPECT_EQ(SumRows(resources, DeviceId::Cpu(2), {Rows<float>(3, 0, {2}, {}, 1)}).ids().view().size(), 1);
  }
}

TEST_F(RowSumTest, RowsAreAddedInTheOrderOfTheSources) {
  const std::vector<float> parts = {0x1p24F, 1, 1, -0x1p24F, 1};
  std::vector<Tensor> values;
  float expected = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    values.push_back(Rows<float>(9, 1, {7}, {parts[i]}, static_cast<int>(i)));
    expected += parts[i];
  }
  for (Resources* const resources : All())
    EXPECT_EQ(ValuesOf<float>(SumRows(resources, DeviceId(), values).values()), std::vector<float>{expected});
}

template <typename T>
void ExpectRandomSums(Resources* resources, std::int64_t num_rows, std::int64_t width) {
  std::mt19937 random(static_cast<unsigned>(num_rows));
  std::vector<T> expected(static_cast<std::size_t>(num_rows * width));
  std::vector<Tensor> values;
  for (int source = 0; source < 4; ++source) {
    Ids ids;
    std::vector<T> rows;
    for (std::int64_t row = 0; row < num_rows; ++row) {
      if (random() % 3 == 0) continue;
      ids.push_back(row);
      for (std::int64_t i = 0; i < width; ++i) {
        const T value = static_cast<T>(static_cast<float>(random() % 16));
        rows.push_back(value);
        T& sum = expected[static_cast<std::size_t>(row * width + i)];
        sum = static_cast<T>(static_cast<float>(sum) + static_cast<float>(value));
      }
    }
    values.push_back(Rows(num_rows, width, ids, rows, source));
  }
  const Tensor sum = SumRows(resources, DeviceId::Cpu(1), values);
  const std::vector<T> seen = ValuesOf<T>(sum);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(static_cast<float>(seen[i]), static_cast<float>(expected[i])) << NameOf(sum.view().dtype) << i;
}

TEST_F(RowSumTest, ManyRowsOfEveryWidth) {
  for (Resources* const resources : All()) {
    ExpectRandomSums<float>(resources, 70001, 1);
    ExpectRandomSums<float>(resources, 5001, 17);
    ExpectRandomSums<float>(resources, 3, 20000);
    ExpectRandomSums<double>(resources, 501, 3);
    ExpectRandomSums<Half>(resources, 501, 3);
    ExpectRandomSums<BFloat16>(resources, 501, 3);
    ExpectRandomSums<std::int8_t>(resources, 501, 3);
    ExpectRandomSums<std::int64_t>(resources, 501, 3);
    ExpectRandomSums<std::uint16_t>(resources, 501, 3);
  }
}

TEST_F(RowSumTest, ManyThatAreAllThere) {
  // V148 and V144
  constexpr std::int64_t kRows = 793470;
  Ids ids(kRows);
  std::iota(ids.begin(), ids.end(), 0);
  const Tensor ones = Rows(kRows, 1, ids, std::vector<float>(kRows, 1));
  for (Resources* const resources : All()) {
    const Tensor sum = SumRows(resources, DeviceId::Cpu(1), {ones, ones});
    EXPECT_EQ(sum.ids().view().size(), kRows);
    EXPECT_EQ(ValuesOf<float>(sum), std::vector<float>(kRows, 2));
  }
}

TEST_F(RowSumTest, TheFailureOfAWriteIsThrown) {
  Tensor bad = Rows<float>(4, 1, {0, 2}, {1, 1}, 1);
  bad.SetWrite(std::make_shared<EndedWrite>(Status::Unavailable("server 2 is lost")));
  for (Resources* const resources : All()) {
    const Status status = ThrownBy([&] { SumRows(resources, DeviceId::Cpu(2), {bad, bad}); });
    EXPECT_EQ(status.message(), "server 2 is lost");
  }
}

}  // namespace
}  // namespace ps
