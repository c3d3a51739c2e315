#include "kvstore/compression.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

TEST(CompressionTest, BitCodecsHaveAThreshold) {
  EXPECT_EQ(ParseCompression({{"type", "2bit"}}).value().push.parameter, 0.5);
  EXPECT_EQ(ParseCompression({{"type", "2bit"}, {"threshold", "1e-7"}}).value().push.parameter, 1e-7);
  EXPECT_EQ(ParseCompression({{"type", "1bit"}, {"threshold", "-0.5"}}).value().push.parameter, -0.5);
  EXPECT_EQ(ParseCompression({{"type", "1bit"}, {"threshold", "0"}}).value().push.parameter, 0);
  for (const char* threshold : {"0", "-1"}) {
    const Status status = ParseCompression({{"type", "2bit"}, {"threshold", threshold}}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("threshold must be greater than 0 for two bit compression"),
              std::string::npos);
  }
}

TEST(CompressionTest, OtherCodecsAndTheWayBack) {
  const Compression half = ParseCompression({{"type", "f16"}, {"pull", "bf16"}}).value();
  EXPECT_EQ(half.push.name, "f16");
  EXPECT_EQ(half.pull.name, "bf16");
  EXPECT_FALSE(half.is_none());
  EXPECT_EQ(ParseCompression({{"type", "topk"}, {"ratio", ".1"}}).value().push.parameter, .1);
  EXPECT_TRUE(ParseCompression({{"type", "none"}}).value().is_none());
}

TEST(CompressionTest, WrongOnesAreRefusedByName) {
  for (const KVParams& wrong :
       {KVParams{}, KVParams{{"type", "zip"}}, KVParams{{"type", "2bit"}, {"treshold", "1"}},
        KVParams{{"type", "2bit"}, {"threshold", "x"}}, KVParams{{"type", "2bit"}, {"threshold", "nan"}},
        KVParams{{"type", "2bit"}, {"threshold", ""}}, KVParams{{"type", "topk"}, {"ratio", "2"}},
        KVParams{{"type", "none"}, {"pull", "2bit"}}})
    EXPECT_EQ(ParseCompression(wrong).status().code(), StatusCode::kInvalidArgument)
        << (wrong.empty() ? "" : wrong.rbegin()->second);
  EXPECT_NE(ParseCompression({{"type", "zip"}})
                .status()
                .message()
                .find("Unknown type for gradient compression zip"),
            std::string::npos);
}

}  // namespace
}  // namespace ps
