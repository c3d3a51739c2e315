#include "store/codec/header.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ps {
namespace {

std::vector<char> Written(const CodecHeader& header) {
  std::vector<char> bytes(CodecHeader::kBytes);
  header.Write(bytes.data());
  return bytes;
}

TEST(CodecHeaderTest, LiesAsItIsDescribed) {
  const std::vector<char> bytes = Written({CodecHeader::kTwoBit, DType::kBF16, 0.5, 0x0102030405, 3});
  const std::vector<char> expected = {4, 1, 12, 3, 0, 0, 0, 0, 5, 4, 3,      2,
                                      1, 0, 0,  0, 0, 0, 0, 0, 0, 0, '\xe0', '\x3f'};
  EXPECT_EQ(bytes, expected);
}

TEST(CodecHeaderTest, IsReadWhateverItsForm) {
  const std::vector<char> bytes = Written({CodecHeader::kSparse, DType::kF32, 0, 7, 1});
  const CodecHeader expected{CodecHeader::kSparse, DType::kF32, 0, 7, 0};
  EXPECT_EQ(expected.Check(bytes.data(), bytes.size()).value(), 1);
  EXPECT_FALSE(expected.Check(bytes.data(), bytes.size() - 1).ok());
}

TEST(CodecHeaderTest, SaysWhatIsDifferent) {
  const CodecHeader expected{CodecHeader::kTwoBit, DType::kF32, 0.5, 7, 0};
  const auto message = [&](const CodecHeader& other) {
    const std::vector<char> bytes = Written(other);
    return expected.Check(bytes.data(), bytes.size()).status().message();
  };
  EXPECT_NE(message({CodecHeader::kOneBit, DType::kF32, 0.5, 7, 0}).find("codec id 5"), std::string::npos);
  EXPECT_NE(message({CodecHeader::kTwoBit, DType::kF16, 0.5, 7, 0}).find("dtype 2"), std::string::npos);
  EXPECT_NE(message({CodecHeader::kTwoBit, DType::kF32, 0.5, 8, 0}).find("count 8"), std::string::npos);
  EXPECT_NE(message({CodecHeader::kTwoBit, DType::kF32, 0.25, 7, 0}).find("parameter"), std::string::npos);
}

TEST(CodecHeaderTest, EachByteButTheFormCounts) {
  const CodecHeader expected{CodecHeader::kFixed, DType::kF64, 2, 77, 0};
  for (std::size_t i = 0; i < CodecHeader::kBytes; ++i) {
    std::vector<char> bytes = Written(expected);
    bytes[i] = static_cast<char>(bytes[i] + 1);
    EXPECT_EQ(expected.Check(bytes.data(), bytes.size()).ok(), i == 3) << i;
  }
}

TEST(CodecHeaderTest, BodiesHaveTheirSize) {
  EXPECT_TRUE(CheckBody(24 + 8, 8).ok());
  const Status status = CheckBody(24 + 7, 8);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("31"), std::string::npos) << status;
}

}  // namespace
}  // namespace ps
