#include "device/devices.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ps/environment.h"

namespace ps {
namespace {

TEST(DevicesTest, ADeviceIsMadeOnce) {
  const Result<Device*> device = FindDevice(DeviceId::Cpu(3));
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device.value()->id(), DeviceId::Cpu(3));
  EXPECT_EQ(FindDevice(DeviceId::Cpu(3)).value(), device.value());
  EXPECT_NE(FindDevice(DeviceId::Cpu(4)).value(), device.value());
}

TEST(DevicesTest, ThreadsThatAskAtOnceGetTheSame) {
  std::vector<Device*> found(8);
  std::vector<std::thread> threads;
  for (Device*& place : found)
    threads.emplace_back([&place] { place = FindDevice(DeviceId::Cpu(17)).value(); });
  for (std::thread& thread : threads) thread.join();
  for (Device* device : found) EXPECT_EQ(device, found[0]);
}

TEST(DevicesTest, ADeviceThatIsNotThereIsRefusedByNameAndSaysWhatIsMissing) {
  const int missing = NumCudaDevices();
  const Status status = FindDevice(DeviceId::Cuda(missing)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_NE(status.message().find("cuda:" + std::to_string(missing)), std::string::npos) << status;
  EXPECT_GT(status.message().size(), 20U) << status;
}

TEST(DevicesTest, NumbersThatNoDeviceHasAreRefused) {
  EXPECT_EQ(FindDevice(DeviceId::Cpu(-1)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FindDevice(DeviceId::Cpu(1 << 20)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(FindDevice(DeviceId::Cuda(-1)).ok());
  EXPECT_EQ(FindDevice({static_cast<DeviceId::Kind>(9), 0}).status().code(), StatusCode::kInvalidArgument);
}

TEST(DevicesTest, DevicesOfTheProcessorReachEachOther) {
  EXPECT_TRUE(EnablePeers({}).ok());
  EXPECT_TRUE(EnablePeers({DeviceId::Cpu(0), DeviceId::Cpu(1), DeviceId::Cuda(0)}).ok());
}

TEST(DevicesTest, WhatIsNoSwitchForPeersIsRefusedByName) {
  const std::vector<DeviceId> missing = {DeviceId::Cuda(1000), DeviceId::Cuda(1001)};
  Environment::Init({{"MXNET_ENABLE_GPU_P2P", "0"}});
  EXPECT_TRUE(EnablePeers(missing).ok());
  Environment::Init({{"MXNET_ENABLE_GPU_P2P", "0"}, {"PS_ENABLE_GPU_P2P", "1"}});
  EXPECT_EQ(EnablePeers(missing).code(), StatusCode::kUnavailable);
  Environment::Init({{"PS_ENABLE_GPU_P2P", "often"}});
  const Status status = EnablePeers(missing);
  Environment::Init({});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("PS_ENABLE_GPU_P2P='often'"), std::string::npos) << status;
}

}  // namespace
}  // namespace ps
