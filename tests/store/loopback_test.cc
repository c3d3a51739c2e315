#include "store/loopback.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/fake_server_link.h"
#include "tests/support/watchdog.h"

namespace ps {
namespace {

class LoopbackTest : public testing::Test {
 protected:
  static std::vector<ServerLink::Addressed> ToBoth(OpCode code) {
    std::vector<ServerLink::Addressed> requests;
    for (int server = 0; server < 2; ++server) requests.push_back({server, RequestOf(code)});
    return requests;
  }

  Watchdog watchdog_;
  std::shared_ptr<LoopbackServers> servers_ =
      std::make_shared<LoopbackServers>(2, 2, StoreServerCore::Options());
  LoopbackLink link_{servers_, 0};
};

TEST_F(LoopbackTest, EveryServerAnswersWithinTheCall) {
  const auto sink = std::make_shared<KeepingSink>();
  const SentRequest sent = link_.Send(ToBoth(OpCode::kStat), sink);
  ASSERT_EQ(sink->answers.size(), 2u);
  EXPECT_EQ(sink->answers[1].first, 1);
  EXPECT_EQ(sink->answers[0].second.replies[0].status.code(), StatusCode::kNotFound) << "there is no table";
  EXPECT_EQ(sink->outcomes.size(), 1u);
  EXPECT_TRUE(link_.WaitUntil(sent, 0).ok());
}

TEST_F(LoopbackTest, ARequestToNobodyIsDone) {
  const auto sink = std::make_shared<KeepingSink>();
  link_.Send({}, sink);
  EXPECT_EQ(sink->outcomes.size(), 1u);
}

TEST_F(LoopbackTest, CodeRunsOnOneThreadInItsOrder) {
  std::vector<int> seen;
  std::promise<void> done;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(link_.Post([&, i] {
      seen.push_back(i);
      if (i == 2) done.set_value();
    }));
  }
  done.get_future().wait();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TEST_F(LoopbackTest, AClosedLinkTakesNothingAndHasRunWhatItTook) {
  bool ran = false;
  EXPECT_TRUE(link_.Post([&] { ran = true; }));
  link_.Close();
  EXPECT_TRUE(ran);
  EXPECT_FALSE(link_.Post([] {}));
  EXPECT_THROW(link_.Send(ToBoth(OpCode::kStat), std::make_shared<KeepingSink>()), Error);
}

TEST_F(LoopbackTest, OneOfItsOwnMayCloseItAndThenNothingRunsAnyMore) {
  auto link = std::make_unique<LoopbackLink>(servers_, 1);
  std::vector<int> seen;
  std::promise<void> all_posted;
  std::promise<void> closed;
  LoopbackLink* const inner = link.get();
  ASSERT_TRUE(inner->Post([&] {
    all_posted.get_future().wait();
    link->Close();
    seen.push_back(3);
    link.reset();
    closed.set_value();
  }));
  for (const int i : {1, 2}) ASSERT_TRUE(inner->Post([&seen, i] { seen.push_back(i); }));
  all_posted.set_value();
  closed.get_future().wait();
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3})) << "what was behind it has run when Close returned";
}

TEST_F(LoopbackTest, ABarrierMeetsAllOrSaysHowManyCame) {
  EXPECT_EQ(link_.Barrier(1).code(), StatusCode::kDeadlineExceeded);
  for (int i = 0; i < 20; ++i) {
    std::thread other([&] { EXPECT_TRUE(servers_->Barrier(0).ok()); });
    EXPECT_TRUE(link_.Barrier(0).ok());
    other.join();
  }
}

TEST_F(LoopbackTest, ABarrierGoesOnWithoutThoseThatHaveClosed) {
  LoopbackLink other(servers_, 1);
  std::thread waiting([&] { EXPECT_TRUE(link_.Barrier(0).ok()); });
  other.Close();
  waiting.join();
  EXPECT_TRUE(link_.Barrier(0).ok());
}

TEST_F(LoopbackTest, NobodyWaitsOnTheLinksOwnThread) {
  EXPECT_TRUE(link_.CheckMayWait().ok());
  std::promise<Status> inside;
  EXPECT_TRUE(link_.Post([&] { inside.set_value(link_.CheckMayWait()); }));
  EXPECT_EQ(inside.get_future().get().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace ps
