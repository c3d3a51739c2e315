#include "device/launch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace ps {
namespace {

// Every operation that rules use, and one that would be fused if it were allowed to be.
struct Mixed {
  void operator()(float& x, const float& a, const float& b) const {
    x = std::sqrt(a * a + b) / (b + 1) - a * b;
    x = x < 0 ? -x : x;
  }
};

class MixedOver {
 public:
  MixedOver(std::vector<float>* x, const std::vector<float>& a, const std::vector<float>& b)
      : size_(x->size()), x_(x->data()), a_(a.data()), b_(b.data()) {}
  PS_ALWAYS_INLINE void operator()() const { ForEach(size_, Mixed(), x_, a_, b_); }

 private:
  const std::size_t size_;
  float* const x_;
  const float* const a_;
  const float* const b_;
};

std::vector<float> Random(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(0, 2);
  std::vector<float> made(size);
  for (float& value : made) value = values(random);
  return made;
}

TEST(LaunchTest, BothWidthsGiveTheSameBits) {
  for (std::size_t size = 0; size < 70; ++size) {
    const std::vector<float> a = Random(size, 1);
    const std::vector<float> b = Random(size, 2);
    std::vector<float> wide(size);
    std::vector<float> plain(size);
    std::vector<float> single(size);
    RunWide(MixedOver(&wide, a, b));
    internal::RunPlain(MixedOver(&plain, a, b));
    for (std::size_t i = 0; i < size; ++i) Mixed()(single[i], a[i], b[i]);
    EXPECT_EQ(wide, plain) << size;
    EXPECT_EQ(plain, single) << size;
  }
}

TEST(LaunchTest, EachElementIsVisitedOnce) {
  std::vector<int> visits(1000);
  ForEach(
      visits.size() - 1, [](int& visit) { ++visit; }, visits.data());
  for (std::size_t i = 0; i + 1 < visits.size(); ++i) EXPECT_EQ(visits[i], 1) << i;
  EXPECT_EQ(visits.back(), 0);
}

}  // namespace
}  // namespace ps
