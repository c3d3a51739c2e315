// The same bits on a CUDA device as on the processor, for floats of any bits: denormals, infinities, huge
// numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/kernel_fixture.h"

namespace ps {
namespace {

constexpr std::size_t kSize = (1 << 20) + 77;

using Floats = std::vector<float>;

Floats AnyBits(std::uint32_t seed) {
  std::mt19937 random(seed);
  Floats values(kSize);
  for (float& value : values) value = internal::FloatOf(static_cast<std::uint32_t>(random()));
  return values;
}

// All NaNs are one.
Floats Comparable(Floats values) {
  for (float& value : values) value = std::isnan(value) ? 0x1p-149F : value;
  return values;
}

class CudaLaunchTest : public KernelTest {
 protected:
  std::int64_t num_refused_ = 0;

  // What `work(stream, x, a, b)` makes of three arrays, on a device.
  template <typename Work>
  static Floats Outcome(Device* device, const Work& work) {
    const std::unique_ptr<Stream> stream = device->NewStream();
    const Placed<float> x(device, AnyBits(1));
    const Placed<float> a(device, AnyBits(2));
    const Placed<float> b(device, AnyBits(3));
    const Status launched = work(stream.get(), x, a, b);
    EXPECT_TRUE(launched.ok()) << launched;
    EXPECT_TRUE(stream->Synchronize().ok());
    return Comparable(x.Read());
  }
  template <typename Work>
  void Compare(const Work& work) {
    const Floats expected = Outcome(FindDevice(DeviceId::Cpu(0)).value(), work);
    EXPECT_TRUE(SameBits(Outcome(device_, work), expected));
  }
};

using Array = Placed<float>;

TEST_P(CudaLaunchTest, SumsHaveTheBitsOfTheProcessor) {
  Compare([](Stream* stream, const Array& x, const Array& a, const Array& b) {
    return Sum(stream, x.View(), {x.data(), a.data(), b.data(), a.data(), b.data(), a.data()});
  });
}

TEST_P(CudaLaunchTest, RulesHaveTheBitsOfTheProcessor) {
  Compare([](Stream* stream, const Array& x, const Array& a, const Array& b) {
    const rules::Gradient<float> gradient = {.3F, 1e20F, .01F};
    return Update(stream, rules::AdaGrad<float>{gradient, .1F, 1e-6F}, x.View(), a.data(), {b.data()});
  });
  Compare([](Stream* stream, const Array& x, const Array& a, const Array& b) {
    const rules::Gradient<float> gradient = {.3F, 1e20F, .01F};
    return Update(stream, rules::Nag<float>{gradient, .1F, .9F}, x.View(), a.data(), {b.data()});
  });
}

TEST_P(CudaLaunchTest, HalvesHaveTheBitsOfTheProcessor) {
  Compare([](Stream* stream, const Array& x, const Array& a, const Array&) {
    TensorView halves = a.View();
    halves.dtype = DType::kF16;
    PS_RETURN_IF_ERROR(Cast(stream, halves, x.View()));
    return Cast(stream, x.View(), halves);
  });
}

TEST_P(CudaLaunchTest, ResidualsHaveTheBitsOfTheProcessor) {
  Compare([this](Stream* stream, const Array& x, const Array& a, const Array& b) {
    PS_RETURN_IF_ERROR(Fill(stream, b.View(), .25));
    const BitRule rule = {BitRule::kTwoBit, .5F};
    PS_RETURN_IF_ERROR(EncodeBits(stream, rule, x.View(), b.data(),
                                  {reinterpret_cast<std::uint8_t*>(a.data()), &num_refused_}));
    stream->Copy(x.data(), b.data(), kSize * sizeof(float));
    return DecodeAddBits(stream, rule, reinterpret_cast<const std::uint8_t*>(a.data()), x.View());
  });
}

PS_ON_ALL_DEVICES(CudaLaunchTest);

}  // namespace
}  // namespace ps
