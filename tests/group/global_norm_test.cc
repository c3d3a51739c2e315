#include "group/global_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/tensors.h"

namespace ps {
namespace {

TEST(GlobalNormTest, IsThatOfAllElementsTogether) {
  const Tensor rows =
      Tensor::RowSparse({1000000, 1}, TensorOf(std::vector<std::int64_t>{7}), Tensor::Full({1, 1}, 2));
  const std::vector<Tensor> tensors = {TensorOf(std::vector<float>{1, -1}),
                                       TensorOf(std::vector<double>{3}, DeviceId::Cpu(2)),
                                       TensorOf(std::vector<Half>{Half(-1.0F)}),
                                       TensorOf(std::vector<BFloat16>{BFloat16(3.0F)}),
                                       rows,
                                       Tensor::Empty({0})};
  EXPECT_EQ(GlobalNorm(tensors), 5);
  EXPECT_EQ(GlobalNorm({}), 0);
}

TEST(GlobalNormTest, NormsAboveTheBoundAreMadeEqualToIt) {
  std::vector<Tensor> tensors = {TensorOf(std::vector<float>{3}), TensorOf(std::vector<double>{4}),
                                 TensorOf(std::vector<Half>{Half(12.0F)}, DeviceId::Cpu(1))};
  EXPECT_EQ(ClipByGlobalNorm(&tensors, 6.5), 13);
  EXPECT_EQ(ValuesOf<float>(tensors[0]), std::vector<float>{1.5F});
  EXPECT_EQ(ValuesOf<double>(tensors[1]), std::vector<double>{2});
  EXPECT_EQ(static_cast<float>(ValuesOf<Half>(tensors[2])[0]), 6);
  EXPECT_EQ(GlobalNorm(tensors), 6.5);
  EXPECT_EQ(ClipByGlobalNorm(&tensors, 6.5), 6.5);
}

TEST(GlobalNormTest, NormsWithinTheBoundStay) {
  std::vector<Tensor> tensors = {TensorOf(std::vector<float>{3, 4})};
  EXPECT_EQ(ClipByGlobalNorm(&tensors, 5), 5);
  EXPECT_EQ(ValuesOf<float>(tensors[0]), (std::vector<float>{3, 4}));
}

TEST(GlobalNormTest, TheRowsOfRowSparseTensorsAreScaled) {
  std::vector<Tensor> tensors = {
      Tensor::RowSparse({3, 1}, TensorOf(std::vector<std::int64_t>{1}), Tensor::Full({1, 1}, 8))};
  EXPECT_EQ(ClipByGlobalNorm(&tensors, 2), 8);
  EXPECT_EQ(ValuesOf<float>(tensors[0]), (std::vector<float>{0, 2, 0}));
}

TEST(GlobalNormTest, WhatHasNoNormIsNamed) {
  const auto refusal = [](std::vector<Tensor> tensors, double bound) {
    const Status status = ThrownBy([&] { ClipByGlobalNorm(&tensors, bound); });
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  const Tensor one = Tensor::Full({1}, 1);
  EXPECT_NE(refusal({one, Tensor::Full({2, 3}, 1, DType::kI32)}, 1).find("tensor 1 is i32 [2,3] on cpu:0"),
            std::string::npos);
  EXPECT_NE(refusal({Tensor()}, 1).find("tensor 0"), std::string::npos);
  for (const double bound : {0.0, -1.0, std::nan("")}) EXPECT_FALSE(refusal({one}, bound).empty());
  const Tensor infinite = TensorOf(std::vector<float>{1, std::numeric_limits<float>::infinity()});
  EXPECT_NE(refusal({one, infinite}, 1).find("is inf"), std::string::npos);
  EXPECT_EQ(ValuesOf<float>(infinite)[0], 1);
  EXPECT_TRUE(std::isinf(GlobalNorm({infinite})));
}

TEST(GlobalNormTest, TheFailureOfAWriteIsThrown) {
  Tensor bad = Tensor::Full({1}, 1);
  bad.SetWrite(std::make_shared<EndedWrite>(Status::Unavailable("server 2 is lost")));
  EXPECT_EQ(ThrownBy([&] { GlobalNorm({bad}); }).message(), "server 2 is lost");
}

}  // namespace
}  // namespace ps
