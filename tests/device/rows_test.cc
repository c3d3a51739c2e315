#include "device/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

constexpr std::int64_t kRows = 501;

class RowsTest : public KernelTest {
 protected:
  // `count` different rows, in no order.
  static std::vector<std::int64_t> SomeRows(std::size_t count, std::uint32_t seed) {
    std::vector<std::int64_t> rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
    rows.resize(count);
    return rows;
  }

  template <typename T, typename W>
  void Check(std::size_t count, std::int64_t width) {
    const auto size = static_cast<std::size_t>(width);
    const std::vector<std::int64_t> rows = SomeRows(count, 3);
    const std::vector<T> matrix = RandomElements<T>(kRows * size, 1);
    const std::vector<T> list = RandomElements<T>(count * size, 2);
    std::vector<T> gathered(list);
    std::vector<T> scattered(matrix);
    std::vector<T> added(matrix);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < size; ++c) {
        const std::size_t at = static_cast<std::size_t>(rows[i]) * size + c;
        gathered[i * size + c] = matrix[at];
        scattered[at] = list[i * size + c];
        added[at] =
            static_cast<T>(static_cast<W>(static_cast<W>(matrix[at]) + static_cast<W>(list[i * size + c])));
      }
    }
    const Placed<std::int64_t> ids(device_, rows);
    const Placed<T> placed(device_, matrix);
    const Placed<T> listed(device_, list);
    const TensorView whole = placed.View({kRows, width});
    const TensorView part = listed.View({static_cast<std::int64_t>(count), width});
    Run(AddRows(stream_.get(), whole, part, ids.View()));
    EXPECT_TRUE(SameBits(placed.Read(), added)) << count << " x " << width;
    Run(ScatterRows(stream_.get(), whole, part, ids.View()));
    EXPECT_TRUE(SameBits(placed.Read(), scattered)) << count << " x " << width;
    device_->Copy(placed.data(), matrix.data(), matrix.size() * sizeof(T));
    Run(GatherRows(stream_.get(), part, whole, ids.View()));
    EXPECT_TRUE(SameBits(listed.Read(), gathered)) << count << " x " << width;
  }
  void Run(const Status& launched) {
    ASSERT_TRUE(launched.ok()) << launched;
    Synchronize();
  }
};

TEST_P(RowsTest, MovesAndAddsRows) {
  for (const std::size_t count : {0, 1, 2, 77, 501}) {
    for (const int width : {1, 3, 16, 65}) {
      Check<float, float>(count, width);
      Check<Half, float>(count, width);
      Check<std::int8_t, std::uint32_t>(count, width);
      Check<std::int64_t, std::uint64_t>(count, width);
    }
  }
}

TEST_P(RowsTest, RowsMayHaveManyDimensions) {
  const Placed<int> matrix(device_, {0, 1, 2, 3, 4, 5, 6, 7});
  const Placed<int> list(device_, std::vector<int>(4));
  const Placed<std::int64_t> ids(device_, {1});
  Run(GatherRows(stream_.get(), list.View({1, 2, 2}), matrix.View({2, 2, 2}), ids.View()));
  EXPECT_EQ(list.Read(), (std::vector<int>{4, 5, 6, 7}));
}

TEST_P(RowsTest, SortsIdsAndLeavesOutRepetitions) {
  for (const std::size_t size : kSizes) {
    std::mt19937_64 random(size);
    std::vector<std::int64_t> values(size);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % (size + 1)) << 20;
    if (size > 2) values[1] = -5;
    const Placed<std::int64_t> ids(device_, values);
    std::int64_t count = -1;
    Run(UniqueRows(stream_.get(), ids.View(), &count));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    ASSERT_EQ(count, static_cast<std::int64_t>(values.size()));
    std::vector<std::int64_t> found = ids.Read();
    found.resize(values.size());
    EXPECT_EQ(found, values);
  }
}

TEST_P(RowsTest, WhatDoesNotFitIsRefusedAtOnce) {
  const Placed<float> matrix(device_, std::vector<float>(12));
  const Placed<float> list(device_, std::vector<float>(12));
  const Placed<std::int64_t> ids(device_, {0, 1});
  const Placed<std::int32_t> short_ids(device_, {0, 1});
  const TensorView whole = matrix.View({4, 3});
  EXPECT_EQ(GatherRows(stream_.get(), list.View({3, 3}), whole, ids.View()).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(AddRows(stream_.get(), whole, list.View({2, 2}), ids.View()).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(ScatterRows(stream_.get(), whole, list.View({2, 3}), short_ids.View()).code(),
            StatusCode::kInvalidArgument);
  TensorView integers = list.View({2, 3});
  integers.dtype = DType::kI32;
  EXPECT_EQ(AddRows(stream_.get(), whole, integers, ids.View()).code(), StatusCode::kInvalidArgument);
  std::int64_t count = 0;
  EXPECT_EQ(UniqueRows(stream_.get(), short_ids.View(), &count).code(), StatusCode::kInvalidArgument);
}

TEST_P(RowsTest, TheProcessorRefusesRowsThatAreNotThere) {
  if (GetParam().kind != DeviceId::kCpu) GTEST_SKIP() << "who calls has looked";
  const Placed<float> matrix(device_, {1, 2, 3});
  const Placed<float> list(device_, {5, 6});
  for (const std::int64_t wrong : {std::int64_t{3}, std::int64_t{-1}}) {
    const Placed<std::int64_t> ids(device_, {0, wrong});
    ASSERT_TRUE(ScatterRows(stream_.get(), matrix.View(), list.View(), ids.View()).ok());
    const Status status = stream_->Synchronize();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("row " + std::to_string(wrong)), std::string::npos) << status;
  }
  EXPECT_EQ(matrix.Read(), (std::vector<float>{1, 2, 3}));
}

PS_ON_ALL_DEVICES(RowsTest);

}  // namespace
}  // namespace ps
