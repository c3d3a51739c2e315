#include "group/scratch.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

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
    Scratch scratch;
    void* first = nullptr;
    {
      const Scratch::Block block = scratch.Take(&device, Scratch::kOnDevice, kBytes);
      first = block.data();
      const Scratch::Block other = scratch.Take(&device, Scratch::kOnDevice, kBytes / 2);
      EXPECT_NE(other.data(), first);
    }
    EXPECT_EQ(device.blocks, 2);
    // The smallest that is enough.
    EXPECT_EQ(scratch.Take(&device, Scratch::kOnDevice, kBytes / 2 + 1).data(), first);
    EXPECT_NE(scratch.Take(&device, Scratch::kOnDevice, 7).data(), first);
    EXPECT_EQ(device.blocks, 2);
  }
  EXPECT_EQ(device.blocks, 0);
}

TEST(ScratchTest, ALargerBlockTakesThePlaceOfOneThatWasTooSmall) {
  CountingDevice device;
  Scratch scratch;
  for (std::size_t bytes = 1; bytes < kBytes; bytes *= 2) {
    scratch.Take(&device, Scratch::kOnDevice, bytes);
    EXPECT_EQ(device.blocks, 1);
  }
}

TEST(ScratchTest, DevicesAndKindsAreKeptApart) {
  CountingDevice device;
  CountingDevice other;
  {
    Scratch scratch;
    scratch.Take(&device, Scratch::kOnDevice, kBytes);
    scratch.Take(&device, Scratch::kStaging, kBytes);
    scratch.Take(&other, Scratch::kOnDevice, kBytes);
    EXPECT_EQ(device.blocks, 1);
    EXPECT_EQ(device.staging_blocks, 1);
    EXPECT_EQ(other.blocks, 1);
  }
  EXPECT_EQ(device.blocks + device.staging_blocks + other.blocks, 0);
}

TEST(ScratchTest, WhatIsNotThereIsRefused) {
  Scratch scratch;
  Device* const device = FindDevice(DeviceId::Cpu(1)).value();
  const Status status = ThrownBy([&] { scratch.Take(device, Scratch::kOnDevice, std::size_t{1} << 60); });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
}

TEST(ScratchTest, ABlockThatWasMovedIsGivenBackOnce) {
  CountingDevice device;
  Scratch scratch;
  {
    Scratch::Block first = scratch.Take(&device, Scratch::kOnDevice, kBytes);
    void* const data = first.data();
    const Scratch::Block second = std::move(first);
    EXPECT_EQ(second.data(), data);
  }
  const Scratch::Block third = scratch.Take(&device, Scratch::kOnDevice, kBytes);
  const Scratch::Block fourth = scratch.Take(&device, Scratch::kOnDevice, kBytes);
  EXPECT_NE(third.data(), fourth.data());
}

}  // namespace
}  // namespace ps
