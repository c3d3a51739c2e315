#include "device/shape.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ps {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

TEST(ShapeTest, IsWrittenInBrackets) {
  EXPECT_EQ(ToString(Shape{}), "[]");
  EXPECT_EQ(ToString(Shape{7}), "[7]");
  EXPECT_EQ(ToString(Shape{2, 0, 3}), "[2,0,3]");
}

TEST(ShapeTest, AnArrayIsDescribedByTypeShapeAndPlace) {
  TensorView view;
  view.shape = {2, 3};
  view.dtype = DType::kBF16;
  view.device = DeviceId::Cuda(1);
  EXPECT_EQ(Describe(view), "bf16 [2,3] on cuda:1");
}

TEST(ShapeTest, BytesAreTheProductOfTheLengths) {
  EXPECT_EQ(BytesOfShape({}, DType::kF64).value(), 8U);
  EXPECT_EQ(BytesOfShape({2, 3, 4}, DType::kF16).value(), 48U);
  EXPECT_EQ(BytesOfShape({2, 0}, DType::kF32).value(), 0U);
}

TEST(ShapeTest, WhatHasNoSizeIsRefusedByName) {
  const Status below = BytesOfShape({2, -1}, DType::kF32).status();
  EXPECT_EQ(below.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(below.message().find("dimension 1 of the shape [2,-1]"), std::string::npos) << below;
  for (const Shape& shape : {Shape{kHuge, 2}, Shape{kHuge, kHuge, 0}}) {
    const Status large = BytesOfShape(shape, DType::kI8).status();
    EXPECT_EQ(large.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(large.message().find(ToString(shape)), std::string::npos) << large;
  }
  const Status type = BytesOfShape({1}, static_cast<DType>(99)).status();
  EXPECT_NE(type.message().find("99"), std::string::npos) << type;
}

}  // namespace
}  // namespace ps
