#include "device/row_sparse.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "device/shape.h"

namespace ps {
namespace {

Tensor Ids(const std::vector<std::int64_t>& ids, const DeviceId& device = {}) {
  Tensor tensor = Tensor::Empty({static_cast<std::int64_t>(ids.size())}, DType::kI64, device);
  tensor.CopyFrom(ids.data());
  return tensor;
}

// A write that has ended.
class DoneWrite final : public PendingWrite {
 public:
  explicit DoneWrite(Status outcome) : outcome_(std::move(outcome)) {}
  Status Wait(const std::chrono::milliseconds*) override { return outcome_; }

 private:
  const Status outcome_;
};

// What is said of rows that do not fit.
Status Refusal(const Shape& shape, const Tensor& ids, const Tensor& values) {
  try {
    Tensor::RowSparse(shape, ids, values);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    return error.status();
  }
  return Status::Ok();
}

void ExpectRefused(const Status& refusal, const std::string& text) {
  EXPECT_NE(refusal.message().find(text), std::string::npos) << refusal;
}

TEST(RowSparseTest, HasTheShapeOfTheWholeAndTheMemoryOfItsRows) {
  const Tensor ids = Ids({0, 2});
  const Tensor values = Tensor::Full({2, 3}, 7, DType::kF64);
  const Tensor rows = Tensor::RowSparse({4, 3}, ids, values);
  EXPECT_TRUE(rows.is_row_sparse());
  EXPECT_EQ(rows.view().shape, (Shape{4, 3}));
  EXPECT_EQ(rows.view().dtype, DType::kF64);
  EXPECT_EQ(rows.view().data, values.view().data);
  EXPECT_EQ(rows.Data(), values.Data());
  EXPECT_EQ(rows.ids().Data(), ids.Data());
  EXPECT_EQ(rows.values().Data(), values.Data());
}

TEST(RowSparseTest, TheRowsThatAreNotThereAreZero) {
  const Tensor rows = Tensor::RowSparse({4, 2}, Ids({1, 3}), Tensor::Full({2, 2}, 5, DType::kI16));
  std::vector<std::int16_t> whole(8, -1);
  rows.CopyTo(whole.data());
  EXPECT_EQ(whole, (std::vector<std::int16_t>{0, 0, 5, 5, 0, 0, 5, 5}));
  const Tensor none = Tensor::RowSparse({2}, Ids({}), Tensor::Empty({0}));
  std::vector<float> zeros(2, 1);
  none.CopyTo(zeros.data());
  EXPECT_EQ(zeros, (std::vector<float>{0, 0}));
  Tensor::RowSparse({0, 2}, Ids({}), Tensor::Empty({0, 2})).CopyTo(nullptr);
}

TEST(RowSparseTest, IdsThatAreOutsideOrDoNotAscendAreNamedByPlace) {
  const Tensor two = Tensor::Empty({2, 3});
  ExpectRefused(Refusal({4, 3}, Ids({1, 4}), two), "row id 4 at place 1 is none of the 4 rows of [4,3]");
  ExpectRefused(Refusal({4, 3}, Ids({-1, 2}), two), "row id -1 at place 0");
  ExpectRefused(Refusal({4, 3}, Ids({2, 2}), two), "row id 2 at place 1 follows 2");
  ExpectRefused(Refusal({4, 3}, Ids({2, 0}), two), "row id 0 at place 1 follows 2");
}

TEST(RowSparseTest, PartsThatDoNotFitAreNamed) {
  const Tensor ids = Ids({0, 1});
  const Tensor values = Tensor::Empty({2, 3});
  ExpectRefused(Refusal({}, ids, values), "at least one dimension");
  ExpectRefused(Refusal({-4, 3}, ids, values), "[-4,3]");
  ExpectRefused(Refusal({4, 3}, Tensor(), values), "two dense ones");
  ExpectRefused(Refusal({4, 3}, ids, Tensor::RowSparse({4, 3}, ids, values)), "two dense ones");
  ExpectRefused(Refusal({4, 3}, Tensor::Empty({2}), values), "f32 [2] on cpu:0");
  ExpectRefused(Refusal({4, 3}, Tensor::Empty({2, 1}, DType::kI64), values), "i64 [2,1] on cpu:0");
  ExpectRefused(Refusal({4, 3}, Ids({0}), values), "have the shape [1,3], not [2,3]");
  ExpectRefused(Refusal({4}, ids, values), "have the shape [2], not [2,3]");
  ExpectRefused(Refusal({4, 3}, Ids({0, 1}, DeviceId::Cpu(1)), values), "cpu:1");
}

TEST(RowSparseTest, WritesAreOfTheValues) {
  const Tensor values = Tensor::Full({2, 3}, 1);
  Tensor rows = Tensor::RowSparse({4, 3}, Ids({0, 1}), values);
  EXPECT_THROW(rows.CopyFrom(nullptr), Error);
  rows.SetWrite(std::make_shared<DoneWrite>(Status::Unavailable("no server")));
  EXPECT_THROW(values.Data(), Error);
  EXPECT_THROW(rows.Data(), Error);
  EXPECT_NO_THROW(rows.ids().Data());
  rows.SetWrite(nullptr);
  EXPECT_NO_THROW(rows.Data());
}

TEST(RowSparseTest, IdsWhoseWriteHasFailedMakeNothing) {
  Tensor ids = Ids({0, 1});
  ids.SetWrite(std::make_shared<DoneWrite>(Status::Unavailable("no server")));
  EXPECT_THROW(Tensor::RowSparse({4, 3}, ids, Tensor::Empty({2, 3})), Error);
}

TEST(RowSparseTest, DenseTensorsHaveNoParts) {
  const Tensor dense = Tensor::Full({2}, 1);
  EXPECT_THROW(dense.ids(), Error);
  EXPECT_THROW(dense.values(), Error);
  EXPECT_THROW(Tensor().ids(), Error);
}

}  // namespace
}  // namespace ps
