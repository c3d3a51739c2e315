#include "ps/c/tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "c_api/tensor.h"
#include "ps/dlpack.h"
#include "tests/support/c_calls.h"
#include "tests/support/tensors.h"

namespace ps {
namespace {

class CTensorTest : public testing::Test {
 protected:
  // Of `shape`, which stays the caller's.
  static PSTensorInfo Info(int dtype, const std::vector<std::int64_t>& shape) {
    PSTensorInfo info{};
    info.struct_size = sizeof info;
    info.dtype = dtype;
    info.ndim = static_cast<int>(shape.size());
    info.shape = shape.data();
    return info;
  }
  static void CountDeleted(void* data, void* context) {
    ASSERT_NE(data, nullptr);
    ++*static_cast<int*>(context);
  }

  const std::vector<std::int64_t> shape_ = {2, 3};
  const std::array<float, 6> values_ = {1, 2, 3, 4, 5, 6};
  HandleBalance balance_;
};

TEST_F(CTensorTest, ANewOneIsZerosAndSaysWhatItIs) {
  const PSTensorInfo info = Info(PS_F32, shape_);
  CTensor tensor;
  Ok(PSTensorCreate(&info, tensor.out()));
  EXPECT_EQ(ElementsOf<float>(tensor.get()), std::vector<float>(6));
  const PSTensorInfo read = InfoOf(tensor.get());
  EXPECT_EQ(read.dtype, PS_F32);
  EXPECT_EQ(read.device_kind, PS_CPU);
  EXPECT_EQ(read.device_index, 0);
  EXPECT_EQ(std::vector<std::int64_t>(read.shape, read.shape + read.ndim), shape_);
  EXPECT_EQ(read.row_sparse, 0);
  EXPECT_EQ(read.bytes, 24U);
}

TEST_F(CTensorTest, EveryElementTypeHasItsNumber) {
  const std::array<std::size_t, kNumDTypes> bytes = {4, 8, 2, 1, 4, 1, 8, 1, 2, 2, 4, 8, 2};
  for (int code = 0; code < kNumDTypes; ++code) {
    const PSTensorInfo info = Info(code, shape_);
    CTensor tensor;
    Ok(PSTensorCreate(&info, tensor.out()));
    EXPECT_EQ(InfoOf(tensor.get()).dtype, code);
    EXPECT_EQ(InfoOf(tensor.get()).bytes, 6 * bytes[static_cast<std::size_t>(code)]);
  }
}

TEST_F(CTensorTest, OneOfNoDimensionsIsOneElement) {
  const PSTensorInfo info = Info(PS_F64, {});
  CTensor tensor;
  Ok(PSTensorCreate(&info, tensor.out()));
  EXPECT_EQ(InfoOf(tensor.get()).ndim, 0);
  EXPECT_EQ(ElementsOf<double>(tensor.get()), std::vector<double>(1));
}

TEST_F(CTensorTest, CopiesAreOfAllOrNothing) {
  const CTensor tensor = MakeCTensor<float>(shape_, {6, 5, 4, 3, 2, 1});
  Ok(PSTensorCopyFrom(tensor.get(), values_.data(), sizeof values_));
  std::array<float, 6> out{};
  Ok(PSTensorCopyTo(tensor.get(), out.data(), sizeof out));
  EXPECT_EQ(out, values_);
  Fails(PSTensorCopyTo(tensor.get(), out.data(), 20), PS_INVALID_ARGUMENT, "20 bytes for f32 [2,3]");
  Fails(PSTensorCopyFrom(tensor.get(), out.data(), 28), PS_INVALID_ARGUMENT, "which has 24");
  Fails(PSTensorCopyFrom(tensor.get(), nullptr, 24), PS_INVALID_ARGUMENT, "data is null");
}

TEST_F(CTensorTest, MemoryOfTheCallerIsUsedWhereItLiesAndReleasedOnce) {
  std::array<float, 6> memory = values_;
  int deleted = 0;
  const PSTensorInfo info = Info(PS_F32, shape_);
  PSTensor tensor = nullptr;
  Ok(PSTensorFromPtr(memory.data(), &info, CountDeleted, &deleted, &tensor));
  void* data = nullptr;
  Ok(PSTensorGetData(tensor, &data));
  EXPECT_EQ(data, memory.data());
  Ok(PSTensorWait(tensor));
  // Whoever uses the tensor keeps its memory.
  Tensor used = c_api::TensorOf(tensor);
  Ok(PSTensorFree(tensor));
  EXPECT_EQ(deleted, 0);
  used = Tensor();
  EXPECT_EQ(deleted, 1);
}

TEST_F(CTensorTest, WhatCanNotBeTakenStaysTheCallers) {
  std::array<float, 6> memory = values_;
  int deleted = 0;
  PSTensorInfo info = Info(PS_F32, shape_);
  PSTensor tensor = nullptr;
  Fails(PSTensorFromPtr(nullptr, &info, CountDeleted, &deleted, &tensor), PS_INVALID_ARGUMENT,
        "no memory for f32 [2,3]");
  char* const odd = reinterpret_cast<char*>(memory.data()) + 1;
  Fails(PSTensorFromPtr(odd, &info, CountDeleted, &deleted, &tensor), PS_INVALID_ARGUMENT, "not aligned");
  Fails(PSTensorFromPtr(memory.data(), &info, CountDeleted, &deleted, nullptr), PS_INVALID_ARGUMENT,
        "tensor is null");
  info.row_sparse = 1;
  Fails(PSTensorFromPtr(memory.data(), &info, CountDeleted, &deleted, &tensor), PS_INVALID_ARGUMENT,
        "PSTensorCreateRowSparse");
  info.struct_size = 0;
  Fails(PSTensorFromPtr(memory.data(), &info, CountDeleted, &deleted, &tensor), PS_INVALID_ARGUMENT,
        "sizeof(PSTensorInfo)");
  EXPECT_EQ(deleted, 0);
  EXPECT_EQ(tensor, nullptr);
}

TEST_F(CTensorTest, InfosThatAreNoneAreNamed) {
  PSTensor tensor = nullptr;
  const auto refused = [&](const PSTensorInfo& info, int code, const std::string& part) {
    Fails(PSTensorCreate(&info, &tensor), code, part);
  };
  Fails(PSTensorCreate(nullptr, &tensor), PS_INVALID_ARGUMENT, "info is null");
  refused(Info(13, shape_), PS_INVALID_ARGUMENT, "no element type has the number 13");
  refused(Info(-1, shape_), PS_INVALID_ARGUMENT, "no element type has the number -1");
  refused(Info(PS_F32, {2, -3}), PS_INVALID_ARGUMENT, "[2,-3]");
  refused(Info(PS_F32, {std::int64_t{1} << 40, std::int64_t{1} << 40}), PS_INVALID_ARGUMENT, "1099511627776");
  PSTensorInfo info = Info(PS_F32, shape_);
  info.ndim = -1;
  refused(info, PS_INVALID_ARGUMENT, "-1 dimensions");
  info.ndim = 1 << 30;
  refused(info, PS_INVALID_ARGUMENT, "1073741824 dimensions");
  info.ndim = 2;
  info.shape = nullptr;
  refused(info, PS_INVALID_ARGUMENT, "shape is null");
  info = Info(PS_F32, shape_);
  info.device_kind = 9;
  refused(info, PS_INVALID_ARGUMENT, "no kind of devices has the number 9");
  info.device_kind = PS_CUDA;
  info.device_index = 99;
  refused(info, PS_UNAVAILABLE, "99");
  info.device_index = -1;
  refused(info, PS_INVALID_ARGUMENT, "-1");
  info = Info(PS_F32, {});
  info.row_sparse = 1;
  refused(info, PS_INVALID_ARGUMENT, "without dimensions");
  EXPECT_EQ(tensor, nullptr);
}

TEST_F(CTensorTest, SimulatedAndPinnedDevicesAreTheProcessors) {
  PSTensorInfo info = Info(PS_F32, shape_);
  info.device_kind = PS_CPU;
  info.device_index = 2;
  CTensor second;
  Ok(PSTensorCreate(&info, second.out()));
  EXPECT_EQ(InfoOf(second.get()).device_index, 2);
  info.device_kind = PS_CUDA_HOST;
  std::array<float, 6> memory = values_;
  CTensor pinned;
  Ok(PSTensorFromPtr(memory.data(), &info, nullptr, nullptr, pinned.out()));
  EXPECT_EQ(InfoOf(pinned.get()).device_kind, PS_CPU);
  EXPECT_EQ(InfoOf(pinned.get()).device_index, 0);
}

TEST_F(CTensorTest, ADLPackTensorIsOfTheSameMemory) {
  CTensor tensor = MakeCTensor<float>(shape_, {values_.begin(), values_.end()});
  void* data = nullptr;
  Ok(PSTensorGetData(tensor.get(), &data));
  void* managed = nullptr;
  Ok(PSTensorToDLPack(tensor.get(), &managed));
  tensor = CTensor();
  EXPECT_EQ(static_cast<DLManagedTensor*>(managed)->dl_tensor.data, data);
  CTensor back;
  Ok(PSTensorFromDLPack(managed, back.out()));
  EXPECT_EQ(ElementsOf<float>(back.get()), std::vector<float>(values_.begin(), values_.end()));
}

TEST_F(CTensorTest, ADLPackTensorThatIsRefusedStaysTheCallers) {
  const CTensor tensor = MakeCTensor<float>({1, 2});
  void* managed = nullptr;
  Ok(PSTensorToDLPack(tensor.get(), &managed));
  auto* const refused = static_cast<DLManagedTensor*>(managed);
  refused->dl_tensor.dtype.bits = 8;
  PSTensor none = nullptr;
  Fails(PSTensorFromDLPack(managed, &none), PS_INVALID_ARGUMENT, "float8");
  Fails(PSTensorFromDLPack(nullptr, &none), PS_INVALID_ARGUMENT, "no DLPack tensor");
  EXPECT_EQ(none, nullptr);
  refused->deleter(refused);
}

TEST_F(CTensorTest, ARowSparseOneHasIdsAndValues) {
  const CTensor ids = MakeCTensor<std::int64_t>({1, 3});
  const CTensor values = MakeCTensor<float>({2, 2}, {1, 2, 3, 4});
  const std::array<std::int64_t, 2> whole = {4, 2};
  CTensor rows;
  Ok(PSTensorCreateRowSparse(ids.get(), values.get(), 2, whole.data(), rows.out()));
  const PSTensorInfo info = InfoOf(rows.get());
  EXPECT_EQ(info.row_sparse, 1);
  EXPECT_EQ(info.shape[0], 4);
  EXPECT_EQ(info.bytes, 16U);
  EXPECT_EQ(ElementsOf<float>(rows.get()), (std::vector<float>{0, 0, 1, 2, 0, 0, 3, 4}));
  CTensor its_ids;
  CTensor its_values;
  Ok(PSTensorGetIds(rows.get(), its_ids.out()));
  Ok(PSTensorGetValues(rows.get(), its_values.out()));
  EXPECT_EQ(ElementsOf<std::int64_t>(its_ids.get()), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(ElementsOf<float>(its_values.get()), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CTensorTest, ANewRowSparseOneHasNoRows) {
  PSTensorInfo info = Info(PS_F64, shape_);
  info.row_sparse = 1;
  CTensor rows;
  Ok(PSTensorCreate(&info, rows.out()));
  EXPECT_EQ(InfoOf(rows.get()).row_sparse, 1);
  EXPECT_EQ(InfoOf(rows.get()).shape[0], 2);
  EXPECT_EQ(InfoOf(rows.get()).bytes, 0U);
  EXPECT_EQ(ElementsOf<double>(rows.get()), std::vector<double>(6));
}

TEST_F(CTensorTest, RowsThatDoNotFitAreNamed) {
  const CTensor ids = MakeCTensor<std::int64_t>({3, 1});
  const CTensor values = MakeCTensor<float>({2, 2}, {1, 2, 3, 4});
  const std::array<std::int64_t, 2> whole = {4, 2};
  PSTensor rows = nullptr;
  Fails(PSTensorCreateRowSparse(ids.get(), values.get(), 2, whole.data(), &rows), PS_INVALID_ARGUMENT,
        "row id 1 at place 1");
  Fails(PSTensorCreateRowSparse(ids.get(), values.get(), 0, nullptr, &rows), PS_INVALID_ARGUMENT, "");
  Fails(PSTensorCreateRowSparse(nullptr, values.get(), 2, whole.data(), &rows), PS_INVALID_ARGUMENT,
        "the PSTensor is null");
  Fails(PSTensorGetIds(values.get(), &rows), PS_FAILED_PRECONDITION, "no row ids");
  Fails(PSTensorGetValues(values.get(), &rows), PS_FAILED_PRECONDITION, "no values of rows");
  EXPECT_EQ(rows, nullptr);
}

TEST_F(CTensorTest, ReadersAreToldOfAWriteThatHasFailed) {
  Tensor tensor = Tensor::Full({1}, 1);
  tensor.SetWrite(std::make_shared<EndedWrite>(Status::Unavailable("server 1 is lost")));
  const CTensor handle(c_api::NewTensor(tensor));
  void* data = nullptr;
  float value = 0;
  Fails(PSTensorWait(handle.get()), PS_UNAVAILABLE, "server 1 is lost");
  Fails(PSTensorGetData(handle.get(), &data), PS_UNAVAILABLE, "server 1 is lost");
  Fails(PSTensorCopyTo(handle.get(), &value, sizeof value), PS_UNAVAILABLE, "server 1 is lost");
  Fails(PSTensorToDLPack(handle.get(), &data), PS_UNAVAILABLE, "server 1 is lost");
  EXPECT_EQ(data, nullptr);
}

TEST_F(CTensorTest, HandlesThatAreNoneAreErrors) {
  PSTensor gone = MakeCTensor<float>({1}).get();
  PSTensorInfo info = Info(PS_F32, shape_);
  void* data = nullptr;
  Fails(PSTensorGetInfo(gone, &info), PS_INVALID_ARGUMENT, "a PSTensor that is not there");
  Fails(PSTensorGetData(nullptr, &data), PS_INVALID_ARGUMENT, "the PSTensor is null");
  Fails(PSTensorFree(gone), PS_INVALID_ARGUMENT, "not any more");
  Ok(PSTensorFree(nullptr));
  const CTensor there = MakeCTensor<float>({1});
  Fails(PSTensorGetInfo(there.get(), nullptr), PS_INVALID_ARGUMENT, "info is null");
  Fails(PSTensorGetData(there.get(), nullptr), PS_INVALID_ARGUMENT, "data is null");
  Fails(PSTensorGetIds(there.get(), nullptr), PS_INVALID_ARGUMENT, "tensor is null");
}

}  // namespace
}  // namespace ps
