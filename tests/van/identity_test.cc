#include "van/identity.h"

#include <gtest/gtest.h>

#include <set>

namespace ps {
namespace {

TEST(IdentityTest, BeginsWithARoleAndAnIncarnationOnly) {
  const Identity identity(Node::WORKER, 3);
  EXPECT_NE(identity.incarnation(), 0u);
  EXPECT_EQ(identity.role(), Node::WORKER);
  EXPECT_EQ(identity.wire_id(), 0u);
  EXPECT_EQ(identity.id(), Node::kEmpty);
  EXPECT_EQ(identity.node().customer_id, 3);
  EXPECT_EQ(identity.node().incarnation, identity.incarnation());
  EXPECT_EQ(identity.name(), "W");
}

TEST(IdentityTest, LearnsItsAddressAndId) {
  Identity identity(Node::SERVER, 0);
  identity.SetAddress("10.0.0.4", 4711);
  identity.SetId(8, true);
  EXPECT_EQ(identity.wire_id(), 8u);
  EXPECT_EQ(identity.id(), 8);
  EXPECT_EQ(identity.name(), "S[8]");
  EXPECT_EQ(identity.node().DebugString(), "role=server, id=8, ip=10.0.0.4, port=4711, is_recovery=1");
}

TEST(IdentityTest, RandomIdsDiffer) {
  std::set<uint64_t> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(RandomId());
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_EQ(ids.count(0), 0u);
}

}  // namespace
}  // namespace ps
