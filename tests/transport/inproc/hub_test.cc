#include "transport/inproc/hub.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "transport/inproc/inbox.h"
#include "transport/inproc/pipe.h"

namespace ps {
namespace {

TEST(HubTest, FreePortsAreNotUsedTwice) {
  Hub hub;
  std::set<int> ports;
  for (int i = 0; i < 100; ++i) ports.insert(hub.Bind({"a", 0}, std::make_shared<Inbox>()).value().port);
  EXPECT_EQ(ports.size(), 100u);
  EXPECT_GT(*ports.begin(), 0);
  EXPECT_LE(*ports.rbegin(), 65535);
}

TEST(HubTest, AddressesAreTakenAndGivenBack) {
  Hub hub;
  ASSERT_TRUE(hub.Bind({"a", 7}, std::make_shared<Inbox>()).ok());
  EXPECT_EQ(hub.Bind({"a", 7}, std::make_shared<Inbox>()).status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(hub.Bind({"b", 7}, std::make_shared<Inbox>()).ok());
  EXPECT_TRUE(hub.IsBound({"a", 7}));
  hub.Unbind({"a", 7});
  hub.Unbind({"a", 7});
  EXPECT_FALSE(hub.IsBound({"a", 7}));
  EXPECT_TRUE(hub.Bind({"a", 7}, std::make_shared<Inbox>()).ok());
}

TEST(HubTest, RunsOutOfPortsWithAnError) {
  Hub hub;
  const auto inbox = std::make_shared<Inbox>();
  int bound = 0;
  Result<Address> last = hub.Bind({"a", 0}, inbox);
  for (; last.ok(); last = hub.Bind({"a", 0}, inbox)) ++bound;
  EXPECT_GT(bound, 50000);
  EXPECT_EQ(last.status().code(), StatusCode::kUnavailable);
}

TEST(HubTest, NamesLeadToInboxesThatLive) {
  Hub hub;
  auto inbox = std::make_shared<Inbox>();
  const ReturnPath name = hub.Register(inbox);
  EXPECT_EQ(hub.FindByName(name), inbox);
  EXPECT_NE(hub.Register(inbox), name);
  EXPECT_EQ(hub.FindByName("no such name"), nullptr);
  inbox.reset();
  EXPECT_EQ(hub.FindByName(name), nullptr);
  hub.Unregister(name);
  EXPECT_EQ(hub.FindByName(name), nullptr);
}

}  // namespace
}  // namespace ps
