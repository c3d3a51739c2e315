#include "store/codec/none_codec.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/store/codec/coding.h"

namespace ps {
namespace {

TEST(NoneCodecTest, ValuesAreTheirOwnBytes) {
  for (const std::size_t count : kCodecCounts) {
    const NoneCodec codec(DType::kF32);
    const std::vector<float> values = RandomFloats(1, count);
    const std::vector<char> bytes = Encode(codec, values).value();
    EXPECT_EQ(bytes.size(), count * sizeof(float));
    EXPECT_EQ(Decode<float>(codec, bytes, count).value(), values);
    EXPECT_FALSE(Decode<float>(codec, bytes, count + 1).ok());
  }
  EXPECT_FALSE(NoneCodec(DType::kF32).HasResidual());
}

}  // namespace
}  // namespace ps
