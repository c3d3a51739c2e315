// Tests of device/kernels.h run on a simulated device of the processor and, where there is one, on a CUDA
// device.
#ifndef PS_TESTS_SUPPORT_KERNEL_FIXTURE_H_
#define PS_TESTS_SUPPORT_KERNEL_FIXTURE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "device/kernels.h"
#include "ps/half.h"
#include "tests/support/watchdog.h"

namespace ps {

inline std::vector<DeviceId> TestDevices() {
  std::vector<DeviceId> devices = {DeviceId::Cpu(1)};
  if (NumCudaDevices() > 0) devices.push_back(DeviceId::Cuda(0));
  return devices;
}

inline std::string NameOfDevice(const testing::TestParamInfo<DeviceId>& info) {
  return info.param.kind == DeviceId::kCpu ? "Cpu" : "Cuda";
}

template <typename T>
constexpr DType DTypeOfElement() {
  if (std::is_same_v<T, float>) return DType::kF32;
  if (std::is_same_v<T, double>) return DType::kF64;
  if (std::is_same_v<T, Half>) return DType::kF16;
  if (std::is_same_v<T, BFloat16>) return DType::kBF16;
  constexpr DType kSigned[] = {DType::kI8, DType::kI16, DType::kI32, DType::kI64};
  constexpr DType kUnsigned[] = {DType::kU8, DType::kU16, DType::kU32, DType::kU64};
  constexpr int kIndex = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return std::is_signed_v<T> ? kSigned[kIndex] : kUnsigned[kIndex];
}

// An array on a device.
template <typename T>
class Placed {
 public:
  Placed(Device* device, const std::vector<T>& values)
      : device_(device), size_(values.size()), data_(device->Allocate(size_ * sizeof(T)).value()) {
    Write(values);
  }
  ~Placed() { device_->Free(data_); }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  TensorView View(Shape shape) const {
    return {data_, std::move(shape), DTypeOfElement<T>(), device_->id(), nullptr};
  }
  TensorView View() const { return View({static_cast<std::int64_t>(size_)}); }
  void Write(const std::vector<T>& values) { device_->Copy(data_, values.data(), size_ * sizeof(T)); }
  std::vector<T> Read() const {
    std::vector<T> values(size_);
    device_->Copy(values.data(), data_, size_ * sizeof(T));
    return values;
  }

 private:
  Device* const device_;
  const std::size_t size_;
  void* const data_;
};

// Whether two arrays have the same bits.
template <typename T>
testing::AssertionResult SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size())
    return testing::AssertionFailure() << a.size() << " elements instead of " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
    return testing::AssertionFailure()
           << "element " << i << " of " << a.size() << " is " << static_cast<double>(a[i]) << " instead of "
           << static_cast<double>(b[i]);
  }
  return testing::AssertionSuccess();
}

// Numbers around 0, whole multiples of 1/16 with a large spread: sums of them round, in any float.
template <typename T>
std::vector<T> RandomElements(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(size);
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(random());
    } else {
      const int exponent = static_cast<int>(random() % 9) - 4;
      value = static_cast<T>(std::ldexp(static_cast<float>(random() % 4001) - 2000.F, exponent - 4));
    }
  }
  return values;
}

class KernelTest : public testing::TestWithParam<DeviceId> {
 protected:
  static constexpr std::size_t kSizes[] = {0, 1, 3, 31, 32, 33, 257, 4099, 100003};

  void Synchronize() { ASSERT_TRUE(stream_->Synchronize().ok()); }

  Watchdog watchdog_{std::chrono::seconds(60)};
  Device* const device_ = FindDevice(GetParam()).value();
  const std::unique_ptr<Stream> stream_ = device_->NewStream();
};

}  // namespace ps

#define PS_ON_ALL_DEVICES(Suite) \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, testing::ValuesIn(TestDevices()), NameOfDevice)

#endif  // PS_TESTS_SUPPORT_KERNEL_FIXTURE_H_
