#include "transport/zmq/connections.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ps {
namespace {

using Paths = std::vector<ReturnPath>;

TEST(ConnectionsTest, TellsThePathOfAConnectionThatCloses) {
  Connections connections;
  connections.Accepted(7);
  EXPECT_FALSE(connections.Knows(7, "a"));
  connections.Heard(7, "a");
  EXPECT_TRUE(connections.Knows(7, "a"));
  EXPECT_FALSE(connections.Knows(8, "a"));
  connections.Accepted(8);
  connections.Heard(8, "b");
  connections.Closed(7);
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_EQ(connections.TakeClosed(), Paths{});
  EXPECT_EQ(connections.size(), 1u);
}

TEST(ConnectionsTest, WhoNeverSpokeIsNotToldOf) {
  Connections connections;
  connections.Accepted(7);
  connections.Closed(7);
  connections.Closed(7);
  EXPECT_EQ(connections.TakeClosed(), Paths{});
  EXPECT_EQ(connections.size(), 0u);
}

TEST(ConnectionsTest, DescriptorThatIsUsedAgainIsAnotherConnection) {
  Connections connections;
  connections.Accepted(7);
  connections.Heard(7, "a");
  connections.Closed(7);
  connections.Accepted(7);
  connections.Heard(7, "b");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_TRUE(connections.Knows(7, "b"));
  connections.Closed(7);
  EXPECT_EQ(connections.TakeClosed(), Paths{"b"});
}

TEST(ConnectionsTest, FrameOfAConnectionThatCameAndWentIsToldAtOnce) {
  Connections connections;
  connections.Accepted(7);
  connections.Closed(7);
  connections.Heard(7, "a");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_EQ(connections.size(), 0u);
}

TEST(ConnectionsTest, LateFrameChangesNothing) {
  Connections connections;
  connections.Accepted(7);
  connections.Heard(7, "a");
  connections.Closed(7);
  connections.Accepted(7);
  connections.Heard(7, "b");
  connections.Heard(7, "a");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_TRUE(connections.Knows(7, "b"));
}

TEST(ConnectionsTest, TwoFramesOfOneDescriptorInOneGoAreOldAndNew) {
  Connections connections;
  connections.Accepted(7);
  connections.Closed(7);
  connections.Accepted(7);
  connections.Heard(7, "a");
  connections.Heard(7, "b");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_TRUE(connections.Knows(7, "b"));
}

TEST(ConnectionsTest, HoldsNoMoreThanWhatIsOpen) {
  Connections connections;
  for (int i = 0; i < 10000; ++i) {
    connections.Accepted(i % 3);
    connections.Heard(i % 3, std::to_string(i));
  }
  EXPECT_EQ(connections.size(), 3u);
  EXPECT_EQ(connections.TakeClosed().size(), 9997u);
}

}  // namespace
}  // namespace ps
