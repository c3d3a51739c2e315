#include "collective/signature.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(SignatureTest, SaysWhatWasCalled) {
  EXPECT_EQ((Signature{CollectiveKind::kAllreduce, ReduceOp::kMax, DType::kF32, 0, 10}).ToString(),
            "allreduce of 10 f32 (max)");
  EXPECT_EQ((Signature{CollectiveKind::kReduceScatter, ReduceOp::kProd, DType::kI8, 0, 1}).ToString(),
            "reduce-scatter of 1 i8 (prod)");
  EXPECT_EQ((Signature{CollectiveKind::kBroadcast, ReduceOp::kSum, DType::kI32, 2, 3}).ToString(),
            "broadcast of 3 i32 from rank 2");
  EXPECT_EQ((Signature{CollectiveKind::kAllgather, ReduceOp::kSum, DType::kBF16, 0, 7}).ToString(),
            "allgather of 7 bf16");
  EXPECT_EQ(Signature().ToString(), "barrier");
}

TEST(SignatureTest, EverythingCounts) {
  const Signature signature{CollectiveKind::kAllreduce, ReduceOp::kSum, DType::kF32, 0, 10};
  EXPECT_EQ(signature, signature);
  for (int field = 0; field < 5; ++field) {
    Signature other = signature;
    if (field == 0) other.kind = CollectiveKind::kAllgather;
    if (field == 1) other.op = ReduceOp::kMin;
    if (field == 2) other.dtype = DType::kI32;
    if (field == 3) other.root = 1;
    if (field == 4) other.count = 11;
    EXPECT_NE(signature, other) << field;
  }
  EXPECT_EQ(signature.bytes(), 40u);
}

}  // namespace
}  // namespace ps
