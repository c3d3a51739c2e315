#include "group/scratch.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "tests/support/tensors.h"

namespace ps {
namespace {

constexpr std::size_t kBytes = 100000;

// A device that counts its blocks.
class CountingDevice final : public Device {
 public:
  DeviceId id() const override { return device_->id(); }
  Result<void*> Allocate(std::size_t bytes) override {
    ++blocks;
    return device_->Allocate(bytes);
  }
  void Free(void* memory) override {
    --blocks;
    device_->Free(memory);
  }
  void Copy(void* to, const void* from, std::size_t bytes) override { device_->Copy(to, from, bytes); }
  Result<void*> AllocateStaging(std::size_t bytes) override {
    ++staging_blocks;
    return device_->AllocateStaging(bytes);
  }
  void FreeStaging(void* memory) override {
    --staging_blocks;
    device_->FreeStaging(memory);
  }
  std::unique_ptr<Stream> NewStream() override { return device_->NewStream(); }

  int blocks = 0;
  int staging_blocks = 0;

 private:
  const std::unique_ptr<Device> device_ = MakeCpuDevice(5);
};

TEST(ScratchTest, BlocksAreUsedAgain) {
  CountingDevice device;
  {
    const auto scratch = std::make_shared<Scratch>();
    void* first = nullptr;
    {
      const Scratch::Block block = scratch->Take(&device, Scratch::kOnDevice, kBytes);
      first = block.data();
      const Scratch::Block other = scratch->Take(&device, Scratch::kOnDevice, kBytes / 2);
      EXPECT_NE(other.data(), first);
    }
    EXPECT_EQ(device.blocks, 2);
    EXPECT_EQ(scratch->Take(&device, Scratch::kOnDevice, kBytes - 1).data(), first);
    EXPECT_EQ(device.blocks, 2);
    // One that is much too large is left for others.
    const Scratch::Block small = scratch->Take(&device, Scratch::kOnDevice, 7);
    EXPECT_EQ(device.blocks, 3);
  }
  EXPECT_EQ(device.blocks, 0);
}

TEST(ScratchTest, AsMuchIsKeptAsWasInUse) {
  CountingDevice device;
  const auto scratch = std::make_shared<Scratch>();
  // One after the other: never more than the largest in use, and so not more kept.
  for (std::size_t bytes = 1; bytes <= kBytes; bytes *= 10) scratch->Take(&device, Scratch::kOnDevice, bytes);
  EXPECT_EQ(device.blocks, 1);
  // What came back first goes first.
  void* last = nullptr;
  for (int i = 1; i <= 3; ++i) {
    const Scratch::Block block =
        scratch->Take(&device, Scratch::kOnDevice, kBytes / 2 - static_cast<std::size_t>(i) * 10000);
    last = block.data();
  }
  EXPECT_EQ(scratch->Take(&device, Scratch::kOnDevice, kBytes / 2 - 30000).data(), last);
  EXPECT_LE(device.blocks, 3);
}

TEST(ScratchTest, ATensorGivesItsMemoryBackAndMayBeTheLast) {
  Tensor tensor;
  void* memory = nullptr;
  {
    const auto scratch = std::make_shared<Scratch>();
    tensor = scratch->TakeTensor({3, 5}, DType::kF64, DeviceId::Cpu(2));
    memory = tensor.Data();
    EXPECT_EQ(tensor.view().shape, (Shape{3, 5}));
    EXPECT_EQ(tensor.view().device, DeviceId::Cpu(2));
    tensor = Tensor();
    tensor = scratch->TakeTensor({15}, DType::kF64, DeviceId::Cpu(2));
    EXPECT_EQ(tensor.Data(), memory);
  }
  const std::vector<double> values(15, 1);
  tensor.CopyFrom(values.data());
  EXPECT_EQ(ValuesOf<double>(tensor), values);
}

TEST(ScratchTest, DevicesAndKindsAreKeptApart) {
  CountingDevice device;
  CountingDevice other;
  {
    const auto scratch = std::make_shared<Scratch>();
    for (int round = 0; round < 2; ++round) {
      const Scratch::Block on_device = scratch->Take(&device, Scratch::kOnDevice, kBytes);
      const Scratch::Block staging = scratch->Take(&device, Scratch::kStaging, kBytes);
      const Scratch::Block elsewhere = scratch->Take(&other, Scratch::kOnDevice, kBytes);
      EXPECT_EQ(device.blocks, 1);
      EXPECT_EQ(device.staging_blocks, 1);
      EXPECT_EQ(other.blocks, 1);
    }
  }
  EXPECT_EQ(device.blocks + device.staging_blocks + other.blocks, 0);
}

TEST(ScratchTest, WhatIsNotThereIsRefused) {
  const auto scratch = std::make_shared<Scratch>();
  Device* const device = FindDevice(DeviceId::Cpu(1)).value();
  const Status status = ThrownBy([&] { scratch->Take(device, Scratch::kOnDevice, std::size_t{1} << 60); });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
}

TEST(ScratchTest, ABlockThatWasMovedIsGivenBackOnce) {
  CountingDevice device;
  const auto scratch = std::make_shared<Scratch>();
  {
    Scratch::Block first = scratch->Take(&device, Scratch::kOnDevice, kBytes);
    void* const data = first.data();
    const Scratch::Block second = std::move(first);
    EXPECT_EQ(second.data(), data);
  }
  const Scratch::Block third = scratch->Take(&device, Scratch::kOnDevice, kBytes);
  const Scratch::Block fourth = scratch->Take(&device, Scratch::kOnDevice, kBytes);
  EXPECT_NE(third.data(), fourth.data());
}

}  // namespace
}  // namespace ps
