#include "transport/transport.h"

#include <gtest/gtest.h>

#include "tests/support/transport_endpoint.h"

namespace ps {
namespace {

TEST(FrameTest, PayloadIsTheSumOfTheParts) {
  Frame frame;
  EXPECT_EQ(frame.payload_bytes(), 0u);
  frame.parts[0] = Pattern(3);
  frame.parts[3] = Pattern(40);
  EXPECT_EQ(frame.payload_bytes(), 43u);
}

TEST(FrameTest, DeepCopyHasMemoryOfItsOwn) {
  const Frame frame = NumberedFrame(5, Pattern(100));
  const Frame copy = frame.DeepCopy();
  EXPECT_EQ(copy.head, frame.head);
  EXPECT_EQ(Text(copy.parts[1]), Text(frame.parts[1]));
  EXPECT_NE(copy.parts[1].data(), frame.parts[1].data());
  EXPECT_TRUE(copy.parts[0].empty());
}

TEST(ReturnPathTest, ANumberedPathGivesItsNumberToItsMarkOnly) {
  for (const uint64_t number : {uint64_t{1}, uint64_t{256}, UINT64_MAX}) {
    EXPECT_EQ(NumberOfPath('A', NumberedPath('A', number)), number);
    EXPECT_EQ(NumberOfPath('B', NumberedPath('A', number)), 0u);
  }
  EXPECT_EQ(NumberOfPath('A', ReturnPath()), 0u);
  EXPECT_EQ(NumberOfPath('A', NumberedPath('A', 7) + "x"), 0u);
}

}  // namespace
}  // namespace ps
