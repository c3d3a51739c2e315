#include "van/payload.h"

#include <gtest/gtest.h>

#include <string>

namespace ps {
namespace {

TEST(PayloadTest, LaysThePartsEndToEnd) {
  Frame frame;
  frame.parts[0].CopyFrom("ab", 2);
  frame.parts[2].CopyFrom("cde", 3);
  const SArray<char> bytes = PayloadOf(frame);
  EXPECT_EQ(std::string(bytes.data(), bytes.size()), "abcde");
  EXPECT_NE(bytes.data(), frame.parts[0].data());
}

TEST(PayloadTest, OfAFrameWithoutPartsIsEmpty) { EXPECT_TRUE(PayloadOf(Frame()).empty()); }

}  // namespace
}  // namespace ps
