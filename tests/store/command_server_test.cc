#include "store/command_server.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "ps/local_cluster.h"
#include "ps/postoffice.h"
#include "store/shared_store.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

TEST(CommandServerTest, WhatItsControllerThrowsIsTheErrorOfWhoAsked) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  {
    const CommandServer server(&cluster.server(0), [](int head, const std::string& body) {
      if (head == 1) throw std::runtime_error("can not " + body);
    });
    SimpleApp worker(&cluster.worker(0), kCommandApp, kCommandApp);
    worker.Wait(worker.Request(0, "", kServerGroup));
    const Status status = worker.WaitFor(worker.Request(1, "fly", kServerGroup), std::chrono::seconds(10));
    EXPECT_NE(status.message().find("can not fly"), std::string::npos) << status;
    worker.Wait(worker.Request(0, "", kServerGroup));
  }
  EXPECT_TRUE(cluster.Finalize().ok());
}

TEST(CommandServerTest, ProfilerCommandsAreNotSupportedYet) {
  Watchdog watchdog;
  LocalCluster cluster(1, 1);
  ASSERT_TRUE(cluster.Start().ok());
  {
    const CommandServer server(&cluster.server(0), nullptr);
    SimpleApp worker(&cluster.worker(0), kCommandApp, kCommandApp);
    const int timestamp = worker.Request(CommandServer::kProfilerCommand, "filename:a.json0", kServerGroup);
    const Status status = worker.WaitFor(timestamp, std::chrono::seconds(10));
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(status.message().find("not supported yet"), std::string::npos) << status;
  }
  EXPECT_TRUE(cluster.Finalize().ok());
}

}  // namespace
}  // namespace ps
