#include "ps/dlpack.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ps {
namespace {

// Another library's tensor, that counts how often it is released.
struct Foreign {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5, 6, 7};
  Shape shape = {2, 3};
  Shape strides = {3, 1};
  int released = 0;
  DLManagedTensor managed{};

  Foreign() {
    managed.dl_tensor = {memory.data(), {kDlCpu, 0}, 2, {kDlFloat, 32, 1}, shape.data(), nullptr, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->released; };
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
};

void ExpectRefused(Foreign& foreign, const std::string& text) {
  const Status status = FromDLPack(&foreign.managed).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find(text), std::string::npos) << status;
  EXPECT_EQ(foreign.released, 0);
}

struct Released {
  void operator()(DLManagedTensor* managed) const { managed->deleter(managed); }
};
using Exported = std::unique_ptr<DLManagedTensor, Released>;

class FailedWrite final : public PendingWrite {
 public:
  Status Wait(const std::chrono::milliseconds*) override { return Status::Unavailable("server 1 is lost"); }
};

TEST(DlpackTest, TheLayoutIsThatOfTheStandard) {
  if (sizeof(void*) != 8) GTEST_SKIP() << "offsets are those of 64 bits";
  EXPECT_EQ(offsetof(DLTensor, device), 8U);
  EXPECT_EQ(offsetof(DLTensor, ndim), 16U);
  EXPECT_EQ(offsetof(DLTensor, dtype), 20U);
  EXPECT_EQ(offsetof(DLTensor, shape), 24U);
  EXPECT_EQ(offsetof(DLTensor, strides), 32U);
  EXPECT_EQ(offsetof(DLTensor, byte_offset), 40U);
  EXPECT_EQ(offsetof(DLManagedTensor, manager_ctx), 48U);
  EXPECT_EQ(offsetof(DLManagedTensor, deleter), 56U);
  EXPECT_EQ(offsetof(DLDataType, bits), 1U);
  EXPECT_EQ(offsetof(DLDataType, lanes), 2U);
}

TEST(DlpackTest, AnExportKeepsTheMemoryUntilItsDeleterIsCalled) {
  int released = 0;
  std::vector<double> memory(6, 3);
  TensorView view;
  view.data = memory.data();
  view.shape = {2, 3};
  view.dtype = DType::kF64;
  view.device = DeviceId::Cpu(2);
  Tensor tensor = Tensor::Foreign(view, [&] { ++released; });
  Exported exported(ToDLPack(tensor));
  tensor = Tensor();
  const DLTensor& out = exported->dl_tensor;
  EXPECT_EQ(out.data, memory.data());
  EXPECT_EQ(out.device.device_type, kDlCpu);
  EXPECT_EQ(out.device.device_id, 2);
  ASSERT_EQ(out.ndim, 2);
  EXPECT_EQ(Shape(out.shape, out.shape + 2), (Shape{2, 3}));
  EXPECT_EQ(Shape(out.strides, out.strides + 2), (Shape{3, 1}));
  EXPECT_EQ(out.byte_offset, 0U);
  EXPECT_EQ(released, 0);
  exported.reset();
  EXPECT_EQ(released, 1);
}

TEST(DlpackTest, EveryTypeComesBackAsItWas) {
  const std::vector<std::pair<std::uint8_t, int>> kinds = {
      {kDlFloat, 32}, {kDlFloat, 64}, {kDlFloat, 16}, {kDlUInt, 8}, {kDlInt, 32},
      {kDlInt, 8},    {kDlInt, 64},   {kDlBool, 8},   {kDlInt, 16}, {kDlUInt, 16},
      {kDlUInt, 32},  {kDlUInt, 64},  {kDlBFloat, 16}};
  ASSERT_EQ(kinds.size(), static_cast<std::size_t>(kNumDTypes));
  for (std::uint8_t code = 0; IsDType(code); ++code) {
    const auto dtype = static_cast<DType>(code);
    const Tensor tensor = Tensor::Full({2, 0, 3}, 1, dtype, DeviceId::Cpu(1));
    Exported exported(ToDLPack(tensor));
    EXPECT_EQ(exported->dl_tensor.dtype.code, kinds[code].first) << NameOf(dtype);
    EXPECT_EQ(exported->dl_tensor.dtype.bits, kinds[code].second) << NameOf(dtype);
    EXPECT_EQ(exported->dl_tensor.dtype.lanes, 1) << NameOf(dtype);
    const Result<Tensor> back = FromDLPack(exported.get());
    ASSERT_TRUE(back.ok()) << back.status();
    static_cast<void>(exported.release());
    EXPECT_EQ(back.value().view().dtype, dtype);
    EXPECT_EQ(back.value().view().shape, tensor.view().shape);
    EXPECT_EQ(back.value().view().device, tensor.view().device);
  }
}

TEST(DlpackTest, AnExportWaitsForTheWriteAndTellsOfItsFailure) {
  Tensor tensor = Tensor::Full({1}, 1);
  tensor.SetWrite(std::make_shared<FailedWrite>());
  try {
    ToDLPack(tensor);
    ADD_FAILURE() << "exported what was not written";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().message(), "server 1 is lost");
  }
}

TEST(DlpackTest, OnlyDenseTensorsAreExported) {
  EXPECT_THROW(ToDLPack(Tensor()), Error);
  const Tensor rows = Tensor::RowSparse({3}, Tensor::Full({1}, 2, DType::kI64), Tensor::Full({1}, 2));
  EXPECT_THROW(ToDLPack(rows), Error);
}

TEST(DlpackTest, AnImportIsOfTheSameMemoryAndReleasesItOnce) {
  Foreign foreign;
  foreign.managed.dl_tensor.byte_offset = 2 * sizeof(float);
  {
    const Tensor tensor = FromDLPack(&foreign.managed).value();
    EXPECT_EQ(tensor.Data(), foreign.memory.data() + 2);
    EXPECT_EQ(tensor.view().shape, (Shape{2, 3}));
    EXPECT_EQ(tensor.view().dtype, DType::kF32);
    EXPECT_EQ(foreign.released, 0);
  }
  EXPECT_EQ(foreign.released, 1);
}

TEST(DlpackTest, AnImportMayHaveNothingToRelease) {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  EXPECT_TRUE(FromDLPack(&foreign.managed).ok());
  EXPECT_EQ(foreign.released, 0);
}

TEST(DlpackTest, AScalarHasNoShape) {
  Foreign foreign;
  foreign.managed.dl_tensor.ndim = 0;
  foreign.managed.dl_tensor.shape = nullptr;
  EXPECT_EQ(FromDLPack(&foreign.managed).value().view().size(), 1);
}

TEST(DlpackTest, CompactStridesAreTakenAndOthersNamed) {
  Foreign foreign;
  foreign.managed.dl_tensor.strides = foreign.strides.data();
  EXPECT_TRUE(FromDLPack(&foreign.managed).ok());
  foreign.released = 0;
  foreign.strides = {1, 2};
  foreign.managed.dl_tensor.strides = foreign.strides.data();
  ExpectRefused(foreign, "the strides [1,2] of a DLPack tensor of the shape [2,3] are not compact");
  foreign.strides = {4, 1};  // a part of wider rows
  ExpectRefused(foreign, "which would be [3,1]");
  foreign.strides = {3, -1};
  ExpectRefused(foreign, "[3,-1]");
  // Where there is no second step, strides say nothing.
  foreign.shape = {1, 3};
  foreign.strides = {77, 1};
  EXPECT_TRUE(FromDLPack(&foreign.managed).ok());
  foreign.shape = {0, 3};
  foreign.strides = {9, 9};
  EXPECT_TRUE(FromDLPack(&foreign.managed).ok());
}

TEST(DlpackTest, UnknownTypesAreNamed) {
  Foreign foreign;
  foreign.managed.dl_tensor.dtype = {5, 64, 1};
  ExpectRefused(foreign, "complex64");
  foreign.managed.dl_tensor.dtype = {kDlFloat, 8, 1};
  ExpectRefused(foreign, "float8");
  foreign.managed.dl_tensor.dtype = {kDlFloat, 32, 4};
  ExpectRefused(foreign, "float32 in vectors of 4");
  foreign.managed.dl_tensor.dtype = {17, 4, 1};
  ExpectRefused(foreign, "kind 17 of 4 bits");
}

TEST(DlpackTest, UnknownDevicesAreNamed) {
  Foreign foreign;
  foreign.managed.dl_tensor.device = {10, 0};
  ExpectRefused(foreign, "ROCm");
  foreign.managed.dl_tensor.device = {99, 0};
  ExpectRefused(foreign, "the unknown kind 99");
  foreign.managed.dl_tensor.device = {kDlCpu, -1};
  ExpectRefused(foreign, "-1");
  foreign.managed.dl_tensor.device = {kDlCuda, 77};
  EXPECT_EQ(FromDLPack(&foreign.managed).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(foreign.released, 0);
  foreign.managed.dl_tensor.device = {kDlCudaHost, 3};
  EXPECT_EQ(FromDLPack(&foreign.managed).value().view().device, DeviceId::Cpu());
}

TEST(DlpackTest, WhatIsBrokenIsRefused) {
  EXPECT_EQ(FromDLPack(nullptr).status().code(), StatusCode::kInvalidArgument);
  Foreign foreign;
  foreign.managed.dl_tensor.data = nullptr;
  ExpectRefused(foreign, "no memory for f32 [2,3]");
  foreign.managed.dl_tensor.data = foreign.memory.data();
  foreign.managed.dl_tensor.byte_offset = 1;
  ExpectRefused(foreign, "not aligned");
  foreign.managed.dl_tensor.byte_offset = 0;
  foreign.shape = {2, -3};
  ExpectRefused(foreign, "[2,-3]");
  foreign.managed.dl_tensor.shape = nullptr;
  ExpectRefused(foreign, "no shape");
  foreign.managed.dl_tensor.ndim = -1;
  ExpectRefused(foreign, "-1 dimensions");
}

}  // namespace
}  // namespace ps
