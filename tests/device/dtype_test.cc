#include "ps/dtype.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ps {
namespace {

std::vector<DType> All() {
  std::vector<DType> all;
  for (int code = 0; code < kNumDTypes; ++code) all.push_back(static_cast<DType>(code));
  return all;
}

TEST(DTypeTest, NamesLeadBackAndDiffer) {
  std::set<std::string> names;
  for (const DType dtype : All()) {
    names.insert(NameOf(dtype));
    ASSERT_TRUE(DTypeNamed(NameOf(dtype)).ok()) << NameOf(dtype);
    EXPECT_EQ(DTypeNamed(NameOf(dtype)).value(), dtype);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kNumDTypes));
}

TEST(DTypeTest, AnUnknownNameIsAnsweredWithAllNames) {
  for (const char* name : {"", "float", "F32", "f32 "}) {
    const Status status = DTypeNamed(name).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    for (const DType dtype : All()) EXPECT_NE(status.message().find(NameOf(dtype)), std::string::npos);
  }
}

TEST(DTypeTest, SizesAreThoseOfTheCppTypes) {
  EXPECT_EQ(SizeOf(DType::kF32), sizeof(float));
  EXPECT_EQ(SizeOf(DType::kF64), sizeof(double));
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kI16, DType::kU16})
    EXPECT_EQ(SizeOf(dtype), 2U);
  for (const DType dtype : {DType::kU8, DType::kI8, DType::kBool}) EXPECT_EQ(SizeOf(dtype), 1U);
  for (const DType dtype : {DType::kI32, DType::kU32}) EXPECT_EQ(SizeOf(dtype), 4U);
  for (const DType dtype : {DType::kI64, DType::kU64}) EXPECT_EQ(SizeOf(dtype), 8U);
}

TEST(DTypeTest, OnlyThe16BitFloatsHaveAnotherMaster) {
  for (const DType dtype : All()) {
    const bool is_short = dtype == DType::kF16 || dtype == DType::kBF16;
    EXPECT_EQ(MasterOf(dtype), is_short ? DType::kF32 : dtype) << NameOf(dtype);
    EXPECT_EQ(IsFloat(dtype), is_short || dtype == DType::kF32 || dtype == DType::kF64) << NameOf(dtype);
  }
}

TEST(DTypeTest, BytesThatAreNoCodeHaveNoSize) {
  for (const int code : {kNumDTypes, 100, 255}) {
    EXPECT_FALSE(IsDType(static_cast<std::uint8_t>(code)));
    EXPECT_EQ(SizeOf(static_cast<DType>(code)), 0U);
    EXPECT_STREQ(NameOf(static_cast<DType>(code)), "unknown");
    EXPECT_FALSE(IsFloat(static_cast<DType>(code)));
  }
}

// They travel, and lie in checkpoints.
TEST(DTypeTest, CodesAreWhatTheyEverWere) {
  EXPECT_EQ(static_cast<int>(DType::kF32), 0);
  EXPECT_EQ(static_cast<int>(DType::kI64), 6);
  EXPECT_EQ(static_cast<int>(DType::kBF16), 12);
}

}  // namespace
}  // namespace ps
