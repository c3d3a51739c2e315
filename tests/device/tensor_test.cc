#include "ps/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/queue.h"
#include "base/thread.h"
#include "device/device.h"
#include "ps/half.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

// What `call` throws; Ok if it does not.
template <typename Call>
Status Thrown(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

template <typename T>
std::vector<T> Values(const Tensor& tensor) {
  std::vector<T> values(static_cast<std::size_t>(tensor.view().size()));
  tensor.CopyTo(values.data());
  return values;
}

// A write that ends when it is told to.
class TestWrite final : public PendingWrite {
 public:
  void Finish(const Status& outcome) { outcomes_.Push(outcome); }
  Status Wait(const std::chrono::milliseconds* timeout) override {
    EXPECT_EQ(timeout, nullptr);
    const Status outcome = *outcomes_.Pop();
    outcomes_.Push(outcome);  // for the next who waits
    return outcome;
  }

 private:
  BlockingQueue<Status> outcomes_;
};

TEST(TensorTest, NothingHasNoMemory) {
  Tensor none;
  EXPECT_TRUE(none.is_none());
  EXPECT_FALSE(none.is_row_sparse());
  EXPECT_EQ(none.view().size(), 0);
  EXPECT_EQ(none.Data(), nullptr);
  none.CopyTo(nullptr);
  EXPECT_EQ(Thrown([&] { none.CopyFrom(nullptr); }).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Thrown([&] { none.SetWrite(nullptr); }).code(), StatusCode::kFailedPrecondition);
}

TEST(TensorTest, HasItsShapeTypeAndPlace) {
  const Tensor tensor = Tensor::Empty({2, 3}, DType::kF64, DeviceId::Cpu(4));
  EXPECT_EQ(tensor.view().shape, (Shape{2, 3}));
  EXPECT_EQ(tensor.view().dtype, DType::kF64);
  EXPECT_EQ(tensor.view().device, DeviceId::Cpu(4));
  EXPECT_EQ(tensor.view().bytes(), 48U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.Data()) % Device::kAlignment, 0U);
  EXPECT_FALSE(Tensor::Empty({0}).is_none());
}

TEST(TensorTest, WhatCanNotBeMadeIsRefusedByName) {
  const Status shape = Thrown([] { Tensor::Empty({3, -2}); });
  EXPECT_EQ(shape.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(shape.message().find("[3,-2]"), std::string::npos) << shape;
  const Status memory = Thrown([] { Tensor::Empty({std::int64_t{1} << 50}); });
  EXPECT_EQ(memory.code(), StatusCode::kResourceExhausted) << memory;
  const Status device = Thrown([] { Tensor::Empty({1}, DType::kF32, DeviceId::Cuda(77)); });
  EXPECT_EQ(device.code(), StatusCode::kUnavailable) << device;
}

template <typename T>
void ExpectFull(DType dtype, double value, T expected) {
  for (const std::int64_t size : {0, 1, 3, 1000}) {
    const Tensor tensor = Tensor::Full({size}, value, dtype);
    EXPECT_EQ(Values<T>(tensor), std::vector<T>(static_cast<std::size_t>(size), expected)) << NameOf(dtype);
  }
}

TEST(TensorTest, FullOfAValueInEveryType) {
  ExpectFull<float>(DType::kF32, 0.1, 0.1F);
  ExpectFull<double>(DType::kF64, 0.1, 0.1);
  ExpectFull<std::uint16_t>(DType::kF16, 0.1, Half(0.1F).bits);
  ExpectFull<std::uint16_t>(DType::kBF16, 0.1, BFloat16(0.1F).bits);
  ExpectFull<std::uint8_t>(DType::kBool, 0.1, 1);
  ExpectFull<std::int8_t>(DType::kI8, -128.9, -128);
  ExpectFull<std::int16_t>(DType::kI16, -7, -7);
  ExpectFull<std::int32_t>(DType::kI32, 2147483647.0, 2147483647);
  ExpectFull<std::int64_t>(DType::kI64, -0x1p63, std::numeric_limits<std::int64_t>::min());
  ExpectFull<std::uint8_t>(DType::kU8, 255.5, 255);
  ExpectFull<std::uint16_t>(DType::kU16, 7, 7);
  ExpectFull<std::uint32_t>(DType::kU32, 4294967295.0, 4294967295U);
  ExpectFull<std::uint64_t>(DType::kU64, 0x1p63, std::uint64_t{1} << 63);
}

TEST(TensorTest, IsNotFilledWithWhatItsTypeCanNotHold) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [dtype, value] : std::vector<std::pair<DType, double>>{{DType::kI8, 128},
                                                                          {DType::kU8, -1},
                                                                          {DType::kI64, 0x1p63},
                                                                          {DType::kU64, 0x1p64},
                                                                          {DType::kI32, nan}}) {
    const Status status = Thrown([&, type = dtype, number = value] { Tensor::Full({1}, number, type); });
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(NameOf(dtype)), std::string::npos) << status;
  }
}

TEST(TensorTest, CopiesAreOfTheSameMemory) {
  Tensor first = Tensor::Full({2}, 1);
  const Tensor second = first;
  const std::vector<float> values = {3, 4};
  first.CopyFrom(values.data());
  EXPECT_EQ(Values<float>(second), values);
  EXPECT_EQ(first.Data(), second.Data());
  first = Tensor();
  EXPECT_EQ(Values<float>(second), values);
}

TEST(TensorTest, ForeignMemoryIsGivenBackWithTheLastCopy) {
  std::vector<float> memory = {1, 2, 3};
  int released = 0;
  TensorView view;
  view.data = memory.data();
  view.shape = {3};
  Tensor tensor = Tensor::Foreign(view, [&] { ++released; });
  Tensor copy = tensor;
  EXPECT_EQ(tensor.Data(), memory.data());
  tensor = Tensor();
  EXPECT_EQ(released, 0);
  const std::vector<float> values = {4, 5, 6};
  copy.CopyFrom(values.data());
  copy = Tensor();
  EXPECT_EQ(released, 1);
  EXPECT_EQ(memory, values);
}

TEST(TensorTest, ADeleterThatThrowsEndsNothing) {
  float memory = 1;
  TensorView view;
  view.data = &memory;
  Tensor::Foreign(view, [] { throw std::runtime_error("not mine"); });
  Tensor::Foreign(view, [] { throw 7; });
  EXPECT_EQ(memory, 1);
}

TEST(TensorTest, ForeignMemoryThatIsNoneOrSkewIsRefusedAndNotReleased) {
  int released = 0;
  const auto release = [&] { ++released; };
  TensorView view;
  view.shape = {2};
  const Status none = Thrown([&] { Tensor::Foreign(view, release); });
  EXPECT_EQ(none.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(none.message().find("f32 [2] on cpu:0"), std::string::npos) << none;
  std::vector<float> memory(3);
  view.data = reinterpret_cast<char*>(memory.data()) + 1;
  EXPECT_EQ(Thrown([&] { Tensor::Foreign(view, release); }).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(released, 0);
  view.shape = {0};
  view.data = nullptr;
  EXPECT_EQ(Tensor::Foreign(view, release).view().bytes(), 0U);
  EXPECT_EQ(released, 1);
}

TEST(TensorTest, ForeignMemoryIsReadBehindItsStream) {
  Watchdog watchdog;
  const std::unique_ptr<Device> device = MakeCpuDevice(0);
  const std::unique_ptr<Stream> stream = device->NewStream();
  BlockingQueue<int> gate;
  std::vector<float> memory = {0};
  TensorView view;
  view.data = memory.data();
  view.shape = {1};
  view.stream = stream.get();
  stream->Run([&] { memory[0] = static_cast<float>(*gate.Pop()); });
  const Tensor tensor = Tensor::Foreign(view);
  gate.Push(5);
  EXPECT_EQ(Values<float>(tensor), std::vector<float>{5});
  stream->Run([] { throw std::runtime_error("lost the kernel"); });
  const Status status = Thrown([&] { tensor.Data(); });
  EXPECT_NE(status.message().find("lost the kernel"), std::string::npos) << status;
}

TEST(TensorTest, ReadersWaitForTheWrite) {
  Watchdog watchdog;
  const Tensor tensor = Tensor::Full({1}, 1);
  const auto write = std::make_shared<TestWrite>();
  Tensor(tensor).SetWrite(write);
  std::vector<float> seen;
  {
    Thread reader("reader", [&] { seen = Values<float>(tensor); });
    static_cast<float*>(tensor.view().data)[0] = 2;
    write->Finish(Status::Ok());
  }
  EXPECT_EQ(seen, std::vector<float>{2});
  // It is forgotten: only the test holds it.
  EXPECT_EQ(write.use_count(), 1);
}

TEST(TensorTest, EverybodyIsToldThatAWriteHasFailedUntilTheNext) {
  Watchdog watchdog;
  Tensor tensor = Tensor::Full({1}, 1);
  const auto write = std::make_shared<TestWrite>();
  tensor.SetWrite(write);
  write->Finish(Status::Unavailable("server 2 is lost"));
  float value = 3;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Thrown([&] { tensor.Data(); }).message(), "server 2 is lost");
    EXPECT_EQ(Thrown([&] { tensor.CopyTo(&value); }).message(), "server 2 is lost");
    EXPECT_EQ(Thrown([&] { tensor.CopyFrom(&value); }).message(), "server 2 is lost");
  }
  EXPECT_EQ(value, 3);
  tensor.SetWrite(nullptr);
  tensor.CopyFrom(&value);
  EXPECT_EQ(Values<float>(tensor), std::vector<float>{3});
}

TEST(TensorTest, ForeignMemoryDoesNotWait) {
  Watchdog watchdog;
  float memory = 1;
  TensorView view;
  view.data = &memory;
  Tensor tensor = Tensor::Foreign(view);
  tensor.SetWrite(std::make_shared<TestWrite>());
  EXPECT_EQ(tensor.Data(), &memory);
}

TEST(TensorTest, OwnMemoryOfAPoolIsWaitedForAndGivenBack) {
  std::vector<float> memory = {1};
  TensorView view;
  view.data = memory.data();
  view.shape = {1};
  int released = 0;
  {
    Tensor tensor = Tensor::Own(view, [&] { ++released; });
    const auto write = std::make_shared<TestWrite>();
    tensor.SetWrite(write);
    write->Finish(Status::Unavailable("server 2 is lost"));
    EXPECT_EQ(Thrown([&] { tensor.Data(); }).message(), "server 2 is lost");
  }
  EXPECT_EQ(released, 1);
}

TEST(TensorTest, AWriteMayBeReplacedWhileOthersWaitForIt) {
  Watchdog watchdog;
  Tensor tensor = Tensor::Full({1}, 1);
  for (int round = 0; round < 50; ++round) {
    const auto first = std::make_shared<TestWrite>();
    const auto second = std::make_shared<TestWrite>();
    tensor.SetWrite(first);
    Status seen;
    Thread reader("reader", [&] { seen = Thrown([&] { tensor.Data(); }); });
    tensor.SetWrite(second);
    second->Finish(Status::Ok());
    first->Finish(Status::Ok());
    reader.Join();
    EXPECT_TRUE(seen.ok()) << seen;
  }
}

}  // namespace
}  // namespace ps
