#include "store/elements.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace ps {
namespace {

constexpr std::size_t kCounts[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 255, 256, 257, 1000};

std::uint16_t NarrowOne(DType dtype, float value) {
  std::uint16_t bits;
  NarrowElements(dtype, &value, &bits, 1);
  return bits;
}

float WidenOne(DType dtype, std::uint16_t bits) {
  float value;
  WidenElements(dtype, &bits, &value, 1);
  return value;
}

TEST(ElementsTest, HalvesAreWidenedAndNarrowed) {
  EXPECT_EQ(NarrowOne(DType::kF16, 1.0F), 0x3c00);
  EXPECT_EQ(NarrowOne(DType::kBF16, 1.0F), 0x3f80);
  EXPECT_EQ(WidenOne(DType::kF16, 0xc000), -2.0F);
  EXPECT_EQ(WidenOne(DType::kBF16, 0xc000), -2.0F);
}

template <typename T>
void CheckSums(DType dtype) {
  std::mt19937_64 random(7);
  for (const std::size_t count : kCounts) {
    std::vector<T> to(count + 1);
    std::vector<T> from(count + 1);
    for (std::size_t i = 0; i <= count; ++i) {
      to[i] = static_cast<T>(random());
      from[i] = static_cast<T>(random());
    }
    std::vector<T> expected = to;
    for (std::size_t i = 0; i < count; ++i)
      expected[i] = static_cast<T>(static_cast<std::uint64_t>(to[i]) + static_cast<std::uint64_t>(from[i]));
    AddElements(dtype, to.data(), from.data(), count);
    EXPECT_EQ(to, expected) << NameOf(dtype) << " " << count;
  }
}

TEST(ElementsTest, IntegersAreAddedModuloTheirSize) {
  CheckSums<std::int8_t>(DType::kI8);
  CheckSums<std::int16_t>(DType::kI16);
  CheckSums<std::int32_t>(DType::kI32);
  CheckSums<std::int64_t>(DType::kI64);
  CheckSums<std::uint8_t>(DType::kU8);
  CheckSums<std::uint16_t>(DType::kU16);
  CheckSums<std::uint32_t>(DType::kU32);
  CheckSums<std::uint64_t>(DType::kU64);
}

TEST(ElementsTest, FloatsAreAdded) {
  for (const std::size_t count : kCounts) {
    std::vector<float> floats(count, 1.5F);
    AddElements(DType::kF32, floats.data(), std::vector<float>(count, 2.25F).data(), count);
    EXPECT_EQ(floats, std::vector<float>(count, 3.75F));
    std::vector<double> doubles(count, 0.1);
    AddElements(DType::kF64, doubles.data(), std::vector<double>(count, 0.2).data(), count);
    EXPECT_EQ(doubles, std::vector<double>(count, 0.1 + 0.2));
  }
}

TEST(ElementsTest, HalvesAreAddedInF32AndRounded) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    const std::uint16_t a = NarrowOne(dtype, 1.0F);
    const std::uint16_t b = NarrowOne(dtype, 3.14F);
    const std::uint16_t sum = NarrowOne(dtype, WidenOne(dtype, a) + WidenOne(dtype, b));
    for (const std::size_t count : kCounts) {
      std::vector<std::uint16_t> to(count, a);
      AddElements(dtype, to.data(), std::vector<std::uint16_t>(count, b).data(), count);
      EXPECT_EQ(to, std::vector<std::uint16_t>(count, sum));
    }
  }
}

TEST(ElementsTest, BoolsAreOred) {
  std::vector<std::uint8_t> to = {0, 0, 1, 200};
  AddElements(DType::kBool, to.data(), std::vector<std::uint8_t>{0, 3, 0, 1}.data(), 4);
  EXPECT_EQ(to, (std::vector<std::uint8_t>{0, 1, 1, 1}));
}

TEST(ElementsTest, PlacesAreAddedToOneAfterTheOther) {
  for (const std::size_t width : {1U, 3U, 20U}) {
    std::vector<float> to(2 * width, 1.0F);
    char* const a = reinterpret_cast<char*>(to.data());
    char* const b = reinterpret_cast<char*>(to.data() + width);
    char* const places[] = {b, a, b, b};
    std::vector<float> from(4 * width);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(1 << (i / width));
    AddToPlaces(DType::kF32, places, 4, width, from.data());
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_EQ(to[i], 1.0F + 2.0F);
      EXPECT_EQ(to[width + i], 1.0F + 1.0F + 4.0F + 8.0F);
    }
    std::vector<std::uint16_t> halves(width, NarrowOne(DType::kF16, 1.0F));
    const std::vector<std::uint16_t> ones(2 * width, halves[0]);
    char* const twice[] = {reinterpret_cast<char*>(halves.data()), reinterpret_cast<char*>(halves.data())};
    AddToPlaces(DType::kF16, twice, 2, width, ones.data());
    EXPECT_EQ(WidenOne(DType::kF16, halves[width - 1]), 3.0F);
  }
}

}  // namespace
}  // namespace ps
