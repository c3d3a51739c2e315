#include "van/listen.h"

#include <gtest/gtest.h>

namespace ps {
namespace {

Config ConfigOf(Role role) {
  Config config;
  config.role = role;
  config.root_port = 8000;
  config.port = 4711;
  return config;
}

TEST(ListenTest, TheSchedulerListensAtTheRootPortOthersAtTheirOwn) {
  EXPECT_EQ(ListenAddress(ConfigOf(Role::kScheduler), "10.0.0.1").ToString(), "10.0.0.1:8000");
  EXPECT_EQ(ListenAddress(ConfigOf(Role::kWorker), "10.0.0.2").ToString(), "10.0.0.2:4711");
}

TEST(ListenTest, BindHostWinsOverTheAdvertisedOne) {
  Config config = ConfigOf(Role::kServer);
  config.bind_host = "0.0.0.0";
  EXPECT_EQ(ListenAddress(config, "10.0.0.2").ToString(), "0.0.0.0:4711");
}

TEST(ListenTest, UnderKubernetesTheSchedulerAloneListensEverywhere) {
  Config config = ConfigOf(Role::kScheduler);
  config.use_kubernetes = true;
  EXPECT_EQ(ListenAddress(config, "10.0.0.1").host, "0.0.0.0");
  EXPECT_EQ(ListenAddress(config, "fd00::1").host, "::");
  config.role = Role::kServer;
  EXPECT_EQ(ListenAddress(config, "10.0.0.2").host, "10.0.0.2");
  config.role = Role::kScheduler;
  config.bind_host = "10.0.0.9";
  EXPECT_EQ(ListenAddress(config, "10.0.0.1").host, "10.0.0.9");
}

TEST(ListenTest, LocalJobsUseNamedSocketsOfTheUserAndPort) {
  Config config = ConfigOf(Role::kScheduler);
  config.local = true;
  const Address root = RootAddress(config);
  EXPECT_EQ(root.host.rfind("@caravan-", 0), 0u) << root.host;
  EXPECT_EQ(AdvertisedHost(config, 5).value(), root.host);
  EXPECT_EQ(ListenAddress(config, root.host).host, root.host);
  config.role = Role::kWorker;
  const std::string first = AdvertisedHost(config, 5).value();
  EXPECT_NE(first, AdvertisedHost(config, 6).value());
  EXPECT_EQ(first.rfind(root.host + "-", 0), 0u) << first;
  EXPECT_EQ(ListenAddress(config, first).host, first);
  config.root_port += 1;
  EXPECT_NE(RootAddress(config).host, root.host);
}

TEST(ListenTest, TheRootIsWhatTheVariablesSay) {
  Config config = ConfigOf(Role::kWorker);
  config.root_uri = "node-7";
  config.root_port = 8000;
  EXPECT_EQ(RootAddress(config).ToString(), "node-7:8000");
}

}  // namespace
}  // namespace ps
