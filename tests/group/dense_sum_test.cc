#include "group/dense_sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/group/resources_fixture.h"
#include "tests/support/tensors.h"

namespace ps {
namespace {

constexpr std::size_t kPiece = Workers::kPiece;
constexpr std::size_t kBig = 3 * kPiece + 1;

class DenseSumTest : public ResourcesFixture {
 protected:
  DenseSumTest() : ResourcesFixture(kBig) {}
};

// What a step of a sum is made in.
template <typename T>
struct Wide {
  using Type = T;
};
template <>
struct Wide<Half> {
  using Type = float;
};
template <>
struct Wide<BFloat16> {
  using Type = float;
};

// b0 += ((b1 + b2) + b3) + b4, written down once more.
template <typename T>
T SumInFours(const std::vector<std::vector<T>>& sources, std::size_t at) {
  using W = typename Wide<T>::Type;
  T sum = sources[0][at];
  for (std::size_t i = 1; i < sources.size(); i += 4) {
    W four = static_cast<W>(sources[i][at]);
    for (std::size_t j = i + 1; j < std::min(i + 4, sources.size()); ++j)
      four = static_cast<W>(four + static_cast<W>(sources[j][at]));
    sum = static_cast<T>(static_cast<W>(static_cast<W>(sum) + four));
  }
  return sum;
}

template <typename T>
std::vector<std::vector<T>> RandomSources(std::size_t num_sources, std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(num_sources * 1000 + size));
  std::uniform_real_distribution<double> any(0, 20);
  std::vector<std::vector<T>> sources(num_sources);
  for (std::vector<T>& source : sources) {
    for (std::size_t i = 0; i < size; ++i) source.push_back(static_cast<T>(static_cast<float>(any(random))));
  }
  return sources;
}

template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <typename T>
void ExpectSum(Resources* resources, std::size_t num_sources, std::size_t size) {
  const std::vector<std::vector<T>> sources = RandomSources<T>(num_sources, size);
  std::vector<T> expected;
  for (std::size_t i = 0; i < size; ++i) expected.push_back(SumInFours(sources, i));
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < num_sources; ++i)
    values.push_back(TensorOf(sources[i], DeviceId::Cpu(static_cast<int>(i % 5))));
  const DeviceId owner = DeviceId::Cpu(static_cast<int>(num_sources % 3));
  const Tensor sum = SumDense(resources, owner, values);
  EXPECT_EQ(sum.view().device, owner);
  EXPECT_TRUE(SameBits(ValuesOf<T>(sum), expected))
      << NameOf(DTypeOf<T>::value) << ", " << num_sources << " of " << size;
  for (std::size_t i = 0; i < num_sources; ++i) {
    EXPECT_NE(sum.Data(), values[i].Data());
    EXPECT_TRUE(SameBits(ValuesOf<T>(values[i]), sources[i])) << "a source was changed";
  }
}

TEST_F(DenseSumTest, AddsInFoursWithAnyThreadsAndDevices) {
  for (Resources* const resources : All()) {
    for (std::size_t num_sources = 1; num_sources <= 11; ++num_sources) {
      ExpectSum<float>(resources, num_sources, 1);
      ExpectSum<float>(resources, num_sources, 77);
    }
    for (const std::size_t size : {kPiece - 1, kPiece, kPiece + 1, kBig - 1, kBig, kBig + 1}) {
      ExpectSum<float>(resources, 2, size);
      ExpectSum<float>(resources, 6, size);
    }
  }
}

TEST_F(DenseSumTest, TheOrderIsSeenInTheBits) {
  // V195: in any other order the small ones are lost, or not.
  const std::vector<float> parts = {0x1p24F, 1, 1, -0x1p24F, 1};
  std::vector<Tensor> values;
  for (const float part : parts) values.push_back(TensorOf(std::vector<float>{part}));
  const float in_fours = parts[0] + (((parts[1] + parts[2]) + parts[3]) + parts[4]);
  const float in_order = (((parts[0] + parts[1]) + parts[2]) + parts[3]) + parts[4];
  ASSERT_NE(in_fours, in_order);
  EXPECT_EQ(ValuesOf<float>(SumDense(&one_thread_, DeviceId(), values)), std::vector<float>{in_fours});
}

template <typename T>
void ExpectSums(const std::vector<Resources*>& all) {
  for (Resources* const resources : all) {
    for (const std::size_t num_sources : {1, 2, 5, 6}) ExpectSum<T>(resources, num_sources, 1001);
    ExpectSum<T>(resources, 3, kBig);
  }
}

TEST_F(DenseSumTest, EveryTypeThatHasSumsIsAdded) {
  const std::vector<Resources*> all = {&threads_, &apart_};
  ExpectSums<double>(all);
  ExpectSums<Half>(all);
  ExpectSums<BFloat16>(all);
  ExpectSums<std::int8_t>(all);
  ExpectSums<std::uint8_t>(all);
  ExpectSums<std::int16_t>(all);
  ExpectSums<std::uint16_t>(all);
  ExpectSums<std::int32_t>(all);
  ExpectSums<std::uint32_t>(all);
  ExpectSums<std::int64_t>(all);
  ExpectSums<std::uint64_t>(all);
}

TEST_F(DenseSumTest, NothingAddsUpToNothing) {
  for (Resources* const resources : {&threads_, &apart_}) {
    const Tensor empty = Tensor::Empty({2, 0}, DType::kF32, DeviceId::Cpu(1));
    const Tensor sum = SumDense(resources, DeviceId::Cpu(2), {empty, empty});
    EXPECT_EQ(sum.view().shape, (Shape{2, 0}));
  }
}

TEST_F(DenseSumTest, ATypeWithoutSumsIsNamed) {
  const Tensor flag = Tensor::Full({3}, 1, DType::kBool, DeviceId::Cpu(1));
  for (Resources* const resources : {&threads_, &apart_}) {
    const Status status = ThrownBy([&] { SumDense(resources, DeviceId::Cpu(2), {flag, flag}); });
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("bool"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace ps
