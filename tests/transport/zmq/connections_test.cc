#include "transport/zmq/connections.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ps {
namespace {

using Kind = ConnectionEvent::Kind;
using Paths = std::vector<ReturnPath>;

TEST(ConnectionsTest, TellsThePathOfAConnectionThatCloses) {
  Connections connections;
  connections.On({Kind::kAccepted, 7});
  EXPECT_FALSE(connections.Knows(7, "a"));
  connections.Heard(7, "a");
  EXPECT_TRUE(connections.Knows(7, "a"));
  EXPECT_FALSE(connections.Knows(8, "a"));
  connections.On({Kind::kAccepted, 8});
  connections.Heard(8, "b");
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_EQ(connections.TakeClosed(), Paths{});
  EXPECT_EQ(connections.size(), 1u);
}

TEST(ConnectionsTest, WhoNeverSpokeIsNotToldOf) {
  Connections connections;
  connections.On({Kind::kAccepted, 7});
  connections.On({Kind::kClosed, 7});
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(connections.TakeClosed(), Paths{});
  EXPECT_EQ(connections.size(), 0u);
}

TEST(ConnectionsTest, DescriptorThatIsUsedAgainIsAnotherConnection) {
  Connections connections;
  connections.On({Kind::kAccepted, 7});
  connections.Heard(7, "a");
  connections.On({Kind::kClosed, 7});
  connections.On({Kind::kAccepted, 7});
  connections.Heard(7, "b");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_TRUE(connections.Knows(7, "b"));
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(connections.TakeClosed(), Paths{"b"});
}

TEST(ConnectionsTest, FrameOfAConnectionThatCameAndWentIsToldAtOnce) {
  Connections connections;
  connections.On({Kind::kAccepted, 7});
  connections.On({Kind::kClosed, 7});
  connections.Heard(7, "a");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_EQ(connections.size(), 0u);
}

TEST(ConnectionsTest, LateFrameChangesNothing) {
  Connections connections;
  connections.On({Kind::kAccepted, 7});
  connections.Heard(7, "a");
  connections.On({Kind::kClosed, 7});
  connections.On({Kind::kAccepted, 7});
  connections.Heard(7, "b");
  connections.Heard(7, "a");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_TRUE(connections.Knows(7, "b"));
}

TEST(ConnectionsTest, TwoFramesOfOneDescriptorInOneGoAreOldAndNew) {
  Connections connections;
  connections.On({Kind::kAccepted, 7});
  connections.On({Kind::kClosed, 7});
  connections.On({Kind::kAccepted, 7});
  connections.Heard(7, "a");
  connections.Heard(7, "b");
  EXPECT_EQ(connections.TakeClosed(), Paths{"a"});
  EXPECT_TRUE(connections.Knows(7, "b"));
}

TEST(ConnectionsTest, HoldsNoMoreThanWhatIsOpen) {
  Connections connections;
  for (int i = 0; i < 10000; ++i) {
    connections.On({Kind::kAccepted, i % 3});
    connections.Heard(i % 3, std::to_string(i));
  }
  EXPECT_EQ(connections.size(), 3u);
  EXPECT_EQ(connections.TakeClosed().size(), 9997u);
}

TEST(ConnectionsTest, TellsRefusedOnesFromThoseThatSaidNothing) {
  Connections connections;
  const auto ended = [&] {
    const Connections::Ended taken = connections.TakeEnded();
    return std::vector<int>{taken.refused, taken.silent};
  };
  connections.On({Kind::kAccepted, 7});  // a wrong handshake
  connections.On({Kind::kRefused, 1});
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(ended(), (std::vector<int>{1, 0}));
  connections.On({Kind::kAccepted, 7});  // no handshake at all
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(ended(), (std::vector<int>{1, 0}));
  connections.On({Kind::kAccepted, 7});  // a port scan
  connections.On({Kind::kBrokenOff, 32});
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(ended(), (std::vector<int>{0, 1}));
  connections.On({Kind::kAccepted, 7});  // a link that was never used
  connections.On({Kind::kReady, 0});
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(ended(), (std::vector<int>{0, 1}));
  connections.On({Kind::kAccepted, 7});  // a peer
  connections.On({Kind::kReady, 0});
  connections.Heard(7, "a");
  connections.On({Kind::kClosed, 7});
  EXPECT_EQ(ended(), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace ps
