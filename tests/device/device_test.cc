#include "device/device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "ps/tensor.h"

namespace ps {
namespace {

TEST(DeviceTest, BlocksAreAlignedAndCanBeWritten) {
  const std::unique_ptr<Device> device = MakeCpuDevice(0);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{1} << 20}) {
    Result<void*> memory = device->Allocate(bytes);
    ASSERT_TRUE(memory.ok()) << memory.status();
    ASSERT_NE(memory.value(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.value()) % Device::kAlignment, 0U);
    std::memset(memory.value(), 7, bytes);
    device->Free(memory.value());
  }
  device->Free(nullptr);
}

TEST(DeviceTest, WhatIsNotThereIsRefusedByName) {
  const std::unique_ptr<Device> device = MakeCpuDevice(3);
  const Status status = device->Allocate(std::numeric_limits<std::size_t>::max() / 4).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("cpu:3"), std::string::npos) << status;
}

TEST(DeviceTest, CopiesBytes) {
  const std::unique_ptr<Device> device = MakeCpuDevice(0);
  const std::string text = "some bytes";
  std::string copy(text.size(), ' ');
  device->Copy(copy.data(), text.data(), text.size());
  EXPECT_EQ(copy, text);
}

TEST(DeviceTest, SimulatedDevicesHaveTheirOwnIds) {
  EXPECT_EQ(MakeCpuDevice(2)->id(), (DeviceId{DeviceId::kCpu, 2}));
  EXPECT_NE(MakeCpuDevice(2)->id(), MakeCpuDevice(1)->id());
  EXPECT_EQ(ToString(DeviceId()), "cpu:0");
  EXPECT_EQ(ToString(DeviceId{DeviceId::kCuda, 1}), "cuda:1");
}

TEST(TensorTest, SizesAreProductsOfTheShape) {
  TensorView view;
  EXPECT_EQ(view.size(), 1);
  view.shape = {2, 3, 4};
  view.dtype = DType::kF16;
  EXPECT_EQ(view.size(), 24);
  EXPECT_EQ(view.bytes(), 48U);
  view.shape = {2, 0};
  EXPECT_EQ(view.bytes(), 0U);
}

}  // namespace
}  // namespace ps
