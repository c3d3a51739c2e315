#include "collective/host_array.h"

#include <gtest/gtest.h>

#include <vector>

#include "device/devices.h"
#include "ps/stream.h"

namespace ps {
namespace {

TensorView ViewOf(std::vector<float>* values) {
  TensorView view;
  view.data = values->data();
  view.shape = {static_cast<std::int64_t>(values->size())};
  return view;
}

TEST(HostArrayTest, TheProcessorsMemoryIsUsedWhereItLies) {
  std::vector<float> values{1, 2};
  for (const int index : {0, 1}) {
    TensorView view = ViewOf(&values);
    view.device = DeviceId::Cpu(index);
    const std::shared_ptr<HostArray> array = HostArray::Of(view, HostArray::kInOut).value();
    EXPECT_EQ(array->data(), reinterpret_cast<char*>(values.data()));
    EXPECT_EQ(array->bytes(), 8u);
    EXPECT_TRUE(array->CopyBack().ok());
  }
}

TEST(HostArrayTest, WaitsForTheStream) {
  std::vector<float> values{1, 2};
  const std::unique_ptr<Stream> stream = FindDevice(DeviceId::Cpu(1)).value()->NewStream();
  TensorView view = ViewOf(&values);
  view.stream = stream.get();
  stream->Run([&] { values[1] = 5; });
  EXPECT_EQ(reinterpret_cast<float*>(HostArray::Of(view, HostArray::kInOut).value()->data())[1], 5);
}

TEST(HostArrayTest, WhatFailedOnTheStreamIsTold) {
  std::vector<float> values{1, 2};
  const std::unique_ptr<Stream> stream = FindDevice(DeviceId::Cpu(1)).value()->NewStream();
  TensorView view = ViewOf(&values);
  view.stream = stream.get();
  stream->Run([] { throw Error(Status::Internal("broken")); });
  EXPECT_FALSE(HostArray::Of(view, HostArray::kInOut).ok());
}

TEST(HostArrayTest, WhatIsNoArrayIsRefused) {
  std::vector<float> values{1, 2};
  TensorView view = ViewOf(&values);
  view.shape = {-1};
  EXPECT_EQ(HostArray::Of(view, HostArray::kInOut).status().code(), StatusCode::kInvalidArgument);
  view = ViewOf(&values);
  view.data = nullptr;
  EXPECT_EQ(HostArray::Of(view, HostArray::kInOut).status().code(), StatusCode::kInvalidArgument);
  view.data = reinterpret_cast<char*>(values.data()) + 1;
  view.shape = {1};
  EXPECT_EQ(HostArray::Of(view, HostArray::kInOut).status().code(), StatusCode::kInvalidArgument);
  view.data = nullptr;
  view.shape = {0};
  EXPECT_TRUE(HostArray::Of(view, HostArray::kInOut).ok());
}

TEST(HostArrayTest, CudaDevicesAreCopiedToAndFro) {
  if (NumCudaDevices() == 0) {
    std::vector<float> values{1, 2};
    TensorView view = ViewOf(&values);
    view.device = DeviceId::Cuda(0);
    EXPECT_EQ(HostArray::Of(view, HostArray::kInOut).status().code(), StatusCode::kUnavailable);
    return;
  }
  Tensor tensor = Tensor::Full({4}, 2.0, DType::kF32, DeviceId::Cuda(0));
  const std::shared_ptr<HostArray> array = HostArray::Of(tensor.view(), HostArray::kInOut).value();
  auto* const host = reinterpret_cast<float*>(array->data());
  EXPECT_EQ(host[3], 2.0F);
  host[3] = 7;
  ThrowIfError(array->CopyBack());
  float back[4];
  tensor.CopyTo(back);
  EXPECT_EQ(back[3], 7.0F);
}

}  // namespace
}  // namespace ps
