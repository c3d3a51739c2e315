#include "store/network_link.h"

#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ps/local_cluster.h"
#include "ps/store_server.h"
#include "tests/support/fake_server_link.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class NetworkLinkTest : public testing::Test {
 protected:
  void SetUp() override {
    ThrowIfError(cluster_.Start());
    for (int i = 0; i < 2; ++i) servers_.push_back(std::make_unique<StoreServer>(&cluster_.server(i)));
    link_ = std::make_unique<NetworkLink>(&cluster_.worker(0));
  }
  std::vector<ServerLink::Addressed> ToBoth(OpCode code) {
    std::vector<ServerLink::Addressed> requests;
    for (int server = 0; server < 2; ++server) requests.push_back({server, RequestOf(code)});
    return requests;
  }

  Watchdog watchdog_;
  LocalCluster cluster_{2, 1};
  std::vector<std::unique_ptr<StoreServer>> servers_;
  std::unique_ptr<NetworkLink> link_;
};

TEST_F(NetworkLinkTest, EveryServerAnswers) {
  EXPECT_EQ(link_->num_servers(), 2);
  EXPECT_EQ(link_->num_workers(), 1);
  EXPECT_EQ(link_->worker(), 0);
  const auto sink = std::make_shared<KeepingSink>();
  const SentRequest sent = link_->Send(ToBoth(OpCode::kStat), sink);
  EXPECT_TRUE(link_->WaitUntil(sent, std::numeric_limits<std::int64_t>::max()).ok());
  ASSERT_EQ(sink->answers.size(), 2u);
  EXPECT_EQ(sink->outcomes.size(), 1u);
  EXPECT_EQ(sink->answers[0].second.replies[0].status.code(), StatusCode::kNotFound);
}

TEST_F(NetworkLinkTest, PostedCodeRunsInOrder) {
  std::vector<int> seen;
  std::promise<void> done;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(link_->Post([&, i] {
      seen.push_back(i);
      if (i == 2) done.set_value();
    }));
  }
  done.get_future().wait();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TEST_F(NetworkLinkTest, WhatIsUnderWayAtItsEndFails) {
  servers_.clear();  // nobody answers: requests are parked
  const auto sink = std::make_shared<KeepingSink>();
  link_->Send(ToBoth(OpCode::kStat), sink);
  link_->Close();
  ASSERT_EQ(sink->outcomes.size(), 1u);
  EXPECT_FALSE(sink->outcomes[0].ok());
  EXPECT_FALSE(link_->Post([] {}));
  EXPECT_THROW(link_->Send(ToBoth(OpCode::kStat), sink), Error);
}

TEST_F(NetworkLinkTest, ANodeHasOne) { EXPECT_THROW(NetworkLink(&cluster_.worker(0)), Error); }

TEST(NetworkLinkOfNoStoreTest, AServerWithoutAStoreIsNamedWithWhatIsMissing) {
  const Watchdog watchdog;
  LocalClusterOptions options;
  options.config.request_timeout_ms = 100;
  LocalCluster cluster(options);
  ThrowIfError(cluster.Start());
  NetworkLink link(&cluster.worker(0));
  const auto sink = std::make_shared<KeepingSink>();
  const SentRequest sent = link.Send({{0, RequestOf(OpCode::kStat)}}, sink);
  const Status outcome = link.WaitUntil(sent, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(outcome.code(), StatusCode::kDeadlineExceeded);
  for (const char* const part : {"server 0", "it serves no store", "ps::StoreServer", "ps_node"})
    EXPECT_NE(outcome.message().find(part), std::string::npos) << outcome;
  ASSERT_EQ(sink->outcomes.size(), 1u);
  EXPECT_EQ(sink->outcomes[0], outcome);
}

}  // namespace
}  // namespace ps
